#!/usr/bin/env bash
# Prints the commands of the documents' blocks that start with ```sh MARK, one block after the other.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo 'usage: readme-commands.sh MARK FILE...' >&2
    exit 2
fi
mark=$1
shift
awk -v start="\`\`\`sh $mark" '
    FNR == 1 { inside = 0; fenced = 0 }
    /^```/ {
        if (fenced) { fenced = 0; inside = 0 } else { fenced = 1; inside = ($0 == start); found += inside }
        next
    }
    inside
    END { exit !found }
' "$@" || {
    echo "readme-commands.sh: no block starts with \`\`\`sh $mark" >&2
    exit 1
}

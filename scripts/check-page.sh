#!/usr/bin/env bash
# Looks at pages of `rbench report --html` in a browser: no errors, no requests, no part that is wider than the screen,
# no serious fault of accessibility (axe-core, light and dark), and less than 1 MB.
#
# Usage: check-page.sh [-o DIR] PAGE...
#   -o DIR   keep pictures of each page there: light, dark, narrow, and as printed (PDF)
#
# Needs chromium (or $CHROMIUM), node and npm, which fetches puppeteer-core and axe-core into a directory of its own.
# Exit codes: 0 nothing was found, 1 something was, 2 a tool is missing or the options are wrong.
set -euo pipefail

puppeteer=25.19.0
axe=4.14.1

usage() {
    sed -n 's/^# \{0,1\}//; 2,9p' -- "${BASH_SOURCE[0]}" >&2
    exit 2
}

kept=
while getopts o: option; do
    case $option in
    o) kept=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
for tool in "$chromium" node npm; do
    if ! command -v -- "$tool" >/dev/null; then
        echo "check-page.sh: chromium, node and npm are needed, and one is missing (apt-get install chromium nodejs npm)" >&2
        exit 2
    fi
done
script=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/check_page.mjs
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
if ! npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --silent \
    "puppeteer-core@$puppeteer" "axe-core@$axe" >&2; then
    echo "check-page.sh: npm cannot fetch puppeteer-core $puppeteer and axe-core $axe" >&2
    exit 2
fi
[ -z "$kept" ] || mkdir -p -- "$kept"
cp -- "$script" "$work/"
CHROMIUM=$chromium node "$work/check_page.mjs" "$kept" "$@"

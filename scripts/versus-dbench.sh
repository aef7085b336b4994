#!/usr/bin/env bash
# Compares rbench's throughput with dbench's: interleaved pairs of runs of the same loadfile, by number of clients.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: versus-dbench.sh [-d DIR] [-c LOADFILE] [-p PAIRS] [-t SECS] CLIENTS...

Runs `rbench -t SECS` and `dbench -t SECS` in pairs, one after the other, taking turns in who goes first, and prints
for each number of clients the median of the ratios rbench/dbench with their range, and the medians of both.

  -d DIR       work below DIR (default: a new directory in /dev/shm)
  -c LOADFILE  what both replay (default: /usr/share/dbench/client.txt)
  -p PAIRS     pairs of runs a number of clients (default: 7)
  -t SECS      how long each run measures, after a warm-up of a fifth of that (default: 10)
  -h           this help

RBENCH and DBENCH in the environment name the binaries (default: target/release/rbench if it is there, else rbench
in PATH; dbench).
TEXT
}

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source=scripts/pairs.sh
source "$here/pairs.sh"

parent=
loadfile=/usr/share/dbench/client.txt
pairs=7
seconds=10
while getopts ':d:c:p:t:h' option; do
    case $option in
    d) parent=$OPTARG ;;
    c) loadfile=$OPTARG ;;
    p) pairs=$OPTARG ;;
    t) seconds=$OPTARG ;;
    h)
        usage
        exit 0
        ;;
    :) bad_usage "-$OPTARG needs a value" ;;
    *) bad_usage "-$OPTARG is no option" ;;
    esac
done
shift $((OPTIND - 1))

[ $# -gt 0 ] || bad_usage 'how many clients? Give one number or more'
for clients in "$@"; do
    is_count "$clients" || bad_usage "'$clients' is no number of clients"
done
is_count "$pairs" || bad_usage "'$pairs' is no number of pairs"
is_count "$seconds" || bad_usage "'$seconds' is no number of seconds"
[ -r "$loadfile" ] || fail "the loadfile $loadfile cannot be read: name one with -c" 2

dbench=${DBENCH:-dbench}
find_rbench
command -v -- "$dbench" >/dev/null || fail "$dbench is not there: install dbench 4.0, or set DBENCH" 2

make_work

# Runs one tool in an empty directory; its throughput in MB/s goes to $throughput.
throughput=
measure() {
    local name=$1 program=$2 clients=$3 directory output status=0
    directory=$work/$name
    output=$work/$name.output
    rm -rf -- "$directory"
    mkdir -- "$directory"
    start "$output" "$work/$name.errors" \
        "$program" -c "$loadfile" -D "$directory" -t "$seconds" "$clients"
    finish || status=$?
    throughput=$(throughput_in "$output")
    if [ "$status" -ne 0 ] || ! is_rate "$throughput"; then
        printf '%s\n' "--- the end of $name's output:" >&2
        tail -n 20 -- "$output" "$work/$name.errors" >&2
        printf '%s\n' '---' >&2
        [ "$status" -eq 0 ] || fail "$name with $clients clients failed: exit code $status"
        fail "$name with $clients clients told no throughput (is -t $seconds too short for one pass of it?)"
    fi
    rm -rf -- "$directory"
}

printf '%s, %s s a run, %s pairs, on %s (%s)\n' "$loadfile" "$seconds" "$pairs" "$parent" \
    "$(stat -f -c %T -- "$work")"
printf '%8s  %7s  %-17s  %13s  %13s  %5s\n' clients ratio range 'rbench MB/s' 'dbench MB/s' pairs
for clients in "$@"; do
    table=$work/pairs
    : >"$table"
    for ((pair = 0; pair < pairs; pair++)); do
        # A drift of the machine's speed must not favour whoever always goes first.
        if ((pair % 2 == 0)); then
            measure rbench "$rbench" "$clients"
            ours=$throughput
            measure dbench "$dbench" "$clients"
            theirs=$throughput
        else
            measure dbench "$dbench" "$clients"
            theirs=$throughput
            measure rbench "$rbench" "$clients"
            ours=$throughput
        fi
        awk -v ours="$ours" -v theirs="$theirs" 'BEGIN { printf "%.6f %s %s\n", ours / theirs, ours, theirs }' \
            >>"$table"
    done
    read -r ratio least greatest < <(spread 1 <"$table")
    read -r ours _ < <(spread 2 <"$table")
    read -r theirs _ < <(spread 3 <"$table")
    printf '%8s  %7.3f  %7.3f - %7.3f  %13.2f  %13.2f  %5s\n' \
        "$clients" "$ratio" "$least" "$greatest" "$ours" "$theirs" "$pairs"
done

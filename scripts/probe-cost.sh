#!/usr/bin/env bash
# Measures what --probe costs a run: the share of the processor time, and the ratio of throughput with and without.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: probe-cost.sh [-d DIR] [-c LOADFILE] [-p PAIRS] [-t SECS] [CLIENTS]

Runs `rbench -t SECS CLIENTS` in pairs with and without --probe, taking turns in who goes first, and prints
 - the share of the bystander's threads in the processor time of the run (from /proc/PID/task/*/schedstat, shortly
   before its end): hardly depends on what else the machine does;
 - the median of the ratios of throughput, with / without, and their range.

  -d DIR       work below DIR (default: a new directory in /dev/shm)
  -c LOADFILE  what is replayed (default: the bundled client load)
  -p PAIRS     pairs of runs (default: 7)
  -t SECS      how long each run measures, 2 or more, after a warm-up of a fifth of that (default: 5)
  -h           this help

CLIENTS is 2 without. RBENCH in the environment names the binary (default: target/release/rbench if it is there, else
rbench in PATH).
TEXT
}

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source=scripts/pairs.sh
source "$here/pairs.sh"

parent=
loadfile=
pairs=7
seconds=5
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
clients=${1:-2}
for number in "$pairs" "$seconds" "$clients"; do
    is_count "$number" || bad_usage "'$number' is no number above 0"
done

find_rbench
make_work

# Processor time of all threads of a process, and of the bystander's, in ns.
processor_times() {
    local all=0 probe=0 task name time _
    for task in "/proc/$1/task"/*; do
        name=$(cat "$task/comm" 2>/dev/null) || continue
        read -r time _ <"$task/schedstat" || continue
        all=$((all + time))
        case $name in probe-*) probe=$((probe + time)) ;; esac
    done
    echo "$probe $all"
}

# One run; sets $throughput, and with --probe $share.
one() {
    local options=(-D "$work" -t "$seconds" --style dbench4)
    [ -z "$loadfile" ] || options+=(-c "$loadfile")
    start "$work/out" "$work/err" "$rbench" "${options[@]}" "$@" "$clients"
    if [ $# -gt 0 ]; then
        # A second before the end of the warm-up and the measured time, counted from the release.
        until compgen -G "/proc/$running/task/*/comm" >/dev/null && grep -qs '^client' "/proc/$running/task/"*/comm; do
            kill -0 "$running" 2>/dev/null || break
            sleep 0.02
        done
        sleep "$(awk -v seconds="$seconds" 'BEGIN { print seconds * 1.2 - 1 }')"
        share=$(processor_times "$running" | awk '{ print ($2 > 0 ? $1 / $2 : 0) }')
        # A run that had ended by then would tell nothing.
        [ "$share" != 0 ] || fail 'the machine is too busy to look in time: give a longer -t'
    fi
    if ! finish; then
        cat "$work/err" >&2
        fail 'the run failed'
    fi
    throughput=$(throughput_in "$work/out")
}

for ((pair = 1; pair <= pairs; pair++)); do
    if ((pair % 2)); then
        one
        without=$throughput
        one --probe --probe-idle 0
        with=$throughput
    else
        one --probe --probe-idle 0
        with=$throughput
        one
        without=$throughput
    fi
    awk -v pair="$pair" -v with="$with" -v without="$without" -v share="$share" 'BEGIN {
        printf "pair %2d  without %9.2f  with %9.2f MB/sec  ratio %.4f  share of the processor time %.4f %%\n",
            pair, without, with, with / without, share * 100
    }'
    printf '%s %s\n' "$(awk -v a="$with" -v b="$without" 'BEGIN { print a / b }')" "$share" >>"$work/pairs"
done

# Median, least and most of a column, times a unit.
summary() {
    spread "$1" <"$work/pairs" | awk -v unit="$2" -v name="$3" '
        { printf "%s: median %.4f  (%.4f to %.4f)\n", name, $1 * unit, $2 * unit, $3 * unit }'
}
summary 1 1 'throughput with / without'
summary 2 100 'share of the processor time, %'

#!/usr/bin/env bash
# Compares rbench's data loads with fio's: interleaved pairs of runs of the same pattern, file size, block and clients.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: versus-fio.sh [-d DIR] [-s SIZE] [-b BLOCK] [-f POLICY] [-D] [-T] [-p PAIRS] [-t SECS] PATTERN:CLIENTS...

Runs `rbench -c PATTERN -t SECS` and fio's job of the same pattern (ioengine=psync, a process for each job, one file
each) in pairs, one after the other, taking turns in who goes first, and prints for each the median of the ratios
rbench/fio with their range, and the medians of both in MB/s. PATTERN is seqrd, rndrd, seqwr or rndwr.

Both measure whole passes over the file again and again: seqwr starts each pass with an empty file, the others work on
one that was laid out before. (fio's passes over seqwr are separate runs: it cannot empty a file between loops, and its
rate leaves out what lies between them, as rbench's does.)

  -d DIR       work below DIR (default: a new directory in /dev/shm)
  -s SIZE      size of each client's file (default: 32M)
  -b BLOCK     size of a read or write (default: 4K)
  -f POLICY    sync never, at the end of a pass, or after each write: never, end or each (default: never)
  -D           open the files with O_DIRECT
  -T           let fio's jobs be threads: for a machine that does other work too, where each of fio's processes, which
               lead sessions, is given a share of the processors of its own (sched_autogroup), as rbench's threads are not
  -p PAIRS     pairs of runs (default: 7)
  -t SECS      how long each run measures (default: 5)
  -h           this help

RBENCH and FIO in the environment name the binaries (default: target/release/rbench if it is there, else rbench in
PATH; fio). Needs jq.
TEXT
}

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source=scripts/pairs.sh
source "$here/pairs.sh"

is_size() {
    [[ $1 =~ ^[1-9][0-9]{0,9}[KMG]?$ ]]
}

parent=
size=32M
block=4K
policy=never
direct=0
thread=0
pairs=7
seconds=5
while getopts ':d:s:b:f:DTp:t:h' option; do
    case $option in
    d) parent=$OPTARG ;;
    s) size=$OPTARG ;;
    b) block=$OPTARG ;;
    f) policy=$OPTARG ;;
    D) direct=1 ;;
    T) thread=1 ;;
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

[ $# -gt 0 ] || bad_usage 'what is to be run? Give one PATTERN:CLIENTS or more'
for what in "$@"; do
    case ${what%%:*} in
    seqrd | rndrd | seqwr | rndwr) ;;
    *) bad_usage "'${what%%:*}' is no pattern" ;;
    esac
    is_count "${what#*:}" || bad_usage "'$what' names no number of clients"
done
is_count "$pairs" || bad_usage "'$pairs' is no number of pairs"
is_count "$seconds" || bad_usage "'$seconds' is no number of seconds"
is_size "$size" || bad_usage "'$size' is no size"
is_size "$block" || bad_usage "'$block' is no size"
case $policy in
never | end | each) ;;
*) bad_usage "'$policy' is no policy" ;;
esac

fio=${FIO:-fio}
find_rbench
command -v -- "$fio" >/dev/null || fail "$fio is not there: install fio, or set FIO" 2
command -v jq >/dev/null || fail 'jq is not there: install it' 2

make_work

# Runs a command, which must end well; its output goes to files.
run() {
    local name=$1 status=0
    shift
    start "$work/$name.output" "$work/$name.errors" "$@"
    finish || status=$?
    [ "$status" -eq 0 ] && return
    printf '%s\n' "--- the end of $name's output:" >&2
    tail -n 20 -- "$work/$name.output" "$work/$name.errors" >&2
    fail "$name failed: exit code $status"
}

# Each measures into $rate, MB/s.
rate=
measure_rbench() {
    local pattern=$1 clients=$2 arguments
    arguments=(-c "$pattern" -D "$work/rbench" -t "$seconds" --warmup 0 --set "size=$size" --set "block=$block")
    case $pattern in *wr) arguments+=(--set "fsync=$policy") ;; esac
    [ "$direct" -eq 0 ] || arguments+=(--direct)
    mkdir -- "$work/rbench"
    run rbench "$rbench" "${arguments[@]}" "$clients"
    rm -rf -- "$work/rbench"
    rate=$(throughput_in "$work/rbench.output")
}

measure_fio() {
    local pattern=$1 clients=$2 arguments bytes=0 time=0 moved took started
    arguments=(--name=versus "--directory=$work/fio" "--size=$size" "--bs=$block" "--numjobs=$clients" --ioengine=psync
        "--direct=$direct" "--thread=$thread" --invalidate=0 --fallocate=none --norandommap --randrepeat=0
        --group_reporting --output-format=json)
    case $pattern:$policy in
    *wr:each) arguments+=(--fsync=1) ;;
    *wr:end) arguments+=(--end_fsync=1) ;;
    esac
    mkdir -- "$work/fio"
    case $pattern in
    seqwr)
        # As many passes as fit, each on files that are not there yet.
        started=$SECONDS
        while :; do
            run fio "$fio" --rw=write "${arguments[@]}"
            # With --group_reporting: the bytes of all jobs, and the time of the longest.
            read -r moved took < <(jq -r '.jobs[0].write | "\(.io_bytes) \(.runtime)"' "$work/fio.output")
            bytes=$((bytes + moved))
            time=$((time + took))
            rm -f -- "$work"/fio/*
            ((SECONDS - started < seconds)) || break
        done
        [ "$time" -gt 0 ] || fail "fio's passes are too short to be timed: choose a larger size with -s"
        rate=$(awk -v bytes="$bytes" -v time="$time" 'BEGIN { printf "%.3f", bytes / time / 1e3 }')
        ;;
    *)
        local kind=read mode=read
        case $pattern in
        rndrd) mode=randread ;;
        rndwr) mode=randwrite kind=write arguments+=(--overwrite=1) ;;
        esac
        # What rbench's clients have written before they read it is in the page cache.
        [ "$direct" -eq 1 ] || [ "$kind" = write ] || arguments+=(--pre_read=1)
        run fio "$fio" "--rw=$mode" "${arguments[@]}" --time_based "--runtime=$seconds"
        rate=$(jq -r ".jobs[0].$kind.bw_bytes / 1e6" "$work/fio.output")
        ;;
    esac
    rm -rf -- "$work/fio"
}

# Runs one tool; what it told must be a rate.
measure() {
    "measure_$1" "$2" "$3"
    if ! is_rate "$rate"; then
        tail -n 20 -- "$work/$1.output" >&2
        fail "$1 told no rate for $2 with $3 clients"
    fi
}

printf 'files of %s, blocks of %s, synced: %s, direct: %s, %s s a run, %s pairs, on %s (%s)\n' "$size" "$block" \
    "$policy" "$direct" "$seconds" "$pairs" "$parent" "$(stat -f -c %T -- "$work")"
printf '%8s  %7s  %7s  %-17s  %13s  %13s  %5s\n' pattern clients ratio range 'rbench MB/s' 'fio MB/s' pairs
for what in "$@"; do
    pattern=${what%%:*}
    clients=${what#*:}
    table=$work/pairs
    : >"$table"
    for ((pair = 0; pair < pairs; pair++)); do
        # A drift of the machine's speed must not favour whoever always goes first.
        if ((pair % 2 == 0)); then
            measure rbench "$pattern" "$clients"
            ours=$rate
            measure fio "$pattern" "$clients"
            theirs=$rate
        else
            measure fio "$pattern" "$clients"
            theirs=$rate
            measure rbench "$pattern" "$clients"
            ours=$rate
        fi
        awk -v ours="$ours" -v theirs="$theirs" 'BEGIN { printf "%.6f %s %s\n", ours / theirs, ours, theirs }' \
            >>"$table"
    done
    read -r ratio least greatest < <(spread 1 <"$table")
    read -r ours _ < <(spread 2 <"$table")
    read -r theirs _ < <(spread 3 <"$table")
    printf '%8s  %7s  %7.3f  %7.3f - %7.3f  %13.2f  %13.2f  %5s\n' \
        "$pattern" "$clients" "$ratio" "$least" "$greatest" "$ours" "$theirs" "$pairs"
done

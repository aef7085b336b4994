#!/usr/bin/env bash
# A nightly job: makes file systems, runs cells on them, stores the results, judges them, and writes a page.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: nightly.sh [--night DATE] [--resume] CONFIG

Runs the cells that CONFIG names (TOML; docs/nightly.md tells what stands in it), stores the results, judges tonight by
the nights before and by the pinned baseline, and writes a page. What was interrupted, by a signal, a crash or a reboot,
is gone on with when it is started again: only what is missing is run.

  --night DATE  which night it is, as 2026-03-01 (default: today, or the night that is under way)
  --resume      go on with a night that is under way, and do nothing where there is none: for after a reboot
  -h, --help    this help

Exit codes: 0 nothing is worse; 1 something is worse, or runs failed; 2 something is wrong in CONFIG, nothing was touched;
3 it cannot be told (with `strict`); 4 tonight cannot be compared with what was before; 128 + N stopped by signal N.
TEXT
}

me=${0##*/}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

say() {
    printf '%s: %s\n' "$me" "$*"
}

fail() {
    say "$1" >&2
    exit "${2:-1}"
}

# Writes text $1 as file $2, which a crash leaves as it was or as it is to be.
note() {
    printf '%s\n' "$1" >"$2.new" && sync -- "$2.new" && mv -- "$2.new" "$2"
}

night=
resume=
config=
while [ $# -gt 0 ]; do
    case $1 in
    --night)
        [ $# -gt 1 ] || fail '--night needs a date, such as 2026-03-01' 2
        night=$2
        shift
        ;;
    --resume) resume=yes ;;
    -h | --help)
        usage
        exit
        ;;
    -*)
        usage >&2
        fail "there is no option $1" 2
        ;;
    *)
        [ -z "$config" ] || fail 'one CONFIG, please' 2
        config=$1
        ;;
    esac
    shift
done
[ -n "$config" ] || {
    usage >&2
    exit 2
}
[[ $night =~ ^([0-9]{4}-[0-9]{2}-[0-9]{2})?$ ]] || fail "--night $night: expected a date, such as 2026-03-01" 2

# What the configuration sets; it is read below.
state='' rbench='' runs=0 fresh_runs=0 label_command='' run_timeout='' keep_days=0 give_up_hours=0
floor='' gate='' strict='' pin='' pin_first=''
fs_name=() fs_directory=() fs_device=() fs_mkfs=() fs_mount=() fs_unmount=() fs_fresh=() fs_before=() fs_after=()
cell_fs=() cell_name=() cell_options=()
assignments=$(python3 "$here/nightly_config.py" "$config") || exit 2
eval "$assignments"

command -v -- "$rbench" >/dev/null || fail "$rbench is not there: \`rbench\` in $config names the program" 2
umask 077
mkdir -p -- "$state/nights" "$state/made" || fail "$state cannot be made: \`state\` in $config names it" 2
store=$state/history.db
under_way=$state/under-way

# A run that a killed job has left behind still holds the lock: nothing may be made anew under it.
exec 9>"$state/lock"
flock --nonblock 9 || fail "another job is at work in $state"

# Which night it is. One that was interrupted keeps its date, also after midnight.
started=$(date +%s)
if [ -s "$under_way" ]; then
    read -r last last_started <"$under_way" || true
    age=$(((started - ${last_started:-0}) / 3600))
    if [ "$age" -ge "$give_up_hours" ] || { [ -n "$night" ] && [ "$night" != "$last" ]; }; then
        say "the night of $last was interrupted, and is given up: the runs that it has stored stay"
        rm -f -- "$under_way"
        [ -z "$resume" ] || exit 0
    else
        say "the night of $last was interrupted: going on with it"
        night=$last
        started=$last_started
    fi
elif [ -n "$resume" ]; then
    say 'no night is under way'
    exit 0
fi
night=${night:-$(date +%F)}
folder=$state/nights/$night
mkdir -p -- "$folder"
[ -s "$under_way" ] || rm -f -- "$folder/failed-runs"
note "$night $started" "$under_way"
exec > >(exec tee -a -- "$folder/log" 9>&-) 2>&1
log=$!

mounted=
# shellcheck disable=SC2317 # a trap calls it
finish() {
    local code=$?
    trap - EXIT
    [ -z "$mounted" ] || leave "$mounted" || code=1
    # The log is complete only when the program that writes it has ended.
    exec >&- 2>&-
    wait "$log" || true
    exit "$code"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command whose output goes into file $1, in the background, so that a signal to this job is heeded at once; it is
# passed on.
follow() {
    local child code=0
    # Only the command's own output is redirected: a trap may end this job from here, and the log ends with it.
    "${@:2}" >"$1" 2>&1 9>&9 &
    child=$!
    trap 'kill -TERM "$child" 2>/dev/null; wait "$child"; exit 143' TERM
    trap 'kill -INT "$child" 2>/dev/null; wait "$child"; exit 130' INT
    trap 'kill -HUP "$child" 2>/dev/null; wait "$child"; exit 129' HUP
    wait "$child" || code=$?
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    return "$code"
}

# A command of the configuration, for file system $1: it finds $device and $directory in its environment.
shell() {
    device=${fs_device[$1]} directory=${fs_directory[$1]} night=$night sh -c "$2" 9>&-
}

is_mounted() {
    mountpoint -q -- "${fs_directory[$1]}"
}

leave() {
    local number=$1
    mounted=
    [ -z "${fs_after[$number]}" ] || shell "$number" "${fs_after[$number]}" ||
        say "${fs_name[$number]}: the command \`after\` failed"
    if [ -n "${fs_unmount[$number]}" ] && is_mounted "$number"; then
        shell "$number" "${fs_unmount[$number]}" || {
            say "${fs_name[$number]}: ${fs_directory[$number]} cannot be unmounted"
            return 1
        }
    fi
}

signature() {
    blkid --probe --match-tag UUID --output value -- "$1" 2>/dev/null
}

# What tells a device, or a file, from another of the same name: a disk may have another name after a reboot.
identity() {
    readlink --canonicalize -- "$1"
    lsblk --nodeps --noheadings --bytes --output SIZE,SERIAL,WWN -- "$1" 2>/dev/null || stat --format %s -- "$1"
}

# Makes file system $1 anew, if this job may: a device that holds something else is left alone.
make() {
    local number=$1 device=${fs_device[$1]} record=$state/made/${fs_name[$1]} holds made making
    [ -e "$device" ] || fail "${fs_name[$number]}: $device is not there" 2
    if findmnt --noheadings --source "$device" >/dev/null || losetup --noheadings -j "$device" 2>/dev/null | grep -q .; then
        fail "${fs_name[$number]}: $device is in use: nothing was made there"
    fi
    holds=$(blkid --probe --output export -- "$device" 2>/dev/null) || true
    made=$(cat -- "$record" 2>/dev/null) || true
    # This record stands while a file system is being made: a job that was killed then has left half of it there.
    making="making $(identity "$device")"
    if [ -n "$holds" ] && [ "$made" != "$making" ] && { [ -z "$made" ] || [ "$(signature "$device")" != "$made" ]; }; then
        fail "${fs_name[$number]}: $device holds something that this job has not made: if it can be lost, empty it (wipefs --all $device)" 2
    fi
    note "$making" "$record"
    wipefs --quiet --all -- "$device"
    shell "$number" "${fs_mkfs[$number]}" || fail "${fs_name[$number]}: the command \`mkfs\` failed"
    note "$(signature "$device")" "$record"
}

enter() {
    local number=$1
    if [ -n "${fs_unmount[$number]}" ] && is_mounted "$number"; then
        say "${fs_name[$number]}: ${fs_directory[$number]} was left mounted"
        leave "$number" || fail "${fs_name[$number]}: end what uses ${fs_directory[$number]}, and start again"
    fi
    [ -z "${fs_mkfs[$number]}" ] || make "$number"
    mkdir -p -- "${fs_directory[$number]}"
    if [ -n "${fs_mount[$number]}" ]; then
        mounted=$number
        shell "$number" "${fs_mount[$number]}" || fail "${fs_name[$number]}: the command \`mount\` failed"
        is_mounted "$number" || fail "${fs_name[$number]}: the command \`mount\` mounted nothing at ${fs_directory[$number]}"
    fi
    mounted=$number
    [ -z "${fs_before[$number]}" ] || shell "$number" "${fs_before[$number]}" ||
        fail "${fs_name[$number]}: the command \`before\` failed"
}

# How many runs of tonight are stored, cell by cell: `NAME COUNT`. $1: those with the tag `fresh`, or those without.
count_stored() {
    [ -e "$store" ] || return 0
    "$rbench" history --store "$store" list --runs --json | python3 -c '
import collections, json, sys
counts = collections.Counter()
for line in sys.stdin:
    run = json.loads(line)
    tags = run["tags"]
    if run["completed"] and tags.get("night") == sys.argv[1] and ("fresh" in tags) == (sys.argv[2] == "fresh"):
        counts[tags.get("cell", "")] += 1
for name, count in counts.items():
    print(name, count)
' "$night" "$1"
}

# One run of cell $1; $2 is `fresh` for one that confirms.
run_cell() {
    local cell=$1 number=${cell_fs[$1]} words=() code=0
    local tags=(--tag "night=$night" --tag "cell=${cell_name[$1]}")
    [ "$2" != fresh ] || tags+=(--tag fresh=1)
    eval "words=(${cell_options[$cell]})"
    local command=("$rbench" "--store=$store" --label "$label" "${tags[@]}" -D "${fs_directory[$number]}" "${words[@]}")
    [ -z "$run_timeout" ] || command=(timeout --kill-after=60 "$run_timeout" "${command[@]}")
    follow "$folder/last-run" "${command[@]}" || code=$?
    tail -n 1 -- "$folder/last-run"
    case $code in
    0) ;;
    2)
        cat -- "$folder/last-run"
        fail "${cell_name[$cell]}: see its options in $config" 2
        ;;
    129 | 130 | 143) exit "$code" ;;
    *)
        cat -- "$folder/last-run"
        say "${cell_name[$cell]}: the run failed (exit code $code)"
        printf '%s: exit code %s\n' "${cell_name[$cell]}" "$code" >>"$folder/failed-runs"
        ;;
    esac
}

# The runs that are missing: $1 is `night` or `fresh`, $2 how many a cell has, the others are numbers of cells. Cells
# take turns, so that what drifts meets all of them.
run_missing() {
    local kind=$1 wanted=$2 number cell round name count
    shift 2
    local -A stored=()
    while read -r name count; do
        stored[$name]=$count
    done < <(count_stored "$kind")
    for number in "${!fs_name[@]}"; do
        local own=() entered=
        for cell in "$@"; do
            [ "${cell_fs[$cell]}" != "$number" ] || own+=("$cell")
        done
        for ((round = 1; round <= wanted; round++)); do
            for cell in "${own[@]}"; do
                name=${cell_name[$cell]}
                [ "${stored[$name]:-0}" -lt "$round" ] || continue
                if [ -z "$entered" ] || [ "${fs_fresh[$number]}" = run ]; then
                    [ -z "$entered" ] || leave "$number" || exit 1
                    enter "$number"
                    entered=yes
                fi
                say "$name: $kind run $round of $wanted"
                run_cell "$cell" "$kind"
            done
        done
        [ -z "$entered" ] || leave "$number" || exit 1
    done
}

label=$(sh -c "$label_command" 9>&-) || fail "the command \`label_command\` failed: $label_command" 2
all_cells=("${!cell_name[@]}")
say "the night of $night: ${#all_cells[@]} cells, $runs runs each, label $label"
run_missing night "$runs" "${all_cells[@]}"

# Those of before an interruption count too.
count_failed() {
    [ -e "$folder/failed-runs" ] || {
        echo 0
        return
    }
    wc -l <"$folder/failed-runs"
}

deciding=(--gate "$gate" --floor "$floor")
judging=("${deciding[@]}")
[ -z "$strict" ] || judging+=(--strict)

check() {
    "$rbench" history --store "$store" check --night "$night" "${judging[@]}" "$@" 9>&-
}

# What the pinned baseline says: $1 selects the runs of tonight.
against_pin() {
    "$rbench" compare --store "$store" "${judging[@]}" "${@:2}" "pin:$pin" "$1" 9>&-
}

has_pin() {
    local named
    [ -n "$pin" ] && [ -e "$store" ] || return 1
    named=$("$rbench" history --store "$store" list --runs --json 9>&- | python3 -c '
import json, sys
print(sum(sys.argv[1] in json.loads(line)["pins"] for line in sys.stdin))
' "$pin") || fail "$store: its pins cannot be read"
    [ "$named" -gt 0 ]
}

# The numbers of cells that a judgement (JSON, on standard input; nothing where there is none) finds worse.
worse_cells() {
    python3 -c '
import json, re, sys
told = json.loads(sys.stdin.read() or "{}")
worse = set()

def add(cell):
    # The tag stands behind the load, the clients and the file system.
    tag = re.search(r" [0-9]+ clients?(?: on \S+)? (\S+)", cell)
    if tag:
        worse.add(tag[1])

for series in told.get("series", []):
    tonight = series.get("tonight") or {}
    if series["gated"] and tonight.get("verdict") in ("suspected_worse", "confirmed_worse"):
        add(series["cell"])
for row in told.get("rows", []):
    if row["gated"] and (row.get("judgement") or {}).get("verdict") == "regressed":
        add(row["cell"])
for number, name in enumerate(sys.argv[1:]):
    if name in worse:
        print(number)
' "${cell_name[@]}"
}

# What both judgements suspect; their exit codes count later.
suspects() {
    { check --form json 2>/dev/null || true; } | worse_cells
    [ -z "$compared" ] || { against_pin "night:$night" --form json 2>/dev/null || true; } | worse_cells
}

compared=
if has_pin; then
    compared=yes
elif [ -n "$pin" ] && [ -n "$pin_first" ]; then
    if [ "$(count_failed)" -eq 0 ]; then
        "$rbench" history --store "$store" pin "$pin" "night:$night" 9>&-
        say "the night of $night is the baseline now: $pin"
    else
        say "runs failed: the night of $night does not become the baseline"
    fi
elif [ -n "$pin" ]; then
    say "there is no pin $pin yet: rbench history --store $store pin $pin night:$night makes this night the baseline"
fi

mapfile -t suspected < <(suspects | sort -un)
if [ "${#suspected[@]}" -gt 0 ]; then
    say "suspected to be worse, $fresh_runs fresh runs each: $(for cell in "${suspected[@]}"; do printf '%s ' "${cell_name[$cell]}"; done)"
    run_missing fresh "$fresh_runs" "${suspected[@]}"
fi

code=0
# The most urgent of all codes is the job's.
urgent() {
    case $1 in
    0) ;;
    1 | 3 | 4) [ "$code" -eq 1 ] || { [ "$code" -eq 4 ] && [ "$1" -eq 3 ]; } || code=$1 ;;
    *) code=1 ;;
    esac
}

exported=()
# Writes the runs that are meant into a file of the night's folder, for the page too.
export_runs() {
    if "$rbench" history --store "$store" export "$1" -o "$folder/$2" 9>&-; then
        exported+=("$folder/$2")
    else
        urgent 1
    fi
}

say 'tonight beside the nights before:'
checked=0
check | tee -- "$folder/check.txt" || checked=${PIPESTATUS[0]}
urgent "$checked"
pages=(--history)
if [ -n "$compared" ]; then
    say "tonight beside the baseline $pin:"
    checked=0
    against_pin "night:$night" | tee -- "$folder/compare.txt" || checked=${PIPESTATUS[0]}
    if [ "$checked" -eq 1 ]; then
        say 'the fresh runs beside it:'
        checked=0
        against_pin "fresh:$night" | tee -- "$folder/confirm.txt" || checked=${PIPESTATUS[0]}
        # Only fresh runs that could be judged take back what was found.
        [ "$checked" -eq 0 ] || [ "$checked" -eq 3 ] || checked=1
    fi
    urgent "$checked"
    pages+=(--compare "pin:$pin" "night:$night")
fi
failed=$(count_failed)
if [ "$failed" -gt 0 ]; then
    say "$failed runs failed: see $folder/failed-runs"
    code=1
fi
export_runs "night:$night" runs.jsonl
[ "${#suspected[@]}" -eq 0 ] || export_runs "fresh:$night" fresh.jsonl
if [ "${#exported[@]}" -gt 0 ]; then
    "$rbench" report --store "$store" "${deciding[@]}" "${pages[@]}" --html "$folder/page.html" "${exported[@]}" 9>&- ||
        urgent 1
fi
[ "$keep_days" -eq 0 ] || "$rbench" history --store "$store" prune --before "${keep_days}d" 9>&- || urgent 1
rm -f -- "$under_way" "$folder/last-run"
case $code in
0) say "the night of $night: nothing is worse" ;;
1) say "the night of $night: WORSE, or runs failed: see $folder/page.html" ;;
3) say "the night of $night: it cannot be told" ;;
4) say "the night of $night: it cannot be compared with what was before" ;;
esac
exit "$code"

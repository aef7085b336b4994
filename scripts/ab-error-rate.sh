#!/usr/bin/env bash
# Measures how often `rbench ab` is wrong: campaigns of equal sides, and of sides of which one is 10 % slower.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: ab-error-rate.sh [-d DIR] [-c LOADFILE] [-n CAMPAIGNS] [-p PAIRS] [-t SECS] [-r MB/s] [CLIENTS]

Makes CAMPAIGNS campaigns of two equal sides and as many in which B has a tenth less of the rate (-R), all with --confirm,
and prints
 - how many campaigns of equal sides flag a difference in the first pairs, and in how many fresh pairs confirm one;
 - in how many of the others the slowdown is found, and confirmed.

Fails if, of equal sides, more than a tenth (but at least one may) flag a difference or any is confirmed, or if the
slowdown is missed in more than one of twenty.

  -d DIR        work below DIR (default: a new directory in /dev/shm)
  -c LOADFILE   what is replayed (default: the bundled client load)
  -n CAMPAIGNS  campaigns of each kind (default: 20)
  -p PAIRS      pairs of a campaign (default: 10)
  -t SECS       how long each run measures, after a warm-up of a fifth of that (default: 0.5)
  -r MB/s       rate of A for each client (default: a tenth of what a run without a limit reaches, at most 400)
  -h            this help

CLIENTS is 2 without. RBENCH in the environment names the binary (default: target/release/rbench if it is there, else
rbench in PATH).
TEXT
}

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source=scripts/pairs.sh
source "$here/pairs.sh"

parent=
loadfile=
campaigns=20
pairs=10
seconds=0.5
rate=
while getopts ':d:c:n:p:t:r:h' option; do
    case $option in
    d) parent=$OPTARG ;;
    c) loadfile=$OPTARG ;;
    n) campaigns=$OPTARG ;;
    p) pairs=$OPTARG ;;
    t) seconds=$OPTARG ;;
    r) rate=$OPTARG ;;
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
for number in "$campaigns" "$pairs" "$clients"; do
    is_count "$number" || bad_usage "'$number' is no number above 0"
done
is_rate "$seconds" || bad_usage "'$seconds' is no time above 0"
[ -z "$rate" ] || is_rate "$rate" || bad_usage "'$rate' is no rate above 0"

find_rbench
make_work
options=(-D "$work" -t "$seconds")
[ -z "$loadfile" ] || options+=(-c "$loadfile")

if [ -z "$rate" ]; then
    start "$work/out" "$work/err" "$rbench" "${options[@]}" "$clients"
    finish || fail "the run that tells the rate failed: $(tail -n 1 "$work/err")"
    rate=$(throughput_in "$work/out" |
        awk -v clients="$clients" '{ rate = $1 / clients / 10; printf "%.3f", rate < 400 ? rate : 400 }')
    is_rate "$rate" || fail 'the load moves no data, so that no rate can slow it: name another with -c'
fi
slower=$(awk -v rate="$rate" 'BEGIN { printf "%.3f", rate * 0.9 }')

# One campaign; sets $code (0 or 1), $flagged and $confirmed (yes or no).
campaign() {
    rm -f "$work/results"
    code=0
    start "$work/out" "$work/err" "$rbench" ab "${options[@]}" --pairs "$pairs" --confirm --results "$work/results" \
        "$@" "$clients"
    finish || code=$?
    if [ "$code" -gt 1 ] || ! grep -q throughput "$work/out"; then
        cat "$work/err" >&2
        fail "a campaign ended with exit code $code"
    fi
    flagged=no
    confirmed=no
    if grep -q '^flagged: ' "$work/err"; then flagged=yes; fi
    if grep -q ', confirmed by' "$work/out"; then confirmed=yes; fi
}

# What the verdict is about, from the notes.
told() {
    grep -E -o '[^ ]+: (regressed|improved),( but)?( not)? confirmed[^;]*' "$work/out" | paste -sd ';' || true
}

equal_flagged=0
equal_confirmed=0
found_first=0
found=0
for ((number = 1; number <= campaigns; number++)); do
    campaign
    if [ "$flagged" = yes ]; then equal_flagged=$((equal_flagged + 1)); fi
    if [ "$confirmed" = yes ]; then equal_confirmed=$((equal_confirmed + 1)); fi
    printf '%3d  equal   flagged %-3s  confirmed %-3s  exit code %d  %s\n' "$number" "$flagged" "$confirmed" "$code" "$(told)"
    campaign --a "-R $rate" --b "-R $slower"
    if [ "$flagged" = yes ]; then found_first=$((found_first + 1)); fi
    if [ "$code" -eq 1 ]; then found=$((found + 1)); fi
    printf '%3d  slower  flagged %-3s  confirmed %-3s  exit code %d\n' "$number" "$flagged" "$confirmed" "$code"
done

may_flag=$((campaigns / 10 > 1 ? campaigns / 10 : 1))
may_miss=$((campaigns / 20))
printf 'equal sides: %d of %d flagged (at most %d), %d confirmed (none)\n' \
    "$equal_flagged" "$campaigns" "$may_flag" "$equal_confirmed"
printf '10 %% slower (-R %s and -R %s): %d of %d flagged, %d found and confirmed (at least %d)\n' \
    "$rate" "$slower" "$found_first" "$campaigns" "$found" $((campaigns - may_miss))
if [ "$equal_flagged" -gt "$may_flag" ] || [ "$equal_confirmed" -gt 0 ]; then
    fail 'differences are seen where there are none'
fi
if [ "$found" -lt $((campaigns - may_miss)) ]; then
    fail 'the slowdown is missed'
fi

# What the scripts that measure in interleaved pairs share: they source it. They have a function `usage`.
# shellcheck shell=bash

me=${0##*/}

fail() {
    printf '%s: %s\n' "$me" "$1" >&2
    exit "${2:-1}"
}

bad_usage() {
    printf '%s: %s\n' "$me" "$1" >&2
    usage >&2
    exit 2
}

is_count() {
    [[ $1 =~ ^[1-9][0-9]{0,5}$ ]]
}

# The binary that RBENCH names, else the release build, else that in PATH; goes to $rbench.
find_rbench() {
    local here
    here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
    if [ -n "${RBENCH:-}" ]; then
        rbench=$RBENCH
    elif [ -x "$here/target/release/rbench" ]; then
        rbench=$here/target/release/rbench
    else
        rbench=rbench
    fi
    command -v -- "$rbench" >/dev/null ||
        fail "$rbench is not there: build it with 'cargo build --release', or set RBENCH" 2
}

running=
clean_up() {
    trap '' INT TERM HUP
    if [ -n "$running" ]; then
        # Each tool leads a process group of its own: some have processes for clients.
        kill -TERM -- "-$running" 2>/dev/null || true
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            kill -0 -- "-$running" 2>/dev/null || break
            sleep 0.2
        done
        kill -KILL -- "-$running" 2>/dev/null || true
        wait "$running" 2>/dev/null || true
    fi
    rm -rf -- "$work"
}

# Makes a directory of its own in $parent (default: in memory), so that nothing of what was there is touched; it goes to
# $work, and away at the end.
make_work() {
    if [ -z "$parent" ]; then
        parent=/dev/shm
        [[ -d $parent && -w $parent ]] || fail "$parent cannot be written to: name a directory with -d" 2
    fi
    [ -d "$parent" ] || fail "$parent is no directory" 2
    work=$(mktemp -d -- "$parent/${me%.sh}.XXXXXX") || fail "no directory could be made in $parent" 2
    trap clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# Starts a command in a process group of its own, which goes to $running; its output goes to two files.
start() {
    local output=$1 errors=$2
    shift 2
    set -m
    "$@" >"$output" 2>"$errors" </dev/null &
    running=$!
    set +m
}

# Waits for it, and answers its exit code.
finish() {
    local status=0
    wait "$running" || status=$?
    running=
    return "$status"
}

# The throughput in MB/s that rbench's or dbench's output in a file tells.
throughput_in() {
    awk '/^Throughput [0-9.eE+-]+ MB\/sec/ { value = $2 } END { print value }' "$1"
}

# Whether a text is a number above 0.
is_rate() {
    [ -n "$1" ] && awk -v x="$1" 'BEGIN { exit !(x > 0) }'
}

# Median, least and greatest of column $1 of a table on stdin.
spread() {
    awk -v column="$1" '{ print $column }' | sort -g | awk '
        { value[NR] = $1 }
        END {
            middle = int((NR + 1) / 2)
            median = NR % 2 ? value[middle] : (value[middle] + value[middle + 1]) / 2
            print median, value[1], value[NR]
        }'
}

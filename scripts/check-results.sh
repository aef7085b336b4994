#!/usr/bin/env bash
# Makes results with rbench, and checks them with programs that know nothing of it: jq, and Python's csv module.
set -euo pipefail

if [ $# -ne 1 ]; then
    echo 'usage: check-results.sh RBENCH' >&2
    exit 2
fi
rbench=$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work"

for label in first 'second, "quoted"'; do
    "$rbench" -t 2 --runs 2 --label "$label" --per-client-results --show-execute-time \
        --output json=result.json --output jsonl=all.jsonl \
        --output csv=runs.csv --output ops-csv=operations.csv --output series-csv=series.csv 2 >/dev/null
done

# holds WHAT PROGRAM FILE: the program, in jq's language, says true of each value in the file.
holds() {
    if ! jq -e "$2" "$3" >/dev/null; then
        echo "$3: $1: not so" >&2
        exit 1
    fi
}

holds 'the document holds the runs of the last campaign' \
    '.schema_version == 1 and (.runs | length == 2) and all(.runs[]; .info.label == "second, \"quoted\"")
     and ([.runs[].info.run_number] == [1, 2])' result.json
holds 'the summary is of all runs' \
    '.summary.bytes_per_second.runs == 2
     and .summary.bytes_per_second.max == ([.runs[].bytes_per_second] | max)' result.json
holds 'every run completed' '.schema_version == 1 and .end.kind == "completed"' all.jsonl
holds 'percentiles are ordered and end at the slowest' \
    'all(.latency, .operations[].latency;
         [.min_ns, .p50_ns, .p95_ns, .p99_ns, .p999_ns, .max_ns] | . == sort and .[0] != null)
     and .max_latency_ns == ([.operations[].slowest.latency_ns] | max)' all.jsonl
# shellcheck disable=SC2016 # The variable is jq's.
holds 'operations are counted the same everywhere' \
    '([.operations[].count] | add) as $all
     | $all > 0 and .latency.count == $all and ([.per_client[].operations] | add) == $all
       and all(.operations[]; .count == .latency.count)' all.jsonl
holds 'bytes are counted the same everywhere' \
    '([.per_client[].bytes] | add) == .bytes_read + .bytes_written
     and (.megabytes_per_second * 1e6 / .bytes_per_second - 1 | fabs) < 1e-9' all.jsonl
holds 'sums over the seconds are the totals' \
    '(.series | length > 0) and ([.series[].operations] | add) == .latency.count
     and ([.series[].bytes_read] | add) == .bytes_read
     and ([.series[].bytes_written] | add) == .bytes_written' all.jsonl

if ! command -v python3 >/dev/null; then
    echo '== python3 is missing: the tables are not read'
    exit 0
fi
python3 - "$(wc -l <all.jsonl)" <<'END'
import csv, sys

TEXTS = {"started_at", "label", "tags", "rbench_version", "end", "loadfiles", "sync_open", "sync_dir", "fsync",
         "kernel_release", "file_system", "options", "warnings", "operation"}

def rows(name):
    with open(name, newline="") as file:
        table = list(csv.reader(file, strict=True))
    header, body = table[0], table[1:]
    assert len(set(header)) == len(header), f"{name}: a column is there twice"
    for number, row in enumerate(body, 1):
        assert len(row) == len(header), f"{name}: row {number} has {len(row)} cells, the header {len(header)}"
        for column, cell in zip(header, row):
            if column not in TEXTS and cell != "":
                assert float(cell) >= 0, f"{name}: row {number}: {column} is {cell}"
    return [dict(zip(header, row)) for row in body]

runs, operations, series = rows("runs.csv"), rows("operations.csv"), rows("series.csv")
assert len(runs) == int(sys.argv[1]) == 4, "as many rows as lines of JSON"
assert {run["label"] for run in runs} == {"first", 'second, "quoted"'}
for run in runs:
    def of_run(table):
        return [row for row in table if row["started_at"] == run["started_at"]]
    count = int(run["operations"])
    kinds = of_run(operations)
    assert kinds[0]["operation"] == "all" and int(kinds[0]["count"]) == count
    assert sum(int(kind["count"]) for kind in kinds[1:]) == count
    seconds = of_run(series)
    assert sum(int(second["operations"]) for second in seconds) == count
    assert [int(second["second"]) for second in seconds] == list(range(1, len(seconds) + 1))
print(f"{len(runs)} runs, {len(operations)} rows of operations, {len(series)} of seconds")
END

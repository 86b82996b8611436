#!/bin/bash
# A collection that is killed five times loses at most a batch each time, goes on, and ends complete; packed records come back bit for bit
set -eu
export TMPDIR="$WORK/tmp"
mkdir -p "$TMPDIR"
db="$WORK/train.db"
collect() { exec "$TLM" -v collect --records "$db" --workloads 4 --sources random:16,constructive:8,search:32,confirm:4 "$@"; }
# Batches and records so far.
count() { { [ ! -e "$db" ] || "$TLM" records export "$db"; } | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
print(len({r["batch"] for r in rows}), len(rows))'; }

RANDOM=11
batches=0 records=0 kills=0
while [ $kills -lt 5 ]; do
  (collect) 2>"$WORK/log" & pid=$!
  sleep "$((1 + RANDOM % 3)).$((RANDOM % 10))"
  kill -9 $pid 2>/dev/null || { wait $pid; break; }
  wait $pid 2>/dev/null || true
  kills=$((kills + 1))
  read -r now_batches now_records <<<"$(count)"
  done_now=$(grep -c 'collect: .* batch ' "$WORK/log" || true)
  # A batch is told after it was written: all that were told are there, and one more at most.
  fresh=$((now_batches - batches))
  if [ "$now_records" -lt "$records" ] || [ $fresh -lt "$done_now" ] || [ $fresh -gt $((done_now + 1)) ]; then
    echo "kill $kills: $done_now batches told, $batches, then $now_batches in the records"
    exit 1
  fi
  batches=$now_batches records=$now_records
done
[ "$kills" -ge 2 ] || { echo "it was done after $kills kills"; exit 1; }

(collect) 2>"$WORK/log" || { cat "$WORK/log"; exit 1; }
grep -q 'the plan is complete' "$WORK/log"
(collect) 2>"$WORK/log" || { cat "$WORK/log"; exit 1; }
grep -q 'measured 0 programs' "$WORK/log"

"$TLM" records export "$db" -o "$WORK/all.jsonl"
"$TLM" records export "$db" -o "$WORK/all.records.xz"
"$TLM" records import "$WORK/copy.db" "$WORK/all.records.xz"
"$TLM" records export "$WORK/copy.db" -o "$WORK/copy.jsonl"
cmp "$WORK/all.jsonl" "$WORK/copy.jsonl"
python3 - "$WORK/all.jsonl" "$WORK/all.records.xz" <<'PY'
import collections, json, os, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert not [r for r in rows if r["status"] not in ("ok", "slow")], "a program is wrong, crashed or hung"
items = collections.defaultdict(collections.Counter)
seen = set()
for r in rows:
    item = r["workload_hash"], r["target_hash"]
    fresh = (item, r["schedule_hash"]) not in seen
    seen.add((item, r["schedule_hash"]))
    assert fresh or r["origin"] in ("company", "confirm", "constructive"), r["origin"]
    items[item][r["origin"]] += fresh
for origins in items.values():
    assert origins["random"] <= 16 and origins["search"] <= 32, origins
threads = {r["threads"] for r in rows}
assert threads == {1, 2}, threads
bytes_each = os.path.getsize(sys.argv[2]) / len(rows)
print(f"{len(items)} workloads and variants, {len(rows)} records, {bytes_each:.0f} bytes each when packed")
PY

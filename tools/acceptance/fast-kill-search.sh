#!/bin/bash
# Twenty kills at random moments of a search: each loses at most the batch being measured, resume continues, nothing is left
set -eu
"$TLM" zoo tiny_cnn -o "$WORK/net.onnx"
export TMPDIR="$WORK/tmp" XDG_CACHE_HOME="$WORK/cache"
mkdir -p "$TMPDIR"
db="$WORK/r.db"
trials=64
search() { exec "$TLM" -v compile "$WORK/net.onnx" -o "$WORK/net.tlm" --scheduler search --trials $trials --records "$db" --seed 5 "$@"; }
# Batches and records; nothing before the first batch is written.
count() { "$TLM" records export "$db" 2>/dev/null | python3 -c '
import collections, json, sys
batches = collections.Counter(json.loads(line)["batch"] for line in sys.stdin)
print(len(batches), sum(batches.values()), min(batches.values(), default=0))'; }
processes() { pgrep -cf -- "$WORK/net.onnx" || true; }

RANDOM=7
batches=0 records=0 kills=0
while [ $kills -lt 20 ]; do
  rm -f "$WORK/log"
  search 2>"$WORK/log" & pid=$!  # exec: the process is tlm itself
  sleep "$((RANDOM % 10)).$((RANDOM % 10))"
  if ! kill -9 $pid 2>/dev/null; then
    wait $pid || { cat "$WORK/log"; exit 1; }
    trials=$((trials + 32))  # it was done: a longer one
    read -r batches records _ <<<"$(count)"
    continue
  fi
  wait $pid 2>/dev/null || true
  kills=$((kills + 1))
  [ -e "$db" ] || continue
  [ ! -e "$WORK/net.tlm" ] || "$TLM" inspect "$WORK/net.tlm" >/dev/null
  read -r now_batches now_records least <<<"$(count)"
  # What was written stays, and all batches that were begun, but for the last, have been written: whole, that is with the anchor
  # and one schedule at least.
  begun=$(grep -c 'search: measuring' "$WORK/log" || true)
  fresh=$((now_batches - batches))
  if [ "$now_records" -lt "$records" ] || [ $fresh -gt "$begun" ] || [ $fresh -lt $((begun - 1)) ]; then
    echo "kill $kills: $begun batches begun, $batches, then $now_batches in the records"
    exit 1
  fi
  [ "$now_batches" -eq 0 ] || [ "$least" -ge 2 ] || { echo "kill $kills: a batch of $least records"; exit 1; }
  batches=$now_batches records=$now_records
done
# The processes of the measurements end with the search.
for _ in 1 2 3 4 5 6 7 8 9 10; do [ "$(processes)" -eq 0 ] && break; sleep 1; done
[ "$(processes)" -eq 0 ] || { echo "processes are left"; exit 1; }
[ "$records" -gt 0 ] || { echo "nothing was recorded in $kills runs"; exit 1; }

(search --report "$WORK/r.json") 2>"$WORK/log" || { cat "$WORK/log"; exit 1; }
(search --report "$WORK/again.json") 2>"$WORK/log" || { cat "$WORK/log"; exit 1; }
python3 - "$WORK/again.json" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["search"]["measured"] == 0, "all trials were in the records"
PY
# A schedule is measured in a second batch as the best known, or when the fastest are confirmed: no more often than that.
"$TLM" records export "$db" | python3 -c '
import collections, json, sys
seen, batches = collections.Counter(), set()
for line in sys.stdin:
    r = json.loads(line)
    batches.add(r["batch"])
    if r["origin"] != "constructive": seen[r["workload_hash"], r["schedule_hash"]] += 1
again = sum(n - 1 for n in seen.values())
print(f"{len(batches)} batches, {len(seen)} schedules, {again} measured again")
assert again <= 4 * len(batches)'
echo "$kills kills, $batches batches before the last run"

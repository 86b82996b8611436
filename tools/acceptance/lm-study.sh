#!/bin/bash
# The study of recipes: rows are trained once, an interrupted run goes on, the table tells all of them, their models are raced, on held-out hardware too
set -eu
fail() { echo "$*"; tail -20 "$WORK/log"; exit 1; }
"$TLM" collect --records "$WORK/train.db" --workloads 3 --sources random:28 --variants native-1 --seed 5 2>"$WORK/log" || fail "collect"
study="$WORK/study"
run() { exec tools/study.sh --records "$WORK/train.db" lm/data/dev.records.xz --out "$study" --seeds 1 --fraction 1 "$@" >"$WORK/table.md" 2>"$WORK/log"; }
train() { (run "$@"); }

# The second command finds the first one's row done.
train --steps 2 --row base || fail "base is not trained"
before=$(cksum "$study"/base/1/*.json* "$study/base/1/model.safetensors")
train --steps 2 --row base --row blind-all || fail "blind-all is not trained"
grep -q 'base/1 is done' "$WORK/log" || fail "base is trained again"
[ "$before" = "$(cksum "$study"/base/1/*.json* "$study/base/1/model.safetensors")" ] || fail "base has changed"
tools/study.sh --out "$study" --table | tee "$WORK/again.md"
cmp "$WORK/table.md" "$WORK/again.md"
python3 - "$WORK/table.md" <<'PY'
import sys
rows = [[c.strip() for c in line.strip("| \n").split("|")] for line in open(sys.argv[1])][2:]
assert [r[0] for r in rows] == ["base", "blind-all"], rows
for r in rows:
    assert r[2] == "1" and float(r[3]) > 0 and float(r[4]) > 0 and 0 < float(r[6]) <= 1, r
assert rows[0][3:5] != rows[1][3:5], "a model that reads no number has the same loss"
PY

# Interrupted after some steps: exit code 130, and the same command ends in the weights of a run in one go.
steps=24
train --steps $steps --row numbers-decimal || fail "numbers-decimal is not trained"
mv "$study/numbers-decimal" "$WORK/whole"
(run --steps $steps --row numbers-decimal) & pid=$!  # exec: the process is the script itself
while [ ! -s "$study/numbers-decimal/1/metrics.jsonl" ]; do kill -0 $pid 2>/dev/null || fail "it ended early"; sleep 0.1; done
pkill -INT -P $pid
code=0
wait $pid || code=$?
[ $code -eq 130 ] || fail "interrupted: exit code $code"
done_before=$(wc -l <"$study/numbers-decimal/1/metrics.jsonl")
[ "$done_before" -lt $steps ] || fail "it was done before the interrupt"
cp "$study/numbers-decimal/1/metrics.jsonl" "$WORK/before.jsonl"
train --steps $steps --row numbers-decimal || fail "it does not go on"
head -"$done_before" "$study/numbers-decimal/1/metrics.jsonl" | cmp - "$WORK/before.jsonl"
cmp "$WORK/whole/1/model.safetensors" "$study/numbers-decimal/1/model.safetensors"
echo "interrupted after $done_before of $steps steps: the same weights"

# Races, of two workloads.
list=lm/data/dev_workloads.jsonl
only() { for i in 1 2; do printf -- '--only\n%s\n' "$(sed -n "${i}p" $list | python3 -c 'import json, sys; print(json.load(sys.stdin)["name"])')"; done; }
mapfile -t two < <(only)
tools/study.sh --out "$study" --seeds 1 --race -- "${two[@]}" --rounds 7 >"$WORK/race.md" 2>"$WORK/log" || fail "the race"
grep -q '^| numbers-decimal | 1 ' "$WORK/race.md" || fail "the race lacks a row"
tools/study.sh --out "$study" --seeds 1 --decoding "$study/base/1" -- "${two[@]}" --rounds 7 >"$WORK/decoding.md" 2>"$WORK/log" || fail "the race of strategies"
for name in "greedy" "beam:n=4" "gumbel k=10" "sampling k=10" "beam k=10"; do
  grep -q "^| lm $name |" "$WORK/decoding.md" || fail "the race of strategies lacks '$name'"
done
hardware() { tools/study.sh --out "$study" --seeds 1 --hardware -- "${two[@]}" --rounds 7; }
if ! hardware >"$WORK/hardware.md" 2>"$WORK/log"; then
  grep -q 'this machine has no variant' "$WORK/log" || fail "the race on held-out hardware"
  echo "this machine is none of the held-out variants: not raced there"
  exit 0
fi
[ "$(grep -c '^| base target unknown | 1 ' "$WORK/hardware.md")" -eq 3 ] || fail "three variants were to be raced"
hardware >"$WORK/again.md" 2>"$WORK/log" || fail "the same race once more"
cmp "$WORK/hardware.md" "$WORK/again.md"
echo "raced on $(ls "$study/hardware" | tr '\n' ' ')"

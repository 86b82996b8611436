#!/bin/bash
# One command remakes data, weights and table: the whole chain with tiny sizes, interrupted once, then it goes on; another time nothing is left to do
set -eu
export TMPDIR="$WORK/tmp"
out="$WORK/made" lists="$WORK/lists"
mkdir -p "$TMPDIR" "$lists"
# Small workloads of the committed lists; nothing is learned from any that they hold.
cp lm/data/network_workloads.jsonl "$lists"
grep -E '"name":"(random-products 10|head 39|random-chain 19)"' lm/data/test_workloads.jsonl >"$lists/test_workloads.jsonl"
head -2 lm/data/dev_workloads.jsonl >"$lists/dev_workloads.jsonl"
tests=$(wc -l <"$lists/test_workloads.jsonl")
[ "$tests" -eq 3 ]

sizes=(DATA="$lists" WORKLOADS="2 3" SEEDS="1 1" STEPS="2 2" PRETRAIN="4 4" TAUGHT="3 3" ENOUGH=2 K=2 TRIALS=6
  FIRST=random:4,search:4,confirm:2 LATER=constructive:2,lm:4,confirm:2 DEV=random:10,confirm:2)
remake() { exec "$@" tools/remake.sh all "$out" "${sizes[@]}" >"$WORK/table" 2>"$WORK/log"; }
count() { "$TLM" records export "$out/train.db" | wc -l; }

# Interrupted in the second round, with the first one's model in the loop.
remake setsid & pid=$!  # a group of its own, for the signal
trap 'kill -KILL -- -$pid 2>/dev/null || true' EXIT
while [ ! -e "$out/round-1/MODEL_CARD.md" ]; do
  kill -0 $pid 2>/dev/null || { cat "$WORK/log"; exit 1; }
  sleep 0.1
done
before=$(count)
sleep 1
kill -INT -- -$pid
code=0
wait $pid || code=$?
[ $code -eq 130 ] || { cat "$WORK/log"; echo "interrupted: exit code $code"; exit 1; }
[ ! -e "$out/final/MODEL_CARD.md" ] || { echo "it was done already"; exit 1; }
stood=$(count)
[ "$stood" -ge "$before" ] || { echo "$before records, then $stood"; exit 1; }

(remake) || { cat "$WORK/log"; exit 1; }
[ "$(count)" -gt "$stood" ]
for file in round-1/model.safetensors final/model.safetensors final/config.json final/language.json final/metrics.jsonl train.records.xz dev.records.xz; do
  [ -s "$out/$file" ] || { echo "no $file"; exit 1; }
done
grep -q 'On dev after step [0-9]* ([1-9]' "$out/final/MODEL_CARD.md"
grep -q -- '--pretrain 4 --taught 3' "$out/final/MODEL_CARD.md"
[ "$(wc -l <"$out/reference.jsonl")" -eq "$tests" ]
tail -n "$(wc -l <"$out/race/table.md")" "$WORK/table" | cmp - "$out/race/table.md"
grep -q 'lm k=2' "$out/race/table.md"
# What was packed is what was measured, with the model of the first round among the sources.
"$TLM" records import "$WORK/unpacked.db" "$out/train.records.xz" 2>/dev/null
"$TLM" records export "$WORK/unpacked.db" >"$WORK/packed.jsonl"
"$TLM" records export "$out/train.db" | cmp - "$WORK/packed.jsonl"
grep -q '"origin":"lm round-1"' "$WORK/packed.jsonl"
# The weights follow from the packed records and the command of the card.
flags=$(sed -n 's/^tlm train \(.*\) --out FOLDER$/\1/p' "$out/final/MODEL_CARD.md")
[ -n "$flags" ]
"$TLM" train $flags --out "$WORK/again" >/dev/null 2>"$WORK/train.log" || { cat "$WORK/train.log"; exit 1; }
cmp "$WORK/again/model.safetensors" "$out/final/model.safetensors"

# Once more: nothing is measured or learned, the table is the same.
cksum "$out"/*/model.safetensors "$out"/*.xz "$out"/race/* "$out"/reference.jsonl >"$WORK/sums"
(remake) || { cat "$WORK/log"; exit 1; }
cksum "$out"/*/model.safetensors "$out"/*.xz "$out"/race/* "$out"/reference.jsonl | cmp - "$WORK/sums"
code=0
tools/remake.sh all "$out" "${sizes[@]}" STEPS="3 3" 2>"$WORK/err" || code=$?
[ $code -eq 2 ]
grep -q 'begun with other sizes' "$WORK/err"
echo "interrupted after $stood records, done with $(count): weights, card, reference and a table of $tests workloads"

#!/bin/bash
# A training that is killed at random moments and resumed ends in the same weights as one that ran through, byte for byte
set -eu
db="$WORK/r.db"
"$TLM" collect --records "$db" --workloads 10 --sources random:10 --variants native-1 --seed 5 2>"$WORK/log" || { cat "$WORK/log"; exit 1; }
train() { exec "$TLM" train --records "$db" --layers 2 --heads 2 --width 64 --epochs 500 --batch 2048 --pretrain 40 --taught 30 --enough 5 --seed 3 "$@"; }

(train --out "$WORK/whole") >/dev/null 2>"$WORK/log" || { cat "$WORK/log"; exit 1; }
steps=$(wc -l <"$WORK/whole/metrics.jsonl")
[ "$steps" -ge 60 ] || { echo "only $steps steps: too few to be killed in"; exit 1; }

# A state after every third step: most kills come in the middle of one, or of a step.
RANDOM=11
kills=0 stood=0
while :; do
  train --out "$WORK/killed" --resume --checkpoint-steps 3 --threads $((1 + kills % 2)) >/dev/null 2>"$WORK/log" & pid=$!
  sleep "$((RANDOM % 2)).$((4 + RANDOM % 6))"
  kill -9 $pid 2>/dev/null || { wait $pid || { cat "$WORK/log"; exit 1; }; break; }
  wait $pid 2>/dev/null || true
  kills=$((kills + 1))
  # What was kept stays.
  now=$(ls "$WORK/killed" 2>/dev/null | sed -n 's/^checkpoint-//p' | sort -n | tail -1)
  [ "${now:-0}" -ge "$stood" ] || { echo "kill $kills: the state after $stood steps is gone"; exit 1; }
  stood=${now:-0}
  if [ $kills -ge 60 ]; then (train --out "$WORK/killed" --resume) >/dev/null 2>"$WORK/log"; break; fi
done
[ $kills -ge 4 ] || { echo "killed only $kills times"; exit 1; }

for file in model.safetensors config.json language.json "checkpoint-$steps/model.safetensors" "checkpoint-$steps/optimizer.safetensors"; do
  cmp "$WORK/whole/$file" "$WORK/killed/$file"
done
[ "$(wc -l <"$WORK/killed/metrics.jsonl")" -eq "$steps" ] || { echo "metrics of other steps"; exit 1; }
ls "$WORK/killed" | grep -q "^checkpoint-$steps\$"
[ "$(ls -A "$WORK/killed" | grep -c checkpoint)" -eq 1 ] || { echo "states are left behind"; exit 1; }

# Interrupted: exit code 130, a state is kept, and the rest is the same.
(train --out "$WORK/stopped") >/dev/null 2>"$WORK/log" & pid=$!
while [ ! -s "$WORK/stopped/metrics.jsonl" ]; do sleep 0.1; done
kill -INT $pid
code=0
wait $pid || code=$?
[ $code -eq 130 ] || { echo "interrupted: exit code $code"; exit 1; }
ls "$WORK/stopped" | grep -q '^checkpoint-'
"$TLM" train --out "$WORK/stopped" --resume >/dev/null 2>"$WORK/log" || { cat "$WORK/log"; exit 1; }
cmp "$WORK/whole/model.safetensors" "$WORK/stopped/model.safetensors"
echo "$steps steps, $kills kills, one interruption: the same weights"

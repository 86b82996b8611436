#!/bin/bash
# How the shipped model and its table are made again.
#   tools/remake.sh table [FOLDER]             a fresh race of the shipped weights beside the stored reference, about ten minutes (FOLDER: build/remake);
#                                              what a race before left there moves to race-DATE
#   tools/remake.sh all FOLDER [NAME=VALUE …]  programs measured in rounds, packed; weights, reference, table: everything anew, some ten hours of a quiet machine
# Interrupted, the same command goes on. TLM names the program (default build/bin/tlm). docs/training.md and docs/evaluation.md say what each step does.
# NAME=VALUE replaces one of the sizes below, for a smaller chain of the same steps (tools/acceptance/lm-remake.sh).
set -eu
cd "$(dirname "$0")/.."
tlm=${TLM:-build/bin/tlm}
fail() { echo "remake: $1" >&2; exit 2; }
usage() { sed -n "2,7s/^# *//p" "$0" >&2; fail "$1"; }

# A word for each round: its workloads and their seed, then the model that learns from this round and those before.
WORKLOADS="800 1600 1000"
SEEDS="1 1 2"
STEPS="1000 3000 9000"
PRETRAIN="6000 20000 20000"
TAUGHT="6000 24000 60000"
SIZE=small
ENOUGH=24
# Programs of each workload: in the first round, later with the model of the round before, and of dev.
FIRST=random:8,constructive:6,search:34,confirm:2
LATER=random:4,constructive:4,lm:12,search:16,confirm:4
DEV=random:8,constructive:8,search:72,confirm:4
# Of the reference, and what contenders of the race may measure.
TRIALS=1000
K=10
# Lists of workloads.
DATA=lm/data
sizes="WORKLOADS SEEDS STEPS PRETRAIN TAUGHT SIZE ENOUGH FIRST LATER DEV TRIALS K DATA"

case "${1:-}" in
  table)
    race=${2:-build/remake}/race
    [ ! -e "$race/table.md" ] || mv "$race" "$race-$(date -r "$race/table.md" +%Y%m%d-%H%M%S)"
    exec "$tlm" eval --race -o "$race"
    ;;
  all) out=${2:-} ;;
  *) usage "table or all" ;;
esac
[ -n "$out" ] || usage "all needs a FOLDER"
for size in "${@:3}"; do
  case " $sizes " in *" ${size%%=*} "*) ;; *) fail "no size is called '${size%%=*}': $sizes" ;; esac
  [[ $size == *=?* ]] || fail "NAME=VALUE, not '$size'"
  printf -v "${size%%=*}" %s "${size#*=}"
done
read -ra workloads <<<"$WORKLOADS"
read -ra seeds <<<"$SEEDS"
read -ra steps <<<"$STEPS"
read -ra pretrain <<<"$PRETRAIN"
read -ra taught <<<"$TAUGHT"
rounds=${#workloads[@]}
for of in ${#seeds[@]} ${#steps[@]} ${#pretrain[@]} ${#taught[@]}; do
  [ "$of" -eq "$rounds" ] || fail "WORKLOADS, SEEDS, STEPS, PRETRAIN and TAUGHT must have one word for each round"
done

mkdir -p "$out"
chosen=$(for name in $sizes; do echo "$name=${!name}"; done)
[ -e "$out/sizes" ] || echo "$chosen" >"$out/sizes"
[ "$chosen" = "$(cat "$out/sizes")" ] || fail "$out was begun with other sizes ($out/sizes)"

step() { echo "remake: $*" >&2; }
collect() { "$tlm" collect --data "$DATA" "$@"; }
learn() {  # name of the model, its round, then the files of records
  local name=$1 i=$2 files=()
  for file in "${@:3}"; do files+=(--records "$file"); done
  step "$name: ${steps[i]} steps, ${taught[i]} shapes by the teacher"
  "$tlm" train --data "$DATA" "${files[@]}" --out "$out/$name" --resume --config "$SIZE" --steps "${steps[i]}" --pretrain "${pretrain[i]}" --taught "${taught[i]}" --enough "$ENOUGH"
}
is_done() { [ -e "$out/$1/MODEL_CARD.md" ]; }

# What a round's model learns from must not grow while it learns: the next round is measured when it is done, and this one not again.
for ((i = 0; i < rounds; ++i)); do
  name=round-$((i + 1))
  last=$((i == rounds - 1))
  [ $last -eq 0 ] || name=final
  if is_done "$name"; then continue; fi
  if [ $i -eq 0 ]; then
    step "dev: $DEV"
    collect --records "$out/dev.db" --split dev --seed "${seeds[0]}" --sources "$DEV"
    from=(--sources "$FIRST")
  else
    from=(--sources "$LATER" --model "$out/round-$i")
  fi
  step "round $((i + 1)): ${workloads[i]} workloads"
  collect --records "$out/train.db" --seed "${seeds[i]}" --workloads "${workloads[i]}" "${from[@]}"
  if [ $last -eq 0 ]; then
    learn "$name" $i "$out/train.db" "$out/dev.db"
  else
    for set in train dev; do "$tlm" records export "$out/$set.db" -o "$out/$set.records.xz"; done
    learn "$name" $i "$out/train.records.xz" "$out/dev.records.xz"
  fi
done

step "reference: $TRIALS trials"
"$tlm" eval --reference --data "$DATA" --records "$out/reference.db" --trials "$TRIALS" -o "$out/reference.jsonl"
step "race"
"$tlm" eval --race --data "$DATA" --model lm="$out/final" --training "$out/train.records.xz" --against "$out/reference.jsonl" --k "$K" -o "$out/race"

#!/bin/bash
# How the shipped model and its table are made again.
#   tools/remake.sh table [FOLDER]   a fresh race of the shipped weights beside the stored reference, about ten minutes (FOLDER: build/remake)
#   tools/remake.sh all FOLDER       programs measured in rounds, weights, reference, table: everything anew, some ten hours of a quiet machine
# Interrupted, the same command goes on. TLM names the program (default build/bin/tlm). docs/training.md and docs/evaluation.md say what each step does.
set -eu
cd "$(dirname "$0")/.."
tlm=${TLM:-build/bin/tlm}
case "${1:-}" in
  table) exec "$tlm" eval --race -o "${2:-build/remake}/race" ;;
  all) out=${2:?"remake: all FOLDER"} ;;
  *) sed -n '2,5s/^# *//p' "$0" >&2; exit 2 ;;
esac
mkdir -p "$out"

# What a round's model learns from must not grow while it learns: its training is finished before the next round is measured.
train() {  # name, then flags
  [ -e "$out/$1/model.safetensors" ] || "$tlm" train --records "$out/train.db" --out "$out/$1" --resume "${@:2}"
}
later=random:4,constructive:4,lm:12,search:16,confirm:4
"$tlm" collect --records "$out/train.db" --seed 1 --workloads 800 --sources random:8,constructive:6,search:34,confirm:2
train round-1 --config small --steps 1000 --taught 6000
"$tlm" collect --records "$out/train.db" --seed 1 --workloads 1600 --sources $later --model "$out/round-1"
train round-2 --config small --steps 3000 --taught 24000
"$tlm" collect --records "$out/train.db" --seed 2 --workloads 1000 --sources $later --model "$out/round-2"
train final --config small --steps 9000 --taught 60000

"$tlm" eval --reference --records "$out/reference.db" -o "$out/reference.jsonl"
"$tlm" eval --race --model lm="$out/final" --training "$out/train.db" --against "$out/reference.jsonl" -o "$out/race"

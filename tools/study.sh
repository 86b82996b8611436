#!/bin/bash
# The study of training recipes: one change each to a small model on a fifth of the records, three seeds, judged on dev.
#   tools/study.sh --records FILE… --out FOLDER            trains every row that is not done, then tells how each does on dev
#   tools/study.sh --list                                  the rows, each with the flags that make it
#   tools/study.sh --records FILE… --out FOLDER --row NAME …   these rows alone (may be repeated)
#   tools/study.sh --out FOLDER --table                    the figures of the runs that are done, as Markdown
#   tools/study.sh --out FOLDER --race                     a fresh race of all models on the dev list, nothing measured before (k = 1)
#   tools/study.sh --out FOLDER --hardware                 the base's models on hardware that they never saw, beside themselves told nothing of it
#   tools/study.sh --out FOLDER --decoding MODEL           how a model writes: greedy, beam; with ten measured: draws, beam
# --steps N (default 1000), --seeds N (3), --fraction SHARE (0.2), --data FOLDER (of the lists, lm/data). TLM names the program (default build/bin/tlm).
# Races: --best-of FILE (the best of these records is the reference, not the fastest of the race); what follows -- goes to `tlm eval`.
# A run is a folder, FOLDER/ROW/SEED. Interrupted, the same command goes on; what is done is not done again.
set -eu
tlm=${TLM:-build/bin/tlm}

# name | what is changed | flags
rows() {
  cat <<'ROWS'
base|good programs by their gaps, no quality said; legal loss; bits|
quality-token|quality said, all programs alike|--quality token
quality-both|quality said, the best drawn more often|--quality both
quality-even|the best programs alone, evenly|--soft 0
said|no number withheld|--withheld 0
taught|beside them schedules of 4,000 shapes by the teacher|--taught 4000
loss-all|loss over all words|--loss all
pretrain|first constructive sentences of 20,000 shapes|--pretrain 20000 --pretrain-epochs 1
blind-extents|prompts without extents and strides|--blind extents
blind-target|prompts without the target's numbers|--blind target
blind-all|prompts without any number|--blind all
numbers-decimal|numbers in decimal digits|--numbers decimal
data-quarter|a quarter of the workloads|--fraction QUARTER
data-half|half of the workloads|--fraction HALF
size-quarter|a quarter of the parameters|--layers 3 --heads 4 --width 64
no-depthwise|nothing learned of depthwise windows|--leave-out-kind depthwise
no-window|nothing learned of 3×3 windows over channels|--leave-out-kind window
ROWS
}

records=() only=() out="" steps=1000 seeds=3 fraction=0.2 action=train failed=0 data=() model="" eval=()
while [ $# -gt 0 ]; do
  case $1 in
    --records) shift; while [ $# -gt 0 ] && [[ $1 != --* ]]; do records+=("$1"); shift; done; continue ;;
    --out) out=$2; shift ;;
    --row) only+=("$2"); shift ;;
    --steps) steps=$2; shift ;;
    --seeds) seeds=$2; shift ;;
    --fraction) fraction=$2; shift ;;
    --data) data=(--data "$2"); shift ;;
    --list) action=list ;;
    --table) action=table ;;
    --race) action=race ;;
    --hardware) action=hardware ;;
    --decoding) action=decoding model=$2; shift ;;
    --best-of) eval+=(--best-of "$2"); shift ;;
    --) shift; eval+=("$@"); break ;;
    *) echo "study: unknown option $1" >&2; sed -n '2,12s/^# *//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
for name in "${only[@]+"${only[@]}"}"; do
  rows | grep -q "^$name|" || { echo "study: no row is called $name (tools/study.sh --list)" >&2; exit 2; }
done

# flags_of SEED FLAGS: all flags of a row; what the row says replaces what all have.
flags_of() {
  local extra=$2
  extra=${extra/QUARTER/$(python3 -c "print($fraction / 4)")}
  extra=${extra/HALF/$(python3 -c "print($fraction / 2)")}
  local flags="--config small --steps $steps --fraction $fraction --validations 4 --seed $1"
  python3 - "$flags" "$extra" <<'PY'
import sys
base, extra = sys.argv[1].split(), sys.argv[2].split()
said = set(extra[::2])
print(" ".join(f"{k} {v}" for k, v in zip(base[::2], base[1::2]) if k not in said), *extra)
PY
}

case $action in
  list)
    rows | while IFS='|' read -r name what extra; do printf '%-16s %-64s %s\n' "$name" "$what" "$(flags_of 1 "$extra")"; done
    exit ;;
  table | race | hardware | decoding) [ -n "$out" ] || { echo "study: --out FOLDER" >&2; exit 2; } ;;
  train) [ -n "$out" ] && [ ${#records[@]} -gt 0 ] || { echo "study: --records FILE… --out FOLDER" >&2; exit 2; } ;;
esac

table() {
  rows | python3 -c '
import json, os, statistics, sys
out = sys.argv[1]
print("| row | change | runs | dev loss | loss of the best | choices foretold | pick | train s |")
print("|---|---|---|---|---|---|---|---|")
for line in sys.stdin:
    name, what, _ = line.rstrip("\n").split("|")
    runs = []
    for seed in sorted(os.listdir(os.path.join(out, name))) if os.path.isdir(os.path.join(out, name)) else []:
        folder = os.path.join(out, name, seed)
        if os.path.exists(os.path.join(folder, "MODEL_CARD.md")):
            lines = [json.loads(l) for l in open(os.path.join(folder, "metrics.jsonl"))]
            runs.append(([l["dev"] for l in lines if "dev" in l][-1], lines[-1]["seconds"]))
    if not runs: continue
    def cell(key, scale=1, digits=3):
        values = [scale * dev[key] for dev, _ in runs]
        spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
        return f"{statistics.mean(values):.{digits}f}{spread}"
    seconds = statistics.mean(s for _, s in runs)
    cells = [name, what, str(len(runs)), cell("loss"), cell("best_loss"), cell("accuracy", 100, 1) + " %", cell("pick"), f"{seconds:.0f}"]
    print("| " + " | ".join(cells) + " |")
' "$out"
}

# race FOLDER FLAGS…: a fresh race on dev among models alone.
race() {
  "$tlm" eval --race "${data[@]+"${data[@]}"}" --split dev --no-rivals "${@:2}" "${eval[@]+"${eval[@]}"}" -o "$1"
}

# models_of ROW…: into `models`, the flags that name the models of these rows that are trained.
models_of() {
  models=()
  local name seed
  for name in "$@"; do
    for seed in $(seq "$seeds"); do
      [ ! -e "$out/$name/$seed/MODEL_CARD.md" ] || models+=(--model "$name/$seed=$out/$name/$seed")
    done
  done
  [ ${#models[@]} -gt 0 ] || { echo "study: no model is trained in $out" >&2; exit 2; }
}

case $action in
  table) table; exit ;;
  race)
    mapfile -t names < <(rows | cut -d'|' -f1)
    models_of "${names[@]}"
    race "$out/race" --k 1 "${models[@]}"
    exit ;;
  hardware)  # the variants that are held out of training
    models_of base
    for variant in avx-1 avx-2 avx2-8-2; do
      printf '## %s\n\n' "$variant"
      race "$out/hardware/$variant" --k 1 --variant "$variant" --blind-target "${models[@]}"
      echo
    done
    exit ;;
  decoding)
    race "$out/decoding" --decode greedy --decode beam:n=4 --k 10 --decode-k gumbel --decode-k sampling --decode-k beam --model "lm=$model"
    exit ;;
esac

files=()
for file in "${records[@]}"; do files+=(--records "$file"); done
while IFS='|' read -r name what extra; do
  if [ ${#only[@]} -gt 0 ] && [[ " ${only[*]} " != *" $name "* ]]; then continue; fi
  for seed in $(seq "$seeds"); do
    folder="$out/$name/$seed"
    if [ -e "$folder/MODEL_CARD.md" ]; then echo "study: $name/$seed is done" >&2; continue; fi
    mkdir -p "$folder"
    echo "study: $name/$seed: $what" >&2
    "$tlm" train "${files[@]}" "${data[@]+"${data[@]}"}" --out "$folder" --resume $(flags_of "$seed" "$extra") </dev/null >"$folder/out.txt" && continue
    status=$?
    [ $status -ne 130 ] || exit 130
    echo "study: $name/$seed failed" >&2
    failed=$((failed + 1))
  done
done < <(rows)
table
[ $failed -eq 0 ] || { echo "study: $failed runs failed" >&2; exit 1; }

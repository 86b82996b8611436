#!/bin/bash
# Zoo resnet50 on 2 cores: package in 5 s, LM in 0.5 s of them, no fallbacks; 61 times as fast as its search, latency at most 1.1 times the search's
set -eu
for f in lm/data/reference.jsonl lm/pretrained/model.safetensors; do
  [ -e "$f" ] || { echo "there is no $f yet"; exit 77; }
done
[ "$(nproc)" -ge 2 ] || { echo "this machine has one core"; exit 77; }
taskset -c 0,1 python3 bench/lm/search_beside_model.py --tlm "$TLM" --out "$WORK/out" 2>"$WORK/log" || {
  cat "$WORK/log"
  grep -q 'has no reference on this machine' "$WORK/log" && exit 77  # another machine than the reference's
  exit 1
}
python3 - "$WORK/out/compile.json" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
bars = [("ONNX to package, s", r["model"]["compile_s"], "<=", 5), ("of which the language model, s", r["model"]["lm_ms"] / 1e3, "<=", 0.5),
        ("subgraphs that fell back", len(r["model"]["fallbacks"]), "<=", 0), ("search / compilation, wall-clock", r["wall_clock_ratio"], ">=", 61),
        ("latency / the search's", r["latency_ratio"], "<=", 1.1)]
failed = 0
for name, value, sign, bar in bars:
    met = value <= bar if sign == "<=" else value >= bar
    failed += not met
    print(f"{'met' if met else 'MISSED':6} {name}: {value:.4g}, wanted {sign} {bar}")
sys.exit(failed > 0)
PY

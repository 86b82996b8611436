#!/bin/bash
# The LM's packages, nothing measured, 2 cores, beside the faster of onnxruntime and OpenVINO: resnet50 <= 0.9, mobilenet_v2 and squeezenet <= 1.05
set -eu
[ -e lm/pretrained/model.safetensors ] || { echo "there is no lm/pretrained/model.safetensors yet"; exit 77; }
[ "$(nproc)" -ge 2 ] || { echo "this machine has one core"; exit 77; }
python=${PYTHON:-$([ -x peers/bin/python ] && echo peers/bin/python || echo python3)}
"$python" -c 'import numpy, onnx, onnxruntime, openvino' 2>/dev/null || {
  echo "$python lacks the other engines: bench/peers/README.md, then PYTHON=peers/bin/python"
  exit 77
}
PYTHON=$python TLM_BUILD=build WORK="$WORK/peers" NETWORKS="resnet50 mobilenet_v2 squeezenet" THREADS=2 TLM_MODELS="" DOCS="" \
  bench/peers/run.sh 2>"$WORK/log" || { tail -20 "$WORK/log"; exit 1; }
PYTHONPATH=bench/peers python3 - "$WORK/peers/results.json" <<'PY'
import json, sys
import report
bars = {"resnet50": 0.9, "mobilenet_v2": 1.05, "squeezenet": 1.05}
results = {r["model"]: r for r in json.load(open(sys.argv[1]))["results"]}
failed = 0
for model, bar in bars.items():
    r = results[model]
    ms = report.columns(r)
    ratio = ms["tlm default"] / report.fastest_peer(ms)
    chosen = r["chosen_by"]["tlm default"]
    met = ratio <= bar and chosen["scheduler"] == "lm" and chosen["fallbacks"] == 0
    failed += not met
    print(f"{'met' if met else 'MISSED':6} {model}: {ratio:.3f} of the faster peer, wanted <= {bar}; chosen by {chosen}; "
          f"others kept {r['foreign_load']:.2f} cores busy")
sys.exit(failed > 0)
PY

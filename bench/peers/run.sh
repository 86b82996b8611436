#!/bin/sh
# Compiles the networks, compares them with the other engines and writes table and plot into docs/performance.md.
#   PYTHON        an interpreter with requirements.txt installed (default: python3)
#   TLM_BUILD     the build folder (default: build); needs the targets tlm and tlm_runtime
#   WORK          where models, packages and results go (default: $TLM_BUILD/peers)
#   TLM_MODELS    a folder of NAME/model.onnx with NAME/test_data_set_0, compared as well (default: ../shared/data/models if there)
#   NETWORKS      of the zoo (default: resnet50 mobilenet_v2 squeezenet bert_layer)
#   THREADS       default: "1 2"
#   SEARCH        options of `tlm compile` for a second, searched package, as "--scheduler search --trials 300 --records r.db";
#                 unset: no such column. A searched package that is there is kept: remove it to search again.
#   BUSY          1: publish although other programs kept the machine busy (the page says how much)
#   DOCS          the page (default: docs/performance.md); empty: results.json only
# Further arguments go to compare.py, as --rounds 15.
set -eu
cd "$(dirname "$0")/../.."
build=${TLM_BUILD:-build}
work=${WORK:-$build/peers}
python=${PYTHON:-python3}
threads=${THREADS:-1 2}
models=${TLM_MODELS-../shared/data/models}
tlm=$build/bin/tlm
mkdir -p "$work"

list=
for net in ${NETWORKS-resnet50 mobilenet_v2 squeezenet bert_layer}; do
  [ -f "$work/$net.onnx" ] || "$tlm" zoo "$net" -o "$work/$net.onnx"
  list="$list $net=$work/$net.onnx"
done
if [ -n "$models" ] && [ -d "$models" ]; then
  for model in "$models"/*/model.onnx; do
    name=$(basename "$(dirname "$model")")
    # The zoo's networks keep their names.
    case " $list" in *" $name="*) name="${name}_file" ;; esac
    list="$list $name=$model"
  done
fi
for entry in $list; do
  name=${entry%%=*}
  for t in $threads; do
    "$tlm" compile "${entry#*=}" -o "$work/$name.t$t.tlm" --threads "$t" --report "$work/$name.t$t.json"
    # shellcheck disable=SC2086
    if [ -n "${SEARCH:-}" ] && [ ! -f "$work/$name.t$t.searched.tlm" ]; then
      "$tlm" compile "${entry#*=}" -o "$work/$name.t$t.searched.tlm" --threads "$t" --report "$work/$name.t$t.searched.json" $SEARCH
    fi
  done
done
# shellcheck disable=SC2086
"$python" bench/peers/compare.py --tlm-library "$build/core/libtlm_runtime.so" --packages "$work" --json "$work/results.json" \
  --threads "$(echo $threads | tr ' ' ',')" "$@" $list
docs=${DOCS-docs/performance.md}
[ -z "$docs" ] || "$python" bench/peers/report.py "$work/results.json" --docs "$docs" ${BUSY:+--busy}

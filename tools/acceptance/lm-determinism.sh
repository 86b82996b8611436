#!/bin/bash
# The language model's schedules and packages: the same on 1 and 2 threads, on repeated runs, alone and in any batch, for every instruction set
set -eu
networks="resnet50 mobilenet_v2 squeezenet bert_layer"
build/bin/test_lm_decoding --gtest_filter='Decoder.*'
build/bin/test_lm_shipped --gtest_filter='ShippedWeights.WriteTheSameWithEveryInstructionSet'
# Packages, byte for byte, from the baseline, AVX2 and AVX-512 forms of the model: a small one, and the one that is built in.
TLM_NETWORKS=$networks build/bin/test_engine --gtest_filter='InstructionSets.*'
"$TLM" train --out "$WORK/m" --steps 0 >/dev/null 2>&1
for net in $networks; do "$TLM" zoo "$net" -o "$WORK/$net.onnx"; done

compiles_the_same() {  # with the options in `model`; none: the one that is built in
  for net in $networks; do
    lm() {  # name of the output, then options
      "$TLM" compile "$WORK/$net.onnx" -o "$WORK/$1.tlm" --scheduler lm "${model[@]}" --emit-schedules "$WORK/$1.schedules" "${@:2}" 2>/dev/null
    }
    lm one --jobs 1 --no-cache
    lm two --jobs 2 --no-cache
    lm again
    lm drawn --jobs 1 --decode sampling:n=3 --seed 5
    lm drawn-again --jobs 2 --decode sampling:n=3 --seed 5
    for same in "one two" "one again" "drawn drawn-again"; do
      set -- $same
      cmp "$WORK/$1.tlm" "$WORK/$2.tlm"
      cmp "$WORK/$1.schedules" "$WORK/$2.schedules"
    done
    if cmp -s "$WORK/one.schedules" "$WORK/drawn.schedules"; then exit 1; fi
    echo "$net, ${model[*]:-the built-in weights}: the same package from one thread, two, and again"
  done
}
model=(--model "$WORK/m")
compiles_the_same
if [ -e lm/pretrained/model.safetensors ]; then
  model=()
  compiles_the_same
fi

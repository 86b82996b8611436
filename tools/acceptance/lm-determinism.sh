#!/bin/bash
# The language model's schedules and packages: the same on 1 and 2 threads, on repeated runs, alone and in any batch, for every instruction set
set -eu
build/bin/test_lm_decoding --gtest_filter='Decoder.*'
"$TLM" train --out "$WORK/m" --steps 0 >/dev/null 2>&1
for net in resnet50 mobilenet_v2 squeezenet bert_layer; do
  "$TLM" zoo "$net" -o "$WORK/net.onnx"
  lm() {  # name of the output, then options
    "$TLM" compile "$WORK/net.onnx" -o "$WORK/$1.tlm" --model "$WORK/m" --emit-schedules "$WORK/$1.schedules" "${@:2}" 2>/dev/null
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
  echo "$net: the same package from one thread, two, and again"
done

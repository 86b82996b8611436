#!/bin/bash
# Same package bytes for any --jobs, twice, in two folders, from replayed schedules; outputs bit-equal on 1, 2 and 4 threads
set -eu
mkdir -p "$WORK/a" "$WORK/b/deeper"
for net in tiny_cnn tiny_attention resnet50; do
  "$TLM" zoo $net -o "$WORK/a/$net.onnx"
  cp "$WORK/a/$net.onnx" "$WORK/b/deeper/"
  "$TLM" compile "$WORK/a/$net.onnx" -o "$WORK/a/$net.tlm" --jobs 1 --no-cache --emit-schedules "$WORK/$net.schedules" 2>/dev/null
  (cd "$WORK/b/deeper" && "$TLM" compile $net.onnx -o $net.tlm --jobs 4 2>/dev/null)
  cmp "$WORK/a/$net.tlm" "$WORK/b/deeper/$net.tlm"
  "$TLM" compile "$WORK/a/$net.onnx" -o "$WORK/again.tlm" --jobs 2 2>/dev/null
  cmp "$WORK/a/$net.tlm" "$WORK/again.tlm"
  "$TLM" compile "$WORK/a/$net.onnx" -o "$WORK/replayed.tlm" --scheduler random --seed 9 --schedules "$WORK/$net.schedules" 2>/dev/null
  cmp "$WORK/a/$net.tlm" "$WORK/replayed.tlm"
  for threads in 1 2 4; do "$TLM" run "$WORK/a/$net.tlm" --threads $threads --output-dir "$WORK/out$threads" >/dev/null 2>&1; done
  for f in "$WORK"/out1/*.npy; do
    cmp "$f" "$WORK/out2/$(basename "$f")"
    cmp "$f" "$WORK/out4/$(basename "$f")"
  done
  rm -rf "$WORK"/out? "$WORK/a/$net.tlm" "$WORK/b/deeper/$net.tlm"
  echo "$net: same bytes, same outputs"
done

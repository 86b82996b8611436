#!/bin/bash
# A v4 package is refused on a machine without AVX-512, by the feature's name
set -eu
"$TLM" zoo tiny_cnn -o "$WORK/net.onnx"
"$TLM" compile "$WORK/net.onnx" -o "$WORK/net.tlm" --target x86-64-v4 2>/dev/null
run="$TLM"
if grep -q avx512f /proc/cpuinfo; then
  command -v qemu-x86_64 >/dev/null || { echo "this machine has AVX-512 and no qemu-x86_64 to hide it"; exit 77; }
  run="qemu-x86_64 -cpu Haswell $TLM"
fi
status=0
$run run "$WORK/net.tlm" >"$WORK/out" 2>"$WORK/err" || status=$?
cat "$WORK/err"
[ $status -eq 5 ]
grep -q avx512 "$WORK/err"

# Builds the libFuzzer targets with clang and runs one. Sourced by the parts.
fuzz_build() {
  tools/setup.sh --fuzz
  cmake --preset fuzz -DTLM_TESTS=ON -Wno-dev >/dev/null
  cmake --build --preset fuzz --target fuzz_onnx fuzz_package | tail -1
}

# fuzz TARGET SEED: five minutes, beginning from the small files of the kind that this machine has.
fuzz() {
  local target=$1 seed=$2
  fuzz_build
  mkdir -p "$WORK/corpus"
  if [ "$target" = fuzz_onnx ] && [ -d /usr/share/libonnx-testdata/data/node ]; then
    local i=0
    for f in /usr/share/libonnx-testdata/data/node/*/model.onnx; do
      i=$((i + 1))
      [ "$(stat -c %s "$f")" -lt 4096 ] && cp "$f" "$WORK/corpus/$i.onnx"
    done
  fi
  [ "$target" = fuzz_package ] && cp tests/data/packages/* "$WORK/corpus/"
  "build-fuzz/bin/$target" -max_total_time=300 -seed="$seed" -rss_limit_mb=4096 -timeout=60 -max_len=20000 -artifact_prefix="$WORK/" \
    "$WORK/corpus" 2>&1 | tail -4
  return "${PIPESTATUS[0]}"
}

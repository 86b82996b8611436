# Builds the libFuzzer targets with clang and runs one. Sourced by the parts.
fuzz() {
  local target=$1 seed=$2
  command -v clang++-14 >/dev/null || command -v clang++ >/dev/null || { echo "clang is not installed"; exit 77; }
  cmake --preset fuzz -Wno-dev >/dev/null
  cmake --build --preset fuzz --target "$target"
  mkdir -p "$WORK/corpus"
  [ -d "tests/fuzz/corpus/$target" ] && cp -r "tests/fuzz/corpus/$target/." "$WORK/corpus/"
  "build-fuzz/bin/$target" -max_total_time=300 -seed="$seed" -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 "$WORK/corpus" 2>&1 | tail -15
  return "${PIPESTATUS[0]}"
}

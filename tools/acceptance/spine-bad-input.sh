#!/bin/bash
# Bad input: models, packages, compilers, full disks, interrupts: clear error, the right exit code, nothing partial
set -u
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# The table of refusals and the interrupts, the reader and the loader.
build/bin/test_tools --gtest_brief=1 || fail "test_tools"
build/bin/test_ir_onnx --gtest_brief=1 --gtest_filter='Hostile.*:ExternalData.*:TensorProto.*' || fail "test_ir_onnx"
build/bin/test_runtime --gtest_brief=1 || fail "test_runtime"

cd "$WORK" || exit 1
mkdir -p tmp out
export TMPDIR=$PWD/tmp XDG_CACHE_HOME=$PWD/cache

# expect CODE MESSAGE COMMAND…: the command ends so, says so, and leaves no temporary file.
expect() {
  local code=$1 message=$2 status=0
  shift 2
  timeout 120 "$@" >log 2>&1 </dev/null || status=$?
  [ $status -eq "$code" ] || fail "status $status instead of $code: $*: $(tail -3 log)"
  grep -qF -- "$message" log || fail "no '$message': $*: $(tail -3 log)"
  [ -z "$(ls -A tmp)" ] || fail "temporary files stay: $*: $(ls -A tmp)"
}
absent() { [ ! -e "$1" ] || fail "$1 was written"; }

"$TLM" zoo resnet50 -o resnet50.onnx && "$TLM" zoo tiny_cnn -o cnn.onnx || fail "zoo"
"$TLM" compile cnn.onnx -o cnn.tlm 2>/dev/null || fail "compile"

# Truncated at many places.
size=$(stat -c %s resnet50.onnx)
for part in 1 10 100 500 900 999; do
  head -c $((size / 1000 * part)) resnet50.onnx >cut.onnx
  expect 3 "at: cut.onnx" "$TLM" compile cut.onnx -o out/cut.tlm
  absent out/cut.tlm
done
# One larger than a model file can be, and little memory.
truncate -s 3G zeros.onnx && expect 3 "zeros.onnx" "$TLM" compile zeros.onnx -o out/zeros.tlm
rm -f zeros.onnx
(failures=0; ulimit -v 150000; expect 5 "" "$TLM" compile resnet50.onnx -o out/memory.tlm; exit $failures) || fail "little memory"
absent out/memory.tlm

# Interrupts of a long compilation, at random moments.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
  signal=$([ $((i % 2)) -eq 0 ] && echo INT || echo TERM)
  "$TLM" compile resnet50.onnx -o out/interrupted.tlm --no-cache --report out/report.json 2>log &
  pid=$!
  sleep "$((RANDOM % 3)).$((RANDOM % 9 + 1))"
  kill -"$signal" $pid 2>/dev/null
  status=0
  wait $pid || status=$?
  if [ $status -eq 0 ]; then rm -f out/*; continue; fi  # done before
  [ $status -eq 130 ] || fail "SIG$signal: status $status: $(tail -2 log)"
  [ -z "$(ls -A out)" ] || fail "SIG$signal: $(ls -A out) stays"
  [ -z "$(ls -A tmp)" ] || fail "SIG$signal: temporary files stay: $(ls -A tmp)"
  sleep 0.3
  left=$(grep -lza "^TMPDIR=$TMPDIR/" /proc/[0-9]*/environ 2>/dev/null)
  [ -z "$left" ] || fail "SIG$signal: compilers still run: $left"
done

# Disks that are full, read-only, or have no room for one more name: needs the right to mount.
mkdir -p disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
  trap 'umount "$WORK/disk" 2>/dev/null' EXIT
  head -c 100000 /dev/zero >disk/fill 2>/dev/null
  expect 5 "No space left on device" "$TLM" compile cnn.onnx -o disk/cnn.tlm
  expect 5 "No space left on device" "$TLM" compile cnn.onnx -o out/cnn.tlm --report disk/report.json
  expect 5 "No space left on device" env TMPDIR="$PWD/disk" "$TLM" compile cnn.onnx -o out/temp.tlm --no-cache
  absent out/temp.tlm
  expect 5 "No space left on device" "$TLM" zoo tiny_cnn -o disk/zoo.onnx
  expect 5 "No space left on device" "$TLM" bench cnn.tlm --repeat 1 --json disk/bench.json
  expect 0 "wrote out/cache.tlm" env XDG_CACHE_HOME="$PWD/disk" "$TLM" compile cnn.onnx -o out/cache.tlm
  cmp -s out/cache.tlm cnn.tlm || fail "another package with a full cache"
  [ "$(find disk -type f | sort | tr '\n' ' ')" = "disk/fill " ] || fail "on the full disk stay: $(find disk -type f)"
  umount disk
  mount -t tmpfs -o size=64k,ro tmpfs disk
  expect 5 "Read-only file system" "$TLM" compile cnn.onnx -o disk/cnn.tlm
  expect 5 "set TMPDIR to a folder that can be written" env TMPDIR="$PWD/disk" "$TLM" compile cnn.onnx -o out/temp.tlm --no-cache
  expect 5 "Read-only file system" "$TLM" run cnn.tlm --output-dir disk/out
  expect 0 "wrote out/cache.tlm" env XDG_CACHE_HOME="$PWD/disk" "$TLM" compile cnn.onnx -o out/cache.tlm
  umount disk
  mount -t tmpfs -o nr_inodes=3 tmpfs disk
  expect 5 "free disk space" env TMPDIR="$PWD/disk" "$TLM" compile cnn.onnx -o out/temp.tlm --no-cache
  absent out/temp.tlm
  [ -z "$(ls -A disk)" ] || fail "temporary files stay: $(ls -A disk)"
  umount disk
else
  echo "skipped: full and read-only disks (mounting needs root)"
fi

# Files and folders without permission: as somebody else than root.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
  nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  room=$(mktemp -d /tmp/tlm-acceptance-XXXXXX)
  cp cnn.onnx cnn.tlm "$TLM" "$room" && cp cnn.onnx "$room/secret.onnx"
  mkdir -m 755 "$room/closed"
  mkdir -m 777 "$room/open"
  chmod 755 "$room" && chmod 600 "$room/secret.onnx"
  as_nobody=("${nobody[@]}" env TMPDIR="$room/open" XDG_CACHE_HOME="$room/open/cache" "$room/tlm")
  expect 5 "Permission denied" "${as_nobody[@]}" compile "$room/secret.onnx" -o "$room/open/a.tlm"
  expect 5 "Permission denied" "${as_nobody[@]}" compile "$room/cnn.onnx" -o "$room/closed/a.tlm"
  expect 5 "Permission denied" "${as_nobody[@]}" run "$room/cnn.tlm" --output-dir "$room/closed/out"
  expect 5 "Permission denied" "${nobody[@]}" env TMPDIR="$room/closed" "$room/tlm" compile "$room/cnn.onnx" -o "$room/open/a.tlm" --no-cache
  [ -z "$(ls "$room/closed")" ] && [ ! -e "$room/open/a.tlm" ] || fail "files without permission"
  rm -rf "$room"
else
  echo "skipped: files without permission (wants root and setpriv)"
fi

[ $failures -eq 0 ] && echo "bad input: all refused as they should be"
exit $((failures > 0))

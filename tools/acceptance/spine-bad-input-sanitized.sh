#!/bin/bash
# The table of bad input and the interrupts with address and undefined-behaviour sanitizers: no report
set -u
cmake --preset asan -DTLM_TESTS=ON -Wno-dev >/dev/null || exit 1
timeout 360 cmake --build --preset asan --target tlm test_tools >"$WORK/build" 2>&1
status=$?
if [ $status -eq 124 ]; then
  echo "the build with sanitizers is not complete yet: run this part again"
  exit 77
fi
[ $status -eq 0 ] || { tail -20 "$WORK/build"; exit 1; }
# A report is an exit code that the tests do not expect. What cannot be allocated is an error of tlm, not of the sanitizer.
ASAN_OPTIONS=allocator_may_return_null=1 timeout 170 build-asan/bin/test_tools --gtest_brief=1

#!/bin/bash
# Projects outside the tree: C++ compiles in process, C runs a package; no allocation in run, idle CPU, FP environment
set -eu
ctest --test-dir build -R "^consumer_" --output-on-failure --no-tests=error
build/bin/test_runtime

#!/bin/bash
# The libFuzzer targets build (clang, address and undefined-behaviour sanitizers)
set -eu
source tools/acceptance/lib/fuzz.sh
fuzz_build

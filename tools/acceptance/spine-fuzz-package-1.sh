#!/bin/bash
# libFuzzer on the package loader for five minutes, part 1 of 2, clean
set -eu
source tools/acceptance/lib/fuzz.sh
fuzz fuzz_package 1

#!/bin/bash
# libFuzzer on the ONNX reader for five minutes, part 2 of 2, clean
set -eu
source tools/acceptance/lib/fuzz.sh
fuzz fuzz_onnx 2

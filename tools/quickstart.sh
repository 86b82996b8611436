#!/bin/sh
# From nothing to a running network: installs what is missing, builds build/bin/tlm, compiles a ResNet-50, runs and times it.
set -eu
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

step "packages"
tools/setup.sh
step "build (build/bin/tlm)"
launcher=""
if command -v ccache >/dev/null; then launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"; fi
cmake --preset release $launcher -Wno-dev >/dev/null
cmake --build --preset release --target tlm

work=build/quickstart
mkdir -p "$work"
step "a ResNet-50 with seeded weights: $work/resnet50.onnx"
[ -f "$work/resnet50.onnx" ] || build/bin/tlm zoo resnet50 -o "$work/resnet50.onnx"
step "compile for this machine: $work/resnet50.tlm"
build/bin/tlm compile "$work/resnet50.onnx" -o "$work/resnet50.tlm"
step "run"
build/bin/tlm run "$work/resnet50.tlm"
step "bench"
build/bin/tlm bench "$work/resnet50.tlm"

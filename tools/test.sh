#!/bin/sh
# Installs what is missing, builds everything and runs the quick tier of the tests. Arguments go to ctest.
set -eu
cd "$(dirname "$0")/.."

tools/setup.sh --tests
launcher=""
if command -v ccache >/dev/null; then launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"; fi
cmake --preset release -DTLM_TESTS=ON $launcher -Wno-dev >/dev/null
cmake --build --preset release
exec ctest --test-dir build -L quick --output-on-failure --no-tests=error -j "$(nproc)" "$@"

#!/bin/sh
# Installs the Debian packages that are missing. `tools/setup.sh` for building and running; `--tests` also what the tests use,
# `--fuzz` what the fuzz targets are built with.
set -eu

packages="g++ cmake ninja-build libprotobuf-dev protobuf-compiler libonnx-dev nlohmann-json3-dev libcli11-dev libsqlite3-dev liblzma-dev libgtest-dev libeigen3-dev"
tests="libonnx-testdata g++-aarch64-linux-gnu qemu-user"
fuzz="clang-14 libclang-rt-14-dev"
for option in "$@"; do
  case "$option" in
    --tests) packages="$packages $tests" ;;
    --fuzz) packages="$packages $fuzz" ;;
    *)
      echo "setup: no option '$option'" >&2
      exit 2
      ;;
  esac
done

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  case "$status" in
    ii*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: run as root, or install:$missing" >&2
    exit 5
  fi
  root=sudo
fi
echo "setup: installing$missing" >&2
$root apt-get update -qq >&2
# shellcheck disable=SC2086  # one word for each package
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2

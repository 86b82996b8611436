#!/bin/bash
# 200 random programs cross-compiled for aarch64 run right under qemu-user
set -eu
TLM_RANDOM_PROGRAMS=200 build/bin/test_codegen_lower_aarch64

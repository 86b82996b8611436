#!/bin/bash
# Random programs against the interpreter, part 4 of 4: 500 of the 2,000, all targets, guard pages
set -eu
TLM_RANDOM_PROGRAMS=500 TLM_RANDOM_SEED=1500 build/bin/test_codegen_lower_random

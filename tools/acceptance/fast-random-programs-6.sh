#!/bin/bash
# Random programs against the interpreter, part 6 of 10: 2,000 of the 20,000, all targets, guard pages
set -eu
TLM_RANDOM_PROGRAMS=2000 TLM_RANDOM_SEED=60000000 build/bin/test_codegen_lower_random

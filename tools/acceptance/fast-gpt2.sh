#!/bin/bash
# GPT-2 against the golden checkpoint: logits, loss, gradients, greedy continuation; logits bit-equal in any batch, on 1 and 2 threads
set -eu
[ -d "${TLM_SHARED_DATA:-../shared/data}/gpt2-golden" ] || { echo "no gpt2-golden: set TLM_SHARED_DATA"; exit 77; }
build/bin/test_lm --gtest_filter='Golden.*:Forward.*:Backward.*'

#!/bin/bash
# Masked decoding from an untrained model, part 3 of 4: 2,500 of the 10,000 sentences, all legal, all lowered, 125 of the 500 programs run
set -eu
TLM_LM_SENTENCES=2500 TLM_LM_PROGRAMS=125 TLM_LM_SEED=3 build/bin/test_lm_untrained

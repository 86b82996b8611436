#!/bin/bash
# Tensor language: round trips, 100,000 random grammar walks over the networks' workloads, complete(prefix) everywhere
set -eu
TLM_GRAMMAR_WALKS=100000 build/bin/test_space_language
build/bin/test_space

#!/bin/bash
# The five networks with reference outputs, default scheduler, x86-64-v2 and v3
set -eu
source tools/acceptance/lib/networks.sh
for name in $(networks); do
  for target in x86-64-v2 x86-64-v3; do check_network "$name" --target $target; done
done

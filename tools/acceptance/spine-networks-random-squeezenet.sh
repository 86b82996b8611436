#!/bin/bash
# squeezenet with random schedules of five seeds, x86-64-v2 and v3
set -eu
source tools/acceptance/lib/networks.sh
for target in x86-64-v2 x86-64-v3; do
  for seed in 1 2 3 4 5; do check_network squeezenet --target $target --scheduler random --seed $seed; done
done

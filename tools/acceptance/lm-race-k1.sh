#!/bin/bash
# Fresh race on the test list, nothing measured: the model >= 0.92, above every rival at its wall-clock (95 %), no kind below 0.75
set -eu
source tools/acceptance/lib/race.sh
race --k 1
judge 1 0.92
race_again

#!/bin/bash
# Fresh race on the test list, nothing measured: the model beside 0.92 and every rival at its wall-clock, at least as good as docs/race.md says
set -eu
source tools/acceptance/lib/race.sh
race --k 1
judge 1 0.92 0.90 nearest
race_again

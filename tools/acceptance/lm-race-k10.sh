#!/bin/bash
# Fresh race on the test list, ten programs measured: the model beside 0.98, no kind below 0.75
set -eu
source tools/acceptance/lib/race.sh
race --k 10 --no-rivals
judge 10 0.98 0.965
race_again

#!/bin/bash
# The include table holds; no operator's name in space/ or codegen/; an operator given by its expression alone compiles
set -eu
build/bin/test_structure
build/bin/test_new_operator

#!/bin/bash
# The networks' workloads under random schedules against the interpreter; faults planted behind each lowering pass are found
set -eu
build/bin/test_codegen_lower_networks
build/bin/test_codegen_lower_faults
build/bin/test_codegen_lower_plans

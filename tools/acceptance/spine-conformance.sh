#!/bin/bash
# ONNX backend tests: at least 330 node cases pass, 250 by generated code alone; none wrong, none in error
set -eu
cases=/usr/share/libonnx-testdata/data/node
[ -d $cases ] || { echo "libonnx-testdata is not installed"; exit 77; }
"$TLM" conformance $cases --json "$WORK/node.json" 2>"$WORK/log" | tail -5
python3 - "$WORK/node.json" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
print({k: r[k] for k in ("passed", "wrong", "unsupported", "error", "via")})
assert r["passed"] >= 330 and r["via"]["generated"] >= 250 and r["wrong"] == 0 and r["error"] == 0
PY

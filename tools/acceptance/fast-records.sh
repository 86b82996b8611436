#!/bin/bash
# Candidates that crash, hang or lie; killed writers; records exported, imported, refreshed, compiled from
set -eu
build/bin/test_codegen_measure
build/bin/test_space_records
"$TLM" zoo tiny_cnn -o "$WORK/net.onnx"
"$TLM" compile "$WORK/net.onnx" -o "$WORK/net.tlm" --measure 4 --records "$WORK/r.db" 2>/dev/null
"$TLM" compile "$WORK/net.onnx" -o "$WORK/random.tlm" --scheduler random --measure 6 --records "$WORK/r.db" 2>/dev/null
"$TLM" records list "$WORK/r.db"
"$TLM" records best "$WORK/r.db" -o "$WORK/best"
"$TLM" compile "$WORK/net.onnx" -o "$WORK/best.tlm" --schedules "$WORK/best" 2>"$WORK/err"
if grep warning "$WORK/err"; then exit 1; fi

"$TLM" records export "$WORK/r.db" -o "$WORK/all.jsonl"
"$TLM" records import "$WORK/copy.db" "$WORK/all.jsonl"
"$TLM" records export "$WORK/copy.db" | cmp - "$WORK/all.jsonl"
echo "{}" >>"$WORK/all.jsonl"
if "$TLM" records import "$WORK/new.db" "$WORK/all.jsonl" 2>"$WORK/err"; then exit 1; fi
grep "all.jsonl:$(wc -l <"$WORK/all.jsonl")" "$WORK/err"

sed '$d; s/"emitter_version":[0-9]*/"emitter_version":0/' "$WORK/all.jsonl" | "$TLM" records import "$WORK/old.db"
"$TLM" records refresh "$WORK/old.db" 2>&1 | tail -1
"$TLM" records refresh "$WORK/old.db" 2>&1 | tail -1 | grep "measured 0 schedules"
"$TLM" records noise "$WORK/r.db" --programs 20 2>/dev/null

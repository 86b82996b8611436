# A fresh race of the shipped weights on the test list, and its bars. Sourced by the parts: each races as much as its bars need, so that it
# is done within its time. A race of everything (`tlm eval --race`) takes some ten minutes.
for f in lm/data/reference.jsonl lm/pretrained/model.safetensors; do
  [ -e "$f" ] || { echo "there is no $f yet"; exit 77; }
done

# race OPTIONS…: tells the table of contenders; all figures are in $WORK/race.
race() {
  options=("$@")
  "$TLM" eval --race -o "$WORK/race" --time 450 "${options[@]}" 2>"$WORK/log" >"$WORK/table.md" || {
    cat "$WORK/log"
    grep -q 'has no reference on this machine' "$WORK/log" && exit 77  # another machine than the reference's
    exit 1
  }
  tail -1 "$WORK/log"
  sed '/^| kind/,$d' "$WORK/table.md"
}

# The same race once more: everything is there already, no program is measured again, the table is the same.
race_again() {
  local before
  before=$(cksum <"$WORK/race/rows.jsonl")
  "$TLM" eval --race -o "$WORK/race" "${options[@]}" >"$WORK/again.md" 2>/dev/null
  cmp "$WORK/table.md" "$WORK/again.md"
  [ "$before" = "$(cksum <"$WORK/race/rows.jsonl")" ] || { echo "programs were measured again"; return 1; }
}

# judge K MEAN LEAST RIVAL…: the model with K measured has this mean, no kind is below 0.75, it is faster than each rival with K measured in all of
# the 95 % interval, all workloads raced, all programs right. Tells of each bar whether it is met. A mean between LEAST (docs/race.md less what races
# differ by) and MEAN, and an interval around 1 beside one of these RIVALs, are misses that docs/race.md tells of; whatever is worse than that fails.
judge() {
  python3 - "$WORK/race/summary.json" lm/data/test_workloads.jsonl "$@" <<'PY'
import json, sys
s = json.load(open(sys.argv[1]))
k, mean, least, excused = int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]), sys.argv[6:]
failed = 0

def bar(met, text, known=False):
    global failed
    failed += not met and not known
    print(f"{'met' if met else 'MISSED':6} {text}{' (docs/race.md)' if known and not met else ''}")

workloads = sum(1 for line in open(sys.argv[2]) if line.strip())
bar(s["workloads"] == workloads, f"{s['workloads']} of {workloads} workloads raced in the time")
bar(not any(c["failures"] for c in s["contenders"]), "all programs right" + "".join(
    f"; {c['name']}: {c['failures']} are not" for c in s["contenders"] if c["failures"]))
model, = [c for c in s["contenders"] if c["model"] and c["k"] == k]
r = model["ratio"]
bar(r["mean"] >= mean, f"{model['name']}: {r['mean']:.3f} [{r['low']:.3f}, {r['high']:.3f}] of search-1000, wanted >= {mean}",
    known=r["mean"] >= least)
for kind, value in sorted(model["kinds"].items(), key=lambda item: item[1]):
    bar(value >= 0.75, f"{model['name']}, {kind}: {value:.3f}, wanted >= 0.75")
pairs = {p["rival"]: p for p in s["paired"] if p["model"] == model["name"]}
if k == 1:  # at the model's wall-clock: the cost model that has ten times as long is none of them
    for rival in ("constructive", "random", "untrained", "nearest", "n-gram", "cost model"):
        p = pairs.get(rival, {"mean": 0, "low": 0, "high": 0})
        bar(p["low"] > 1, f"{model['name']} beside {rival}: {p['mean']:.3f} [{p['low']:.3f}, {p['high']:.3f}] times as fast, wanted > 1 throughout",
            known=rival in excused and p["high"] > 1)
sys.exit(failed > 0)
PY
}

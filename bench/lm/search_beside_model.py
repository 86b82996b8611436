"""A network compiled by the language model, beside the search of each of its workloads: wall-clock and latency.

    search_beside_model.py --tlm build/bin/tlm --reference lm/data/reference.jsonl --out build/lm

Makes the zoo's network, compiles it with nothing measured and an empty cache, and once more with the schedules of the reference
search (`tlm eval --reference`), whose wall-clock is in that file. Both packages are timed in turns. Writes compile.json, compile.md
and compile.svg (the search's latency over time). Standard library only."""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path


def run(*command):
    begin = time.perf_counter()
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return time.perf_counter() - begin


def compile_model(args, name, *options):
    """Wall-clock of the whole process and the report, of the median of some compilations."""
    runs = []
    for _ in range(args.compilations):
        report = args.out / f"{name}.json"
        seconds = run(args.tlm, "compile", args.out / "net.onnx", "-o", args.out / f"{name}.tlm", "--no-cache", "--threads", args.cores,
                      "--jobs", args.cores, "--report", report, *options)
        runs.append((seconds, json.loads(report.read_text())))
    runs.sort(key=lambda r: r[0])
    return runs[len(runs) // 2]


def references(file, target):
    all_lines = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    return {r["workload"]: r for r in all_lines if r["target"] == target}


def latency(curve, trials):
    """ms of the best after so many trials; before the first batch that of the first."""
    known = [point for point in curve if point[0] <= trials]
    return (known[-1] if known else curve[0])[2]


def seconds_at(reference, trials):
    """Wall-clock until so many trials, between the points of the curve in proportion; a search that ended before is over."""
    before = [0, 0]
    for t, s, _ in reference["curve"]:
        if t >= trials:
            return before[1] + (s - before[1]) * (trials - before[0]) / max(1, t - before[0])
        before = [t, s]
    return reference["seconds"]


def network_curve(details, known):
    """[trials of each workload, wall-clock of all, ms of the network]: all workloads searched side by side, one after another."""
    points = []
    last = max(known[d["hash"]]["trials"] for d in details)
    for trials in range(16, last + 16, 16):
        rs = [(known[d["hash"]], d["count"]) for d in details]
        points.append([trials, sum(seconds_at(r, trials) for r, _ in rs), sum(latency(r["curve"], trials) * n for r, n in rs)])
    return points


def interleaved(args, names):
    """Latency of packages, in turns: the median over rounds of each round's median, and the median of the rounds' ratios."""
    rounds = []
    for _ in range(args.rounds):
        row = {}
        for name in names:
            run(args.tlm, "bench", args.out / f"{name}.tlm", "--threads", args.cores, "--repeat", 30, "--json", args.out / "bench.json")
            row[name] = json.loads((args.out / "bench.json").read_text())["latency_ms"]["median"]
        rounds.append(row)
    ms = {name: statistics.median(r[name] for r in rounds) for name in names}
    return ms, statistics.median(r[names[0]] / r[names[1]] for r in rounds)


def plot(points, model_seconds, model_ms):
    """The search's curve and the model's point, wall-clock on a logarithmic axis."""
    import math
    width, height, left, bottom = 640, 360, 60, 50
    xs = [math.log10(s) for _, s, _ in points] + [math.log10(model_seconds)]
    ys = [ms for _, _, ms in points] + [model_ms]
    low, high = math.floor(min(xs)), math.ceil(max(xs))
    top, floor = max(ys) * 1.05, min(ys) * 0.95
    x = lambda v: left + (v - low) / (high - low) * (width - left - 20)
    y = lambda v: height - bottom - (v - floor) / (top - floor) * (height - bottom - 20)
    line = " ".join(f"{x(math.log10(s)):.1f},{y(ms):.1f}" for _, s, ms in points)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for decade in range(low, high + 1):
        out.append(f'<line x1="{x(decade):.1f}" y1="20" x2="{x(decade):.1f}" y2="{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{x(decade):.1f}" y="{height - bottom + 16}" text-anchor="middle">{10.0 ** decade:g}</text>')
    for i in range(5):
        v = floor + (top - floor) * i / 4
        out.append(f'<text x="{left - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.2f}</text>')
    out.append(f'<text x="{width / 2}" y="{height - 10}" text-anchor="middle">wall-clock, seconds</text>'
               f'<text x="8" y="14">latency of the network, ms: search (line), model (dot)</text>'
               f'<polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="2"/>'
               f'<circle cx="{x(math.log10(model_seconds)):.1f}" cy="{y(model_ms):.1f}" r="5" fill="#d62728"/></svg>')
    return "\n".join(out) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tlm", type=Path, default=Path("build/bin/tlm"))
    p.add_argument("--reference", type=Path, default=Path("lm/data/reference.jsonl"))
    p.add_argument("--out", type=Path, default=Path("build/lm"))
    p.add_argument("--network", default="resnet50", help="of the zoo (default: resnet50)")
    p.add_argument("--cores", type=int, default=2)
    p.add_argument("--model", help="folder of a checkpoint (default: the built-in weights)")
    p.add_argument("--compilations", type=int, default=3)
    p.add_argument("--rounds", type=int, default=9)
    args = p.parse_args()
    args.tlm = args.tlm.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    run(args.tlm, "zoo", args.network, "-o", args.out / "net.onnx")
    model_options = ["--scheduler", "lm"] + (["--model", args.model] if args.model else [])
    model_seconds, report = compile_model(args, "model", *model_options)
    known = references(args.reference, report["target"])
    if not known:
        sys.exit(f"{args.reference} has no reference on this machine with {args.cores} cores")
    missing = [d["name"] for d in report["details"] if d["hash"] not in known]
    if missing:
        sys.exit(f"{args.reference} lacks {', '.join(missing)} on {args.cores} cores")
    schedules = args.out / "search.schedules"
    schedules.write_text("".join(f"{d['hash']} {known[d['hash']]['top'][0]['schedule']}\n" for d in report["details"]
                                 if known[d["hash"]]["top"]))
    package_seconds, _ = compile_model(args, "search", "--schedules", schedules)
    search_seconds = sum(known[d["hash"]]["seconds"] for d in report["details"])
    ms, ratio = interleaved(args, ["model", "search"])
    points = network_curve(report["details"], known)
    # The curve adds workloads up; packages are timed whole. What they have in common is the search's end.
    target = ratio * points[-1][2]
    equal = next((point for point in points if point[2] <= target), None)
    result = {
        "network": args.network, "cores": args.cores, "workloads": len(report["details"]),
        "model": {"compile_s": model_seconds, "lm_ms": report["lm"]["ms"], "fallbacks": report["lm"]["fallbacks"], "latency_ms": ms["model"]},
        "search": {"trials": max(known[d["hash"]]["trials"] for d in report["details"]), "search_s": search_seconds,
                   "package_s": package_seconds, "latency_ms": ms["search"]},
        "wall_clock_ratio": (search_seconds + package_seconds) / model_seconds, "latency_ratio": ratio,
        "first_equal": equal and {"trials": equal[0], "seconds": equal[1], "times_model": equal[1] / model_seconds},
        "curve": points}
    (args.out / "compile.json").write_text(json.dumps(result, indent=1) + "\n")
    (args.out / "compile.svg").write_text(plot(points, model_seconds, target))
    rows = [["", "language model, nothing measured", f"search, {result['search']['trials']} trials for each workload"],
            ["---", "---:", "---:"],
            ["ONNX → package, empty cache", f"{model_seconds:.2f} s", f"{search_seconds + package_seconds:.0f} s"],
            ["of which choosing schedules", f"{report['lm']['ms'] / 1e3:.3f} s", f"{search_seconds:.0f} s"],
            ["latency", f"{ms['model']:.2f} ms", f"{ms['search']:.2f} ms"]]
    text = "\n".join("| " + " | ".join(r) + " |" for r in rows)
    text += (f"\n\n{args.network}, {args.cores} cores, {len(report['details'])} workloads: the search takes "
             f"{result['wall_clock_ratio']:.0f} times the wall-clock; the model's network needs {ratio:.3f} times the search's latency. ")
    text += (f"The search is as fast after {equal[1]:.0f} s ({equal[0]} trials for each workload), {equal[1] / model_seconds:.0f} times "
             "the model's compilation.\n" if equal else "The search never is as fast.\n")
    (args.out / "compile.md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()

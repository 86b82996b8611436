"""From the samples of compare.py to the table and the plot of docs/performance.md.

    report.py results.json --docs docs/performance.md

replaces what stands between the marks in the page and writes the plot beside it."""

import argparse
import json
import statistics
import sys
from pathlib import Path

BEGIN, END = "<!-- peers: written by bench/peers/run.sh -->", "<!-- peers: end -->"
MOST_FOREIGN_LOAD = 0.1  # cores that others may keep busy while a published line is measured


def medians(result):
    return {name: statistics.median(s for turn in turns for s in turn) for name, turns in result["samples_ms"].items()}


def columns(result):
    """ms of each column of the table: onnxruntime with its better waiting policy; None where there is none."""
    ms = medians(result)
    spins = [ms[n] for n in ("onnxruntime", "onnxruntime, no spinning") if n in ms]
    return {"tlm default": ms.get("tlm default"), "tlm searched": ms.get("tlm searched"), "onnxruntime": min(spins),
            "OpenVINO": ms.get("openvino"), "PyTorch": ms.get("pytorch")}


def fastest_peer(ms):
    """The faster of onnxruntime and OpenVINO."""
    return min(ms[n] for n in ("onnxruntime", "OpenVINO") if ms[n] is not None)


def one_line(result):
    if result["wrong"]:
        return f"{result['model']} on {result['threads']}: WRONG {result['wrong']} {result['difference']}"
    ms = columns(result)
    peer = fastest_peer(ms)
    parts = [f"{n} {v:.3f} ms ({v / peer:.2f}x)" for n, v in ms.items() if v is not None]
    return f"{result['model']} on {result['threads']}: {', '.join(parts)}; others kept {result['foreign_load']:.2f} cores busy"


def table(results):
    shown = [c for c in columns(results[0]) if any(columns(r)[c] is not None for r in results)]
    ratios = [c for c in ("tlm default", "tlm searched") if c in shown]
    head = ["model", "threads"] + [f"{c}, ms" for c in shown] + [f"ratio {c.split()[1]}" for c in ratios] + ["max difference"]
    rows = []
    for r in results:
        ms = columns(r)
        peer = fastest_peer(ms)
        worst = max(d for n, d in r["difference"].items() if n.startswith("tlm"))
        rows.append([r["model"], str(r["threads"])] + ["–" if ms[c] is None else f"{ms[c]:.2f}" for c in shown]
                    + ["–" if ms[c] is None else f"**{ms[c] / peer:.2f}**" for c in ratios] + [f"{worst:.1e}"])
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * 2 + ["---:"] * (len(head) - 2)] + rows]
    return "\n".join(lines)


def plot(results, file):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tlm"
    import matplotlib.pyplot as plt

    threads = sorted({r["threads"] for r in results})
    colours = {"tlm default": "#7fb3d5", "tlm searched": "#1f618d", "onnxruntime": "#e59866", "OpenVINO": "#af7ac5",
               "PyTorch": "#b2babb"}
    figure, axes = plt.subplots(len(threads), 1, figsize=(10, 3.2 * len(threads)), squeeze=False, layout="constrained")
    for axis, t in zip(axes[:, 0], threads):
        lines = [(r["model"], columns(r)) for r in results if r["threads"] == t]
        shown = [c for c in colours if any(ms[c] is not None for _, ms in lines)]
        width = 0.8 / len(shown)
        for k, c in enumerate(shown):
            bars = [(i + (k - (len(shown) - 1) / 2) * width, ms[c] / fastest_peer(ms)) for i, (_, ms) in enumerate(lines)
                    if ms[c] is not None]
            axis.bar([x for x, _ in bars], [y for _, y in bars], width, label=c, color=colours[c])
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_xticks(range(len(lines)), [name for name, _ in lines])
        axis.set_ylabel("time / faster of\nonnxruntime, OpenVINO")
        axis.set_title(f"{t} thread{'s' if t > 1 else ''} (lower is better)")
    axes[0, 0].legend(ncols=5, fontsize="small")
    figure.savefig(file, metadata={"Date": None})


def section(data, image):
    m, o, results = data["machine"], data["options"], data["results"]
    versions = ", ".join(f"{n} {v}" for n, v in m["versions"].items() if n in ("tlm", "onnxruntime", "openvino", "torch"))
    skipped = sorted({f"{n} ({why})" for r in results for n, why in r["skipped"].items()})
    outside = max(v for r in results for v in r["outside_kernels"].values())
    text = [f"{m['cpu']}, {m['cores']} cores, {', '.join(m['simd'])}; {m['date']}; {versions}. Medians of {o['rounds']} turns; "
            f"ratio: to the faster of onnxruntime and OpenVINO; difference: max |Δ| / max(1, |y|) of tlm to onnxruntime.", "",
            table(results), "", f"![time relative to the fastest peer]({image})", "",
            f"Outside kernels tlm spends at most {100 * outside:.1f} % of a run; other programs kept at most "
            f"{max(r['foreign_load'] for r in results):.2f} cores busy during a line."]
    chosen = {n: sorted({c["scheduler"] for r in results for label, c in r.get("chosen_by", {}).items() if label == n})
              for n in ("tlm default", "tlm searched")}
    if any(chosen.values()):
        text[-1] += " Schedules: " + "; ".join(f"{n} by {', '.join(who)}" for n, who in chosen.items() if who) + "."
    if skipped:
        text[-1] += " Skipped: " + "; ".join(skipped) + "."
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--docs", type=Path, required=True, help="the page; the plot goes beside it as peers.svg")
    parser.add_argument("--busy", action="store_true", help="publish although others kept the machine busy")
    arguments = parser.parse_args()
    data = json.loads(arguments.results.read_text())
    if any(r["wrong"] for r in data["results"]):
        sys.exit("outputs differ: nothing is published")
    busy = [f"{r['model']} on {r['threads']}" for r in data["results"] if r["foreign_load"] > MOST_FOREIGN_LOAD]
    if busy and not arguments.busy:
        sys.exit(f"others kept the machine busy: {', '.join(busy)}; nothing is published (--busy does it all the same)")
    page = arguments.docs.read_text()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"{arguments.docs} lacks the marks '{BEGIN}' and '{END}'")
    plot(data["results"], arguments.docs.parent / "peers.svg")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    arguments.docs.write_text(f"{before}{BEGIN}\n{section(data, 'peers.svg')}\n{END}{after}")


if __name__ == "__main__":
    main()

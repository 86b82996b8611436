"""Latency of tlm beside onnxruntime, OpenVINO and PyTorch: the same ONNX file, inputs and threads, in one run, in turns.

    compare.py --tlm-library build/core/libtlm_runtime.so --packages DIR --json results.json NAME=model.onnx …

DIR holds NAME.tT.tlm for T threads, compiled by default, and NAME.tT.searched.tlm where there is one; beside them the reports of their
compilation, NAME.tT.json. Reference data, if any, is in test_data_set_0 beside the model. Exit code 1: outputs differ."""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import report

HERE = Path(__file__).resolve().parent


def machine(library):
    cpuinfo = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":", 1)[1].strip() for line in cpuinfo if line.startswith("model name")), platform.machine())
    flags = next((line.split(":", 1)[1].split() for line in cpuinfo if line.startswith("flags")), [])
    versions = {}
    for package in ("onnxruntime", "openvino", "torch", "onnx", "numpy"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    import tlm_runtime

    versions["tlm"] = tlm_runtime.Runtime(library).version()
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "simd": [f for f in ("avx2", "fma", "avx512f") if f in flags],
            "kernel": platform.release(), "python": platform.python_version(), "versions": versions,
            "load_before": os.getloadavg()[0], "date": datetime.date.today().isoformat()}


def packages_of(folder, name, threads):
    found = {}
    for label, suffix in (("tlm default", ""), ("tlm searched", ".searched")):
        package = folder / f"{name}.t{threads}{suffix}.tlm"
        if package.exists():
            found[label] = str(package.resolve())
    if not found:
        raise SystemExit(f"{folder}/{name}.t{threads}.tlm is not there: compile it with tlm compile --threads {threads}")
    return found


def chosen_by(packages):
    """Who chose the schedules of each package, as its report says; nothing of packages without one."""
    out = {}
    for label, package in packages.items():
        file = Path(package).with_suffix(".json")
        if file.exists():
            report = json.loads(file.read_text())
            out[label] = {"scheduler": report["scheduler"]}
            if report["lm"]:
                out[label].update(model=report["lm"]["model"], decode=report["lm"]["decode"], fallbacks=len(report["lm"]["fallbacks"]))
    return out


def run_job(job):
    with tempfile.TemporaryDirectory() as folder:
        job_file, result_file = Path(folder) / "job.json", Path(folder) / "result.json"
        job_file.write_text(json.dumps(job))
        process = subprocess.run([sys.executable, str(HERE / "measure.py"), "--job", str(job_file), "--result", str(result_file)])
        if process.returncode:
            raise SystemExit(f"{job['name']} on {job['threads']} threads: measure.py ended with {process.returncode}")
        return json.loads(result_file.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="NAME=FILE.onnx")
    parser.add_argument("--tlm-library", required=True, help="libtlm_runtime.so")
    parser.add_argument("--packages", required=True, type=Path)
    parser.add_argument("--threads", default="1,2", help="default: 1,2")
    parser.add_argument("--rounds", type=int, default=9, help="turns of every engine (default: 9)")
    parser.add_argument("--burst-ms", type=float, default=150, help="timed in one turn (default: 150)")
    parser.add_argument("--settle-ms", type=float, default=20, help="pause before each turn (default: 20)")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="of max |a-b| / max(1,|b|) (default: 1e-3)")
    parser.add_argument("--json", type=Path, required=True, help="all samples and facts of the machine")
    arguments = parser.parse_args()

    cores, facts = sorted(os.sched_getaffinity(0)), machine(arguments.tlm_library)
    results = []
    for entry in arguments.models:
        name, _, model = entry.partition("=")
        data = Path(model).parent / "test_data_set_0"
        for threads in map(int, arguments.threads.split(",")):
            if threads > len(cores):
                print(f"{name}: {threads} threads skipped, the machine has {len(cores)} cores", file=sys.stderr)
                continue
            job = {"name": name, "model": str(Path(model).resolve()), "data": str(data.resolve()) if data.is_dir() else None,
                   "threads": threads, "cores": cores[-threads:], "machine_cores": cores,
                   "library": str(Path(arguments.tlm_library).resolve()),
                   "packages": packages_of(arguments.packages, name, threads), "rounds": arguments.rounds,
                   "burst_ms": arguments.burst_ms, "settle_ms": arguments.settle_ms, "tolerance": arguments.tolerance}
            results.append({**run_job(job), "chosen_by": chosen_by(job["packages"])})
            print(report.one_line(results[-1]), flush=True)
    options = {k: getattr(arguments, k) for k in ("rounds", "burst_ms", "settle_ms", "tolerance")}
    arguments.json.write_text(json.dumps({"machine": facts, "options": options, "results": results}, indent=1) + "\n")
    wrong = [(r["model"], r["threads"], r["wrong"]) for r in results if r["wrong"]]
    for model, threads, engines in wrong:
        print(f"{model} on {threads} threads: outputs of {', '.join(engines)} differ from onnxruntime's", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""One model on one number of threads: outputs compared, then all engines timed in turns. Runs as a process of its own, so that
the engines see only the cores that they may use, and a crash ends one line of the table:
    measure.py --job JOB.json --result RESULT.json"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np


def read_tensor(path):
    import onnx
    from onnx import numpy_helper

    tensor = onnx.TensorProto()
    tensor.ParseFromString(Path(path).read_bytes())
    return numpy_helper.to_array(tensor).copy()  # writable, as some engines want it


def make_inputs(model, data):
    """Those of the reference data, else normal ones, seed 0."""
    import onnx

    graph = onnx.load(model, load_external_data=False).graph
    initial = {t.name for t in graph.initializer}
    inputs, rng = {}, np.random.default_rng(0)
    for i, value in enumerate(v for v in graph.input if v.name not in initial):
        if data:
            inputs[value.name] = read_tensor(Path(data) / f"input_{i}.pb")
            continue
        tensor = value.type.tensor_type
        if tensor.elem_type != onnx.TensorProto.FLOAT:
            raise RuntimeError(f"input {value.name} is not f32: give reference data")
        inputs[value.name] = rng.standard_normal([d.dim_value for d in tensor.shape.dim]).astype(np.float32)
    return inputs, [o.name for o in graph.output]


def difference(got, wanted):
    """max |got - wanted| / max(1, |wanted|)"""
    if got.shape != wanted.shape or not np.array_equal(np.isfinite(got), np.isfinite(wanted)):
        return float("inf")
    got, wanted = got.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(invalid="ignore"):
        d = np.abs(got - wanted) / np.maximum(1, np.abs(wanted))
    return float(np.nan_to_num(d).max(initial=0))


def make_engines(job, inputs):
    import engines
    import tlm_runtime

    threads, model = job["threads"], job["model"]
    makers = {}
    runtime = tlm_runtime.Runtime(job["library"])
    for name, package in job["packages"].items():
        makers[name] = lambda package=package: engines.Tlm(runtime, package, inputs, threads)
    makers["onnxruntime"] = lambda: engines.OnnxRuntime(model, inputs, threads, spin=True)
    if threads > 1:  # one thread waits for nobody
        makers["onnxruntime, no spinning"] = lambda: engines.OnnxRuntime(model, inputs, threads, spin=False)
    makers["openvino"] = lambda: engines.OpenVino(model, inputs, threads)
    makers["pytorch"] = lambda: engines.PyTorch(model, inputs, threads)
    made, skipped = {}, {}
    for name, make in makers.items():
        try:
            made[name] = make()
        except ImportError as e:
            skipped[name] = f"not installed: {e.name}"
        except Exception as e:  # an engine that refuses the model is a line of the report
            if name in job["packages"] or name == "onnxruntime":
                raise
            skipped[name] = f"{type(e).__name__}: {e}".splitlines()[0][:200]
    return made, skipped


def burst(engine, count):
    samples = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        engine.run()
        samples.append((time.perf_counter_ns() - begin) * 1e-6)
    return samples


def cpu_seconds(cores):
    """CPU time of these cores, and of this process."""
    busy = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name[:3] == "cpu" and name[3:].isdigit() and int(name[3:]) in cores:
            user, nice, system, _, _, irq, softirq, steal = map(int, fields[:8])
            busy += user + nice + system + irq + softirq + steal
    own = os.times()
    return busy / os.sysconf("SC_CLK_TCK"), own.user + own.system


def measure(job):
    inputs, output_names = make_inputs(job["model"], job["data"])
    made, skipped = make_engines(job, inputs)
    result = {"model": job["name"], "threads": job["threads"], "skipped": skipped, "difference": {}, "reference": {}}

    for engine in made.values():
        engine.run()
    wanted = made["onnxruntime"].outputs()
    reference = {}
    if job["data"]:
        reference = {n: read_tensor(Path(job["data"]) / f"output_{i}.pb") for i, n in enumerate(output_names)}
    for name, engine in made.items():
        got = engine.outputs()
        result["difference"][name] = max(difference(got[n], wanted[n]) for n in output_names)
        if reference:
            result["reference"][name] = max(difference(got[n], reference[n]) for n in output_names)
    result["wrong"] = [n for n, d in result["difference"].items() if not d <= job["tolerance"]]
    if result["wrong"]:
        return result

    # As many runs in one burst as fill its time, at least three.
    counts = {}
    for name, engine in made.items():
        fastest = min(burst(engine, 3))
        counts[name] = int(min(1000, max(3, job["burst_ms"] / max(fastest, 1e-3))))
    result["samples_ms"] = {name: [] for name in made}
    begin, (busy, own) = time.monotonic(), cpu_seconds(job["machine_cores"])
    for _ in range(job["rounds"]):
        for name, engine in made.items():
            time.sleep(job["settle_ms"] * 1e-3)  # the threads of the engine before go to sleep
            burst(engine, max(2, counts[name] // 4))  # untimed: its own wake up, caches fill
            result["samples_ms"][name].append(burst(engine, counts[name]))
    seconds, (busy_after, own_after) = time.monotonic() - begin, cpu_seconds(job["machine_cores"])
    # Cores that others kept busy meanwhile.
    result["foreign_load"] = max(0.0, (busy_after - busy - own_after + own) / seconds)
    result["outside_kernels"] = {n: made[n].session.outside_kernels() for n in job["packages"]}
    for engine in made.values():
        engine.close()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--job", required=True)
    parser.add_argument("--result", required=True)
    arguments = parser.parse_args()
    job = json.loads(Path(arguments.job).read_text())
    os.sched_setaffinity(0, job["cores"])  # before any engine counts cores or starts threads
    Path(arguments.result).write_text(json.dumps(measure(job)))


if __name__ == "__main__":
    main()

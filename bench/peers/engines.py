"""The engines that are compared. Each holds one model with its inputs in place: run() computes, outputs() gives the results by
name. Loading, compiling and copying of inputs are not timed."""

import numpy as np

import tlm_runtime


class Tlm:
    def __init__(self, runtime, package, inputs, threads):
        self.session = tlm_runtime.Session(runtime, package, threads)
        for name, array in self.session.inputs.items():
            array[...] = inputs[name]
        self.run = self.session.run

    def outputs(self):
        return {name: array.copy() for name, array in self.session.outputs.items()}

    def close(self):
        self.session.close()


class OnnxRuntime:
    def __init__(self, model, inputs, threads, spin):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "1" if spin else "0")
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.names = [o.name for o in self.session.get_outputs()]
        # Bound once: a timed run copies nothing and allocates no array.
        self.binding = self.session.io_binding()
        self.inputs = {i.name: onnxruntime.OrtValue.ortvalue_from_numpy(inputs[i.name]) for i in self.session.get_inputs()}
        self.session.run(None, {name: inputs[name] for name in self.inputs})
        first = self.session.run(None, {name: inputs[name] for name in self.inputs})
        self.results = [onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(r)) for r in first]
        for name, value in self.inputs.items():
            self.binding.bind_ortvalue_input(name, value)
        for name, value in zip(self.names, self.results):
            self.binding.bind_ortvalue_output(name, value)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return {name: value.numpy().copy() for name, value in zip(self.names, self.results)}

    def close(self):
        self.binding = self.session = None


class OpenVino:
    def __init__(self, model, inputs, threads):
        import openvino

        core = openvino.Core()
        options = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
        self.compiled = core.compile_model(core.read_model(model), "CPU", options)
        self.request = self.compiled.create_infer_request()
        self.kept = []  # tensors share memory with these arrays
        for port in self.compiled.inputs:
            array = np.ascontiguousarray(inputs[port.get_any_name()])
            self.kept.append(array)
            self.request.set_tensor(port, openvino.Tensor(array, shared_memory=True))

    def run(self):
        self.request.start_async()
        self.request.wait()

    def outputs(self):
        return {port.get_any_name(): self.request.get_tensor(port).data.copy() for port in self.compiled.outputs}

    def close(self):
        self.request = self.compiled = None


class PyTorch:
    """By onnx2torch, traced and frozen."""

    def __init__(self, model, inputs, threads):
        import onnx2torch
        import torch

        torch.set_num_threads(threads)
        module = onnx2torch.convert(model).eval()
        import onnx

        graph = onnx.load(model, load_external_data=False).graph
        initial = {t.name for t in graph.initializer}
        self.arguments = [torch.from_numpy(inputs[i.name].copy()) for i in graph.input if i.name not in initial]
        self.names = [o.name for o in graph.output]
        self.torch = torch
        with torch.inference_mode():
            self.module = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(module, tuple(self.arguments))))
        self.result = None

    def run(self):
        with self.torch.inference_mode():
            self.result = self.module(*self.arguments)

    def outputs(self):
        results = self.result if isinstance(self.result, (tuple, list)) else [self.result]
        return {name: r.numpy().copy() for name, r in zip(self.names, results)}

    def close(self):
        self.module = None

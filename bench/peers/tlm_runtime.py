"""libtlm_runtime by its C interface (core/runtime/runtime.h): what the comparison needs of it."""

import ctypes
from ctypes import byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p

import numpy as np

TYPES = ["f4", "f8", "f2", None, "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]  # by TlmType; no bf16 in NumPy


class EngineOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("executor", c_void_p), ("threads", c_int32), ("has_spin", c_int32), ("spin_us", c_int32),
                ("log", c_void_p), ("log_user", c_void_p)]


class Port(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int32), ("rank", c_int32), ("shape", ctypes.POINTER(c_int64)), ("bytes", c_size_t)]


class RunOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("step_ms", c_void_p), ("step_count", c_size_t), ("total_ms", ctypes.POINTER(c_double)),
                ("overhead_ms", ctypes.POINTER(c_double))]


class Runtime:
    def __init__(self, library):
        self.c = ctypes.CDLL(library)
        self.c.tlm_error_message.restype = c_char_p
        self.c.tlm_runtime_version.restype = c_char_p
        self.c.tlm_runtime_api.restype = c_uint32
        for name in ("engine", "package", "session"):
            release = getattr(self.c, f"tlm_{name}_release")
            release.restype, release.argtypes = None, [c_void_p]
        if self.c.tlm_runtime_api() < 1:
            raise RuntimeError(f"{library}: interface {self.c.tlm_runtime_api()}, 1 is needed")

    def version(self):
        return self.c.tlm_runtime_version().decode()

    def check(self, status):
        if status:
            raise RuntimeError(f"tlm status {status}: {self.c.tlm_error_message().decode()}")


class Session:
    """One package on `threads` threads of its own; inputs and outputs are arrays in the session's memory."""

    def __init__(self, runtime, package, threads):
        self.runtime, c = runtime, runtime.c
        self.engine, self.package, self.session = c_void_p(), c_void_p(), c_void_p()
        options = EngineOptions(size=ctypes.sizeof(EngineOptions), threads=threads)
        runtime.check(c.tlm_engine_create(byref(options), byref(self.engine)))
        runtime.check(c.tlm_package_load(self.engine, str(package).encode(), None, byref(self.package)))
        runtime.check(c.tlm_session_create(self.package, None, byref(self.session)))
        self.inputs = dict(self._ports("input"))
        self.outputs = dict(self._ports("output"))

    def _ports(self, kind):
        c = self.runtime.c
        for i in range(getattr(c, f"tlm_package_{kind}_count")(self.package)):
            port, data = Port(), c_void_p()
            self.runtime.check(getattr(c, f"tlm_package_{kind}")(self.package, i, byref(port)))
            self.runtime.check(getattr(c, f"tlm_session_{kind}")(self.session, i, byref(data)))
            if TYPES[port.type] is None:
                raise RuntimeError(f"{kind} {port.name.decode()}: bf16 is not compared")
            memory = (ctypes.c_char * port.bytes).from_address(data.value)
            shape = [port.shape[d] for d in range(port.rank)]
            yield port.name.decode(), np.frombuffer(memory, TYPES[port.type]).reshape(shape)

    def run(self):
        status = self.runtime.c.tlm_session_run(self.session, None)
        if status:
            self.runtime.check(status)

    def outside_kernels(self, runs=20):
        """Median part of a run's time that is spent outside kernels."""
        total, overhead, parts = c_double(), c_double(), []
        options = RunOptions(size=ctypes.sizeof(RunOptions), total_ms=ctypes.pointer(total), overhead_ms=ctypes.pointer(overhead))
        for _ in range(runs):
            self.runtime.check(self.runtime.c.tlm_session_run(self.session, byref(options)))
            parts.append(overhead.value / total.value)
        return float(np.median(parts))

    def close(self):
        self.inputs = self.outputs = None
        for name in ("session", "package", "engine"):
            getattr(self.runtime.c, f"tlm_{name}_release")(getattr(self, name))

# SPDX-License-Identifier: MIT
"""The C library: where it lies, its functions, and its failures as exceptions."""

import ctypes
import ctypes.util
import operator
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_uint8, c_uint32, c_uint64, c_void_p

API_MAJOR, API_MINOR = 0, 10


class Error(Exception):
    """A failure of the library; its text is the diagnostic, with the place where there is one."""


class Rejected(Error, ValueError):
    """The input was rejected: a program, a target, an array."""


class Usage(Error, TypeError):
    """A call that makes no sense: an unknown name, types or lengths that do not go together."""


class FileProblem(Error, OSError):
    """A file could not be read or written."""


class Stopped(Error, RuntimeError):
    """The emulated program stopped: an assertion, a limit, an interrupt."""


class Differs(Error, AssertionError):
    """The machine and the definition of the instructions differed (check=True)."""


class Capacity(Error, MemoryError):
    """The machine has no room, or the host has no memory."""


_BY_CODE = {-1: Rejected, -2: Usage, -3: FileProblem, -4: Stopped, -5: Differs, -6: Capacity}


class VType(ctypes.Structure):
    _fields_ = [("kind", c_uint8), ("bits", c_uint8)]


class Operand(ctypes.Structure):
    _fields_ = [("v", c_void_p), ("bits", c_uint64)]


class Dim(ctypes.Structure):
    _fields_ = [("count", c_uint64), ("step", c_int64)]


class Argument(ctypes.Structure):
    _fields_ = [("buffer", c_void_p), ("value", c_uint64), ("bytes", c_void_p)]


class Array(ctypes.Structure):
    _fields_ = [("type", c_int), ("ndim", c_uint32), ("shape", c_uint64 * 8), ("data", c_void_p)]


class Config(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("engine", c_char_p),
        ("batch", c_char_p),
        ("init", c_char_p),
        ("check", c_int),
        ("max_cycles", c_uint64),
        ("max_seconds", c_uint64),
        ("print", c_void_p),
        ("print_context", c_void_p),
        ("interrupted", c_void_p),
        ("progress", c_void_p),
        ("progress_context", c_void_p),
        ("threads", c_uint32),
        ("unhashed", c_int),
        ("place", c_char_p),
        ("finish", c_char_p),
        ("messages", c_void_p),
        ("spill", c_char_p),
        ("device_bytes", c_uint64),
        ("cache", c_int),
        ("prove", c_int),
    ]


class StageArgument(ctypes.Structure):
    _fields_ = [("role", c_int), ("type", c_int), ("data", c_void_p), ("elements", c_uint64),
                ("tail", c_void_p), ("tail_elements", c_uint64)]


class Stage(ctypes.Structure):
    _fields_ = [("pattern", c_int), ("function", c_char_p), ("arguments", c_void_p),
                ("count", c_uint32), ("overlap", c_uint32), ("group", c_uint32),
                ("combine", c_char_p), ("init", c_char_p), ("file", c_char_p), ("line", c_uint32)]


class ReportConfig(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("timeline", c_char_p), ("base", c_char_p),
                ("messages", c_void_p)]


class PipelineOptions(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("dpus", c_uint32), ("cpu_elements", c_uint64),
                ("no_fuse", c_int), ("full", c_int), ("mram_bytes", c_uint64),
                ("host_element_ps", c_uint64), ("config", c_void_p)]


# Name: (result, arguments).  A result "!" is an mpu_result, "*" a handle or NULL; both of these
# take a place for an error as their last argument, which is not written here.
_ERR = POINTER(c_void_p)
_FUNCTIONS = {
    "mpu_api_version": (c_uint32, []),
    "mpu_version": (c_char_p, []),
    "mpu_string_free": (None, [c_void_p]),
    "mpu_error_code": (c_int, [c_void_p]),
    "mpu_error_text": (c_char_p, [c_void_p]),
    "mpu_error_free": (None, [c_void_p]),
    "mpu_array_free": (None, [POINTER(Array)]),
    "mpu_target_open": ("*", [c_char_p, POINTER(c_char_p)]),
    "mpu_target_name": (c_char_p, [c_void_p]),
    "mpu_target_close": (None, [c_void_p]),
    "mpu_target_builtin": (c_char_p, [ctypes.c_size_t]),
    "mpu_target_summary": (c_char_p, [c_char_p]),
    "mpu_target_number": (c_int, [c_void_p, c_char_p, POINTER(c_uint64)]),
    "mpu_source_new": (c_void_p, [c_void_p]),
    "mpu_source_free": (None, [c_void_p]),
    "mpu_source_add_file": (None, [c_void_p, c_char_p]),
    "mpu_source_add_text": (None, [c_void_p, c_char_p, c_char_p, ctypes.c_size_t]),
    "mpu_source_define": (c_int, [c_void_p, c_char_p]),
    "mpu_source_set_entry": (None, [c_void_p, c_char_p]),
    "mpu_source_follow_shape": (None, [c_void_p, c_char_p, c_uint32, POINTER(c_uint64)]),
    "mpu_source_build": ("*", [c_void_p]),
    "mpu_program_free": (None, [c_void_p]),
    "mpu_program_variable_count": (ctypes.c_size_t, [c_void_p]),
    "mpu_program_find_variable": (ctypes.c_size_t, [c_void_p, c_char_p]),
    "mpu_program_variable_name": (c_char_p, [c_void_p, ctypes.c_size_t]),
    "mpu_program_variable_use": (c_uint32, [c_void_p, ctypes.c_size_t]),
    "mpu_program_variable_array_type": (c_int, [c_void_p, ctypes.c_size_t]),
    "mpu_program_buffer_count": (ctypes.c_size_t, [c_void_p]),
    "mpu_program_find_buffer": (ctypes.c_size_t, [c_void_p, c_char_p]),
    "mpu_program_buffer_name": (c_char_p, [c_void_p, ctypes.c_size_t]),
    "mpu_program_buffer_use": (c_uint32, [c_void_p, ctypes.c_size_t]),
    "mpu_program_buffer_array_type": (c_int, [c_void_p, ctypes.c_size_t]),
    "mpu_session_new": ("*", [c_void_p, c_void_p, POINTER(Config)]),
    "mpu_session_free": (None, [c_void_p]),
    "mpu_session_bind_size": ("!", [c_void_p, c_char_p, c_uint64]),
    "mpu_session_put": ("!", [c_void_p, c_char_p, POINTER(Array)]),
    "mpu_session_run": ("!", [c_void_p]),
    "mpu_session_get": ("!", [c_void_p, c_char_p, POINTER(Array)]),
    "mpu_session_stats": ("*", [c_void_p, c_char_p]),
    "mpu_report": ("*", [c_char_p, POINTER(ReportConfig)]),
    "mpu_report_plot": ("*", [c_char_p, POINTER(ReportConfig), c_char_p]),
    "mpu_device_open": ("*", [c_void_p, POINTER(Config)]),
    "mpu_device_close": (None, [c_void_p]),
    "mpu_device_flush": ("!", [c_void_p]),
    "mpu_device_stats": ("*", [c_void_p, c_char_p]),
    "mpu_device_reset_stats": (None, [c_void_p]),
    "mpu_device_label": (c_int, [c_void_p, c_char_p]),
    "mpu_buffer_new": ("*", [c_void_p, VType, c_uint32, POINTER(c_uint64)]),
    "mpu_kernel_buffer_new": ("*", [c_void_p, c_uint32, c_uint32, POINTER(c_uint64)]),
    "mpu_buffer_units": (c_uint32, [c_void_p]),
    "mpu_buffer_unit_bytes": (c_uint64, [c_void_p, c_uint32]),
    "mpu_buffer_free": (None, [c_void_p]),
    "mpu_buffer_type": (VType, [c_void_p]),
    "mpu_buffer_bytes": (c_uint64, [c_void_p]),
    "mpu_buffer_address": (c_uint64, [c_void_p]),
    "mpu_buffer_put": ("!", [c_void_p, c_uint32, c_uint64, c_uint64, c_void_p]),
    "mpu_buffer_get": ("!", [c_void_p, c_uint32, c_uint64, c_uint64, c_void_p]),
    "mpu_module_load": ("*", [c_void_p, c_char_p, c_char_p, c_char_p, ctypes.c_size_t]),
    "mpu_module_free": (None, [c_void_p]),
    "mpu_module_kernel_name": (c_char_p, [c_void_p, ctypes.c_size_t]),
    "mpu_module_kernel": ("*", [c_void_p, c_char_p]),
    "mpu_module_buffer": ("*", [c_void_p, c_char_p]),
    "mpu_kernel_parameter_count": (c_uint32, [c_void_p]),
    "mpu_kernel_parameter_name": (c_char_p, [c_void_p, c_uint32]),
    "mpu_kernel_parameter_type": (VType, [c_void_p, c_uint32]),
    "mpu_kernel_parameter_is_buffer": (c_int, [c_void_p, c_uint32]),
    "mpu_kernel_parameter_bytes": (c_uint32, [c_void_p, c_uint32]),
    "mpu_launch_on": ("!", [c_void_p, POINTER(c_uint32), POINTER(c_uint32), c_uint64, c_uint32,
                            c_uint32, POINTER(Argument), c_uint32]),
    "mpu_vector_new": ("*", [c_void_p, VType, c_uint64]),
    "mpu_vector_retain": (c_void_p, [c_void_p]),
    "mpu_vector_release": (None, [c_void_p]),
    "mpu_vector_put": ("!", [c_void_p, c_uint64, c_uint64, c_void_p]),
    "mpu_vector_set": ("!", [c_void_p, c_void_p]),
    "mpu_vector_get": ("!", [c_void_p, c_uint64, c_uint64, c_void_p]),
    "mpu_op_name": (c_char_p, [c_int]),
    "mpu_apply": ("*", [c_void_p, c_int, VType, c_uint64, POINTER(Operand), c_uint32]),
    "mpu_take": ("*", [c_void_p, POINTER(Array)]),
    "mpu_move": ("*", [c_void_p, POINTER(Dim), c_uint32, c_int64, c_int, c_uint64]),
    "mpu_fold_axis": ("*", [c_void_p, c_int, VType, c_uint64, c_uint64]),
    "mpu_scan_axis": ("*", [c_void_p, c_int, VType, c_uint64, c_uint64]),
    "mpu_sort_axis": ("*", [c_void_p, c_uint64, c_uint64]),
    "mpu_pipeline_new": ("*", [c_void_p, c_uint64, POINTER(PipelineOptions)]),
    "mpu_pipeline_free": (None, [c_void_p]),
    "mpu_pipeline_stage": ("!", [c_void_p, POINTER(Stage)]),
    "mpu_pipeline_fetch": ("!", [c_void_p, c_void_p]),
    "mpu_pipeline_execute": ("!", [c_void_p]),
    "mpu_pipeline_length": (c_int, [c_void_p, c_void_p, POINTER(c_uint64)]),
    "mpu_pipeline_plan": ("*", [c_void_p]),
    "mpu_pipeline_program": ("*", [c_void_p, c_uint32]),
    "mpu_pipeline_stats": ("*", [c_void_p]),
    "mpu_pipeline_figure": (c_int, [c_void_p, c_char_p, POINTER(c_uint64)]),
    "mpu_matmul": ("*", [c_void_p, c_void_p, c_uint64, c_uint64, c_uint64]),
}


def _folders():
    """Where the library may lie: in the package (a wheel), below the folder that the package is
    installed in, or in the build folder of a source tree."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield here
    above = here
    for _ in range(5):
        above = os.path.dirname(above)
        yield above
        yield os.path.join(above, "lib")
        yield os.path.join(above, "build", "lib")
        lib = os.path.join(above, "lib")
        if os.path.isdir(lib):
            for name in sorted(os.listdir(lib)):
                if name.endswith("-linux-gnu"):
                    yield os.path.join(lib, name)


def _find():
    if os.environ.get("MPU_LIBRARY"):
        return os.environ["MPU_LIBRARY"]
    for folder in _folders():
        path = os.path.join(folder, "libmpu.so")
        if os.path.exists(path):
            return path
    return ctypes.util.find_library("mpu")


def _load():
    path = _find()
    if path is None:
        raise ImportError("mpusim: libmpu.so is not found: install the wheel, or set PYTHONPATH to "
                          "PREFIX/lib/python3/dist-packages of an installation")
    needed = os.path.join(os.path.dirname(path), "needed")  # of a wheel
    for name in sorted(os.listdir(needed), reverse=True) if os.path.isdir(needed) else ():
        ctypes.CDLL(os.path.join(needed, name), mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(path)
    library.mpu_api_version.restype = c_uint32
    version = library.mpu_api_version()
    if version >> 16 != API_MAJOR or version & 0xFFFF < API_MINOR:
        raise ImportError(f"mpusim: {path} has version {version >> 16}.{version & 0xFFFF} of the "
                          f"API, not {API_MAJOR}.{API_MINOR}")
    return library


_library = _load()


def _is_ours(name):
    """Whether code of that file is the package's, or NumPy's that calls it."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.dirname(os.path.abspath(name)) == here or name.startswith("<__array_function__") \
        or f"{os.sep}numpy{os.sep}" in name


def user_line():
    """File and line of the caller outside of this package, "" where there is none."""
    frame = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""


def _fail(error, code=None):
    if error:
        code = _library.mpu_error_code(error)
        text = (_library.mpu_error_text(error) or b"").decode("utf-8", "replace").strip()
        _library.mpu_error_free(error)
    else:
        text = "the library refused the call"
    raise _BY_CODE.get(code, Error)(text)


def _plain(name, result, arguments):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


def _checked(name, kind, arguments):
    function = _plain(name, c_int if kind == "!" else c_void_p, arguments + [_ERR])

    def call(*values):
        error = c_void_p()
        result = function(*values, byref(error))
        if (result < 0 if kind == "!" else not result) or error:
            _fail(error, result if kind == "!" else None)
        return result

    return call


def _bind():
    for name, (result, arguments) in _FUNCTIONS.items():
        make = _checked if result in ("!", "*") else _plain
        globals()[name[4:]] = make(name, result, arguments)


_bind()


def _operations():
    """Numbers of the library's operations on elements by their names."""
    numbers, name = {}, globals()["op_name"](0)
    while name:
        numbers[name.decode()] = len(numbers)
        name = globals()["op_name"](len(numbers))
    return numbers


_numbers = _operations()


def operation(name):
    """The number of the operation of that name; ImportError where the library has none."""
    if name not in _numbers:
        raise ImportError(f"mpusim: {_library._name} has no operation {name!r}: it is of another "
                          "version than the package")
    return _numbers[name]


def text_of(pointer):
    """The text that a function gave, which is released."""
    text = ctypes.cast(pointer, c_char_p).value.decode("utf-8")
    globals()["string_free"](pointer)
    return text


def strings(words):
    """A list of C strings that ends with NULL."""
    return (c_char_p * (len(words) + 1))(*[w.encode() for w in words], None)


def config(engine=None, **members):
    """An mpu_config with these members; texts as str.  MPU_ENGINE of the environment names the
    engine where the caller does not."""
    c = Config(size=ctypes.sizeof(Config))
    members["engine"] = engine if engine is not None else os.environ.get("MPU_ENGINE") or None
    types = dict(Config._fields_)
    for name, value in members.items():
        if isinstance(value, str):
            setattr(c, name, value.encode())
        elif value is not None:
            setattr(c, name, unsigned(name, value, 8 * ctypes.sizeof(types[name])))
    return c


def unsigned(name, value, bits=64):
    """The number, for an argument of so many bits, of which C would take what it cuts it to."""
    value = operator.index(value)
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} is a number from 0 on, below 2^{bits}, not {value}")
    return value

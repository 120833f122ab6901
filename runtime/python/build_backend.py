# SPDX-License-Identifier: MIT
"""Makes the wheel of mpusim: its Python files, the library and what that needs, for one platform.

PEP 517 without anything that has to be downloaded, and without a compiler: libmpu.so is that of the
source tree's build folder, or of the installation that this folder lies in; the environment
variable MPU_LIBRARY names another one."""

import base64
import ctypes
import hashlib
import os
import pathlib
import platform
import zipfile

_HERE = pathlib.Path(__file__).resolve().parent
_TIME = (2020, 1, 1, 0, 0, 0)  # the same files give the same wheel


def _library():
    named = os.environ.get("MPU_LIBRARY")
    places = [pathlib.Path(named)] if named else \
        [above / "build" / "lib" / "libmpu.so" for above in _HERE.parents[:3]] + \
        [path for above in _HERE.parents[:5] for path in sorted(above.glob("lib/**/libmpu.so"))]
    for path in places:
        if path.exists():
            return path
    raise SystemExit("mpusim: there is no libmpu.so; run ./dev build first, or set MPU_LIBRARY")


def _needed(library):
    """Libraries that libmpu.so needs and that a machine may lack: found by loading it."""
    ctypes.CDLL(str(library))
    paths = {line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8")
             if ".so" in line}
    return sorted(pathlib.Path(p) for p in paths
                  if pathlib.Path(p).name.startswith(("libyaml", "libelf", "libtinfo", "libz.")))


def _soname(path):
    """Name by which others need a library: up to its first number."""
    stem, _, numbers = path.name.partition(".so")
    if stem.startswith("libelf-"):
        return "libelf.so.1"
    return f"{stem}.so.{numbers.lstrip('.').split('.')[0]}"


def _version():
    for above in _HERE.parents[:3]:
        if (above / "VERSION").exists():
            return (above / "VERSION").read_text().strip()
    return (_HERE / "VERSION").read_text().strip()


def _tag():
    machine = platform.machine()
    glibc = platform.libc_ver()[1].split(".")
    return f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}" if len(glibc) > 1 \
        else f"py3-none-linux_{machine}"


def _metadata(version):
    return (f"Metadata-Version: 2.1\nName: mpusim\nVersion: {version}\n"
            "Summary: Arrays on emulated memory processing units, with NumPy's operators\n"
            "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.24\n")


def _put(wheel, records, name, data, mode=0o644):
    info = zipfile.ZipInfo(name, _TIME)
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: the name of the wheel that was made."""
    version = _version()
    name = f"mpusim-{version}-{_tag()}.whl"
    folder = f"mpusim-{version}.dist-info"
    records = []
    path = pathlib.Path(wheel_directory) / name
    with zipfile.ZipFile(path, "w") as wheel:
        for file in sorted((_HERE / "mpusim").iterdir()):
            if file.suffix in (".py", ".pyi", ".typed"):
                _put(wheel, records, f"mpusim/{file.name}", file.read_bytes())
        library = _library()
        _put(wheel, records, "mpusim/libmpu.so", library.read_bytes(), 0o755)
        for path in _needed(library):
            _put(wheel, records, f"mpusim/needed/{_soname(path)}", path.read_bytes(), 0o755)
        _put(wheel, records, f"{folder}/METADATA", _metadata(version).encode())
        _put(wheel, records, f"{folder}/WHEEL",
             f"Wheel-Version: 1.0\nGenerator: mpusim\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
             .encode())
        records.append(f"{folder}/RECORD,,")
        info = zipfile.ZipInfo(f"{folder}/RECORD", _TIME)
        info.external_attr = 0o100644 << 16
        wheel.writestr(info, "\n".join(records) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517 asks for it; the source of the package is the toolchain's."""
    raise SystemExit("mpusim is built from the toolchain's source tree: pip wheel runtime/python")


def get_requires_for_build_wheel(config_settings=None):
    return []

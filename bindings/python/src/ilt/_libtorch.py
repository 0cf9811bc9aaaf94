"""Makes libilt use the libtorch of the `torch` package, so that a process never has two.

libilt needs libtorch_cpu.so. Where `torch` is imported already, that is in the process, and the dynamic linker takes it.
Where it is not, it is loaded here from the package's folder, without importing the package: a later `import torch` then
finds it loaded in turn. Without a `torch` package, libilt looks where it was built to look.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import importlib.util
import pathlib
import sys


def folder() -> pathlib.Path | None:
    """The folder of the `torch` package; None where there is none."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    return pathlib.Path(spec.origin).parent


def load() -> None:
    """Loads libtorch_cpu.so, unless `torch` has done so."""
    torch = folder()
    if torch is None or "torch" in sys.modules:
        return
    library = torch / "lib" / "libtorch_cpu.so"
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        raise ImportError(f"ilt cannot load the torch package's {library}: {error}. Does `import torch` work?") from error


def load_native() -> None:
    """Loads ilt._native, and says what to do where it is not there, or libilt or libtorch is not found."""
    try:
        importlib.import_module("ilt._native")
    except ModuleNotFoundError:
        here = pathlib.Path(__file__).parent
        built = ", ".join(sorted(path.name for path in here.glob("_native.*.so"))) or "none"
        raise ImportError(
            f"ilt's module _native for Python {sys.version_info.major}.{sys.version_info.minor} is not in {here} "
            f"(found: {built}); build it with this Python (pip install), or run the Python that it was built with"
        ) from None
    except ImportError as error:
        torch = f"torch {importlib.metadata.version('torch')}" if folder() else "no torch package"
        raise ImportError(
            f"ilt cannot load its module: {error}. There is {torch} here; what is missing of libilt.so and libtorch has to "
            "be in a folder of LD_LIBRARY_PATH, and libtorch of the minor version that ilt was built with"
        ) from error


def check(built_with: str) -> None:
    """Refuses a torch package of another minor version than libilt was built with: their interfaces differ."""
    if folder() is None:
        return
    installed = importlib.metadata.version("torch")
    if installed.split(".")[:2] != built_with.split(".")[:2]:
        raise ImportError(
            f"ilt was built with libtorch {built_with}, but the torch package is {installed}; "
            f"install torch {'.'.join(built_with.split('.')[:2])}.*, or build ilt with the torch that is there"
        )

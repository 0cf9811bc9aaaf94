"""The library that runs: its version, how it was built, what it can train, and on which devices."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import Any

from . import _native

__all__ = [
    "Device",
    "DeviceType",
    "abi_version",
    "build_info",
    "devices",
    "has_feature",
    "model_families",
    "version",
    "version_number",
]


class DeviceType(enum.IntEnum):
    """Kinds of devices; the values are DLPack's."""

    CPU = 1
    CUDA = 2
    METAL = 8
    ROCM = 10
    OTHER = 12
    ONEAPI = 14


@dataclasses.dataclass(frozen=True, slots=True)
class Device:
    """A device that can be used from this process."""

    type: DeviceType
    index: int
    mem_total_bytes: int
    """0: unknown."""
    mem_free_bytes: int
    id: str
    """What the option `device` takes: "cpu", "cuda:0"."""
    name: str


def devices() -> list[Device]:
    """The devices that can be used; the first is the CPU."""
    found = (_native.ilt_device_get(index) for index in range(_native.ilt_device_count()))
    return [Device(DeviceType(device[0]), *device[1:]) for device in found]


def version() -> str:
    """The version of the library that runs, "0.1.0"."""
    return _native.ilt_version_string()


def version_number() -> int:
    """The same as a number: major << 24 | minor << 16 | patch."""
    return _native.ilt_version_number()


def abi_version() -> int:
    """The interface of the library that runs: major << 16 | minor."""
    return _native.ilt_abi_version()


def check_abi() -> None:
    """Refuses a library of another interface than this package was built for."""
    if abi_version() != _native.ILT_ABI_VERSION:
        built = f"{_native.ILT_VERSION_MAJOR}.{_native.ILT_VERSION_MINOR}"
        raise ImportError(f"this package was built for libilt {built}, but libilt {version()} is loaded: reinstall one")


def build_info() -> dict[str, Any]:
    """How the library was built: version, compiler, libtorch, cpu_capability, features."""
    info: dict[str, Any] = json.loads(_native.ilt_build_info_json())
    return info


def has_feature(name: str) -> bool:
    """Whether this build has a feature; `build_info()["features"]` lists them."""
    return bool(_native.ilt_has_feature(name))


def model_families() -> list[dict[str, Any]]:
    """The model families that can be trained: architecture (as config.json has it), model_type, models."""
    families: list[dict[str, Any]] = json.loads(_native.ilt_model_families_json())
    return families

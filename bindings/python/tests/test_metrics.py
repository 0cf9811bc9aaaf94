"""Metrics as rows of tables and as curves."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
from typing import Any

import ilt
import pytest
from conftest import SOURCE


def test_members_are_those_of_the_header() -> None:
    header = (SOURCE / "include/ilt.h").read_text(encoding="utf-8")
    for struct, kind in (("ilt_metrics", ilt.Metrics), ("ilt_device_info", ilt.Device)):
        body = re.search(rf"typedef struct {struct} \{{(.*?)\}} {struct};", header, re.S)
        assert body is not None
        members = re.findall(r"\b(\w+)(?:\[\d+\])?;", re.sub(r"/\*.*?\*/", "", body[1], flags=re.S))
        wanted = [member for member in members if member not in ("struct_size", "reserved")]
        assert [field.name for field in dataclasses.fields(kind)] == wanted


def test_events_and_devices_have_the_headers_values() -> None:
    from ilt import _native

    for prefix, kind in (("ILT_EVENT_", ilt.EventType), ("ILT_DEVICE_", ilt.DeviceType)):
        constants = {name: getattr(_native, name) for name in dir(_native) if name.startswith(prefix)}
        assert constants == {prefix + member.name: member.value for member in kind}


def test_a_metrics_file_is_read(tmp_path: pathlib.Path) -> None:
    records = [{"options": 1}, {"step": 1, "loss": 2.0}, {"step": 1, "val_loss": 1.5}, {"step": 2, "loss": None}]
    path = tmp_path / "training_params_and_metrics_global0.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert ilt.read_metrics(path) == ilt.read_metrics(tmp_path) == records[1:]


def points(line: Any) -> tuple[list[float], list[float]]:
    """Of a line of matplotlib's."""
    return list(line.get_xdata()), list(line.get_ydata())


def test_the_loss_is_drawn(session: ilt.Session, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    run = list(session.steps())
    ax = ilt.plot_loss(run, path=tmp_path / "loss.png")
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    assert points(ax.lines[0]) == ([1, 2, 3, 4], [metrics.loss for metrics in run])
    records: list[dict[str, Any]] = [{"step": 1, "loss": 4.0}, {"step": 2, "loss": 2.0}, {"step": 2, "val_loss": 3.0}]
    runs: dict[str, Any] = {"a": records, "b": run}
    ax = ilt.plot_loss(runs, smooth=0.5)
    smoothed, _, validation, *_ = ax.lines
    assert points(smoothed)[1] == pytest.approx([4.0, (4 * 0.25 + 2 * 0.5) / 0.75])
    assert points(validation) == ([2], [3.0])
    with pytest.raises(ValueError, match="smooth"):
        ilt.plot_loss(run, smooth=1)


def test_the_library_is_described() -> None:
    assert ilt.version() == ilt.__version__ == ilt.build_info()["version"]
    number = ilt.version_number()
    assert f"{number >> 24}.{number >> 16 & 255}.{number & 65535}" == ilt.version()
    assert ilt.has_feature("train") and not ilt.has_feature("nothing")
    assert ilt.devices()[0].type is ilt.DeviceType.CPU and ilt.devices()[0].id == "cpu"
    assert "LlamaForCausalLM" in {family["architecture"] for family in ilt.model_families()}

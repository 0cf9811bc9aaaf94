"""Parameters: read and written through DLPack, with NumPy and where it is there torch."""

from __future__ import annotations

import dataclasses
import gc
import json
import pathlib
import struct

import ilt
import pytest
from conftest import MODEL

numpy = pytest.importorskip("numpy")
NORM = "model.norm.weight"


def stored(name: str) -> list[float]:
    """The values of a float32 tensor of the model's file."""
    content = (MODEL / "model.safetensors").read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    entry = json.loads(content[8 : 8 + length])[name]
    assert entry["dtype"] == "F32"
    begin, end = entry["data_offsets"]
    return list(struct.unpack(f"<{(end - begin) // 4}f", content[8 + length + begin : 8 + length + end]))


def test_parameters_are_a_mapping(session: ilt.Session) -> None:
    parameters = session.parameters
    assert len(parameters) == session.model_info()["tensors"]
    assert NORM in parameters and "nothing" not in parameters
    assert list(parameters) == list(parameters)
    total = 0
    for name, parameter in parameters.items():
        assert parameter.name == name and parameter.trained and parameter.device == "cpu"
        assert parameter.nbytes == 4 * numpy.prod(parameter.shape)
        total += parameter.nbytes // 4
    assert total == session.model_info()["parameters"]
    assert "model.norm.weight" in repr(parameters[NORM])
    with pytest.raises(KeyError, match="nothing"):
        parameters["nothing"]


def test_values_are_those_of_the_file(session: ilt.Session) -> None:
    for name, parameter in session.parameters.items():
        values = parameter.numpy()
        assert values.shape == parameter.shape and str(values.dtype) == parameter.dtype
        assert values.ravel().tolist() == stored(name), name


def test_a_view_follows_training_and_outlives_the_session(options: ilt.Options) -> None:
    with ilt.Session(options) as session:
        parameter = session.parameters[NORM]
        view, copy = numpy.from_dlpack(parameter), parameter.numpy()
        assert not view.flags.writeable and copy.flags.writeable
        assert (view == copy).all()
        session.step()
        assert (view != copy).any()
        now = parameter.numpy()
    assert (view == now).all()
    with pytest.raises(ilt.ClosedError):
        parameter.numpy()


def test_capsules_that_nobody_takes_are_freed(session: ilt.Session) -> None:
    parameter = session.parameters["model.embed_tokens.weight"]
    for _ in range(1000):
        parameter.__dlpack__(max_version=(1, 0), copy=True)
    gc.collect()
    with pytest.raises(BufferError, match="max_version"):
        parameter.__dlpack__()
    with pytest.raises(BufferError, match="CPU"):
        parameter.__dlpack__(max_version=(1, 0), dl_device=(2, 0))
    assert parameter.__dlpack_device__() == (1, 0)


def test_values_are_set(session: ilt.Session, tmp_path: pathlib.Path) -> None:
    parameter = session.parameters["model.layers.0.self_attn.q_proj.weight"]
    before = session.score([1, 2, 3])
    values = parameter.numpy()
    for kind in ("float32", "float64", "float16"):
        wanted = (values * 2).astype(kind)
        parameter.assign(wanted)
        assert (parameter.numpy() == wanted.astype("float32")).all()
    parameter.assign(numpy.asfortranarray(values * 3))
    assert (parameter.numpy() == values * 3).all()
    assert session.score([1, 2, 3]) != before
    parameter.assign(values)
    assert session.score([1, 2, 3]) == before
    with pytest.raises(ilt.InvalidArgumentError, match="shape"):
        parameter.assign(values[:1])
    with pytest.raises(ilt.InvalidArgumentError):
        parameter.assign(values.astype("int32"))
    assert (parameter.numpy() == values).all()


def test_a_capsule_is_taken_once(session: ilt.Session) -> None:
    class Used:
        capsule = numpy.ones(1, dtype="float32").__dlpack__(max_version=(1, 0))

        def __dlpack__(self, *, max_version: tuple[int, int]) -> object:
            return self.capsule

    used = Used()
    with pytest.raises(ilt.InvalidArgumentError):
        session.parameters[NORM].assign(used)  # the shape differs; the tensor is libilt's in any case
    with pytest.raises(BufferError, match="fresh capsule"):
        session.parameters[NORM].assign(used)


def test_frozen_parameters_say_so(options: ilt.Options) -> None:
    with ilt.Session(dataclasses.replace(options, freeze=["model.norm*"])) as session:
        assert not session.parameters[NORM].trained
        before = session.parameters[NORM].numpy()
        session.step()
        assert (session.parameters[NORM].numpy() == before).all()


def test_torch_shares_them(session: ilt.Session) -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    parameter = session.parameters[NORM]
    assert torch.equal(torch.from_dlpack(parameter), torch.from_numpy(parameter.numpy()))
    parameter.assign(torch.full(parameter.shape, 2.0, dtype=torch.bfloat16))
    assert (parameter.numpy() == 2).all()

"""ilt.instructlab: a script of instructlab.training trains here, or is told why not."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import threading
from typing import Any

import ilt
import pytest
from conftest import MODEL
from ilt import instructlab as il


@pytest.fixture
def args(tmp_path: pathlib.Path) -> il.TrainingArgs:
    return il.TrainingArgs(
        model_path=MODEL,
        data_path=f"{MODEL}.jsonl",
        data_output_dir=tmp_path / "data",
        ckpt_output_dir=tmp_path / "out",
        max_seq_len=128,
        max_batch_len=256,
        effective_batch_size=2,
        learning_rate=1e-3,
        num_epochs=2,
    )


TORCH_ARGS = il.TorchrunArgs(nproc_per_node="gpu", nnodes=1, node_rank=0, rdzv_id=123, rdzv_endpoint="127.0.0.1:12345")


def test_a_run_writes_what_instructlab_writes(args: il.TrainingArgs, tmp_path: pathlib.Path) -> None:
    result = il.run_training(torch_args=TORCH_ARGS, train_args=args)
    assert not result.stopped and result.metrics.step == 4
    out = tmp_path / "out"
    assert sorted(path.name for path in (out / "hf_format").iterdir() if path.is_dir()) == ["samples_4", "samples_8"]
    assert list((out / "full_state").iterdir())
    assert (tmp_path / "data" / "data.safetensors").exists()
    assert "LlamaForCausalLM" in (out / "full_logs_global0.log").read_text()
    records = ilt.read_metrics(out)
    assert [record["step"] for record in records] == [1, 2, 3, 4]
    assert {"avg_loss", "gradnorm", "samples_seen", "lr"} <= records[0].keys()


def test_losses_are_those_of_the_options(args: il.TrainingArgs) -> None:
    seen: list[float] = []

    def keep(event: ilt.Event) -> None:
        if event.type is ilt.EventType.STEP_END:
            seen.append(event.metrics.loss)

    for processed in (True, False):
        seen.clear()
        out = pathlib.Path(args.ckpt_output_dir) / str(processed)
        il.run_training(TORCH_ARGS, dataclasses.replace(args, process_data=processed, ckpt_output_dir=out, callbacks=[keep]))
        with ilt.Session(dataclasses.replace(il.translate(TORCH_ARGS, args), ckpt_output_dir="")) as session:
            assert seen == [metrics.loss for metrics in session.steps()]


def test_every_argument_is_translated_or_refused(args: il.TrainingArgs) -> None:
    plain = il.translate(TORCH_ARGS, args).as_dict()
    changed: dict[str, tuple[Any, str, Any]] = {
        "save_samples": (4, "save_samples", 4),
        "warmup_steps": (3, "warmup_steps", 3),
        "adamw_weight_decay": (0.1, "weight_decay", 0.1),
        "adamw_betas": ((0.8, 0.9), "betas", [0.8, 0.9]),
        "adamw_eps": (1e-6, "optimizer_eps", 1e-6),
        "random_seed": (1, "seed", 1),
        "chat_tmpl_path": ("t.jinja", "chat_template_path", "t.jinja"),
        "checkpoint_at_epoch": (False, "checkpoint_at_epoch", False),
        "accelerate_full_state_at_epoch": (False, "full_state_at_epoch", False),
        "keep_last_checkpoint_only": (True, "keep_last_checkpoint_only", True),
        "pretraining_config": (il.PretrainingConfig(block_size=64), "block_size", 64),
        "validation_split": (0.25, "validation_split", 0.25),
        "validation_frequency": (5, "validation_frequency", 5),
    }
    for name, (value, option, expected) in changed.items():
        made = il.translate(TORCH_ARGS, dataclasses.replace(args, **{name: value})).as_dict()
        assert made == {**plain, option: expected}, name


def test_routers_stay_where_instructlab_keeps_them(args: il.TrainingArgs, tmp_path: pathlib.Path) -> None:
    for model_type, frozen in (("gpt_oss", True), ("granitemoehybrid", True), ("mixtral", False)):
        (tmp_path / "config.json").write_text(json.dumps({"model_type": model_type}))
        assert il.translate(TORCH_ARGS, dataclasses.replace(args, model_path=tmp_path)).freeze_router is frozen


@pytest.mark.parametrize(
    "change",
    [
        {"lora": il.LoraOptions()},
        {"distributed_backend": il.DistributedBackend.DEEPSPEED},
        {"deepspeed_options": il.DeepSpeedOptions(cpu_offload_optimizer=True)},
        {"use_legacy_tmpl": True},
        {"chat_tmpl_path": "ibm_generic_tmpl.py"},
        {"data_process_num_cpu_procs": 4},
        {"use_liger": True},
        {"use_dolomite": True},
        {"mock_data": True},
        {"trust_remote_code": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_has_no_counterpart_is_refused(args: il.TrainingArgs, change: dict[str, Any]) -> None:
    (name,) = change
    with pytest.raises(ilt.UnsupportedError, match=name) as caught:
        il.run_training(TORCH_ARGS, dataclasses.replace(args, **change))
    assert name in caught.value.detail["key"]
    assert not pathlib.Path(args.ckpt_output_dir).exists()


def test_all_refusals_come_at_once(args: il.TrainingArgs) -> None:
    several = dataclasses.replace(
        args,
        lora=il.LoraOptions(rank=8),
        fsdp_options=il.FSDPOptions(cpu_offload_params=True),
        pretraining_config=il.PretrainingConfig(block_size=64, document_column_name="text"),
    )
    with pytest.raises(ilt.UnsupportedError) as caught:
        il.translate(il.TorchrunArgs(nproc_per_node=8, nnodes=2, master_addr="host"), several)
    for name in ("nproc_per_node", "nnodes", "lora", "cpu_offload_params", "document_column_name"):
        assert name in str(caught.value)


def test_a_backend_may_be_given_by_its_value(args: il.TrainingArgs) -> None:
    il.translate(TORCH_ARGS, dataclasses.replace(args, distributed_backend="fsdp"))
    with pytest.raises(ilt.UnsupportedError, match="distributed_backend"):
        il.translate(TORCH_ARGS, dataclasses.replace(args, distributed_backend="deepspeed"))


def test_a_hub_name_is_explained(args: il.TrainingArgs) -> None:
    with pytest.raises(ilt.NotFoundError, match="hf download"):
        il.translate(TORCH_ARGS, dataclasses.replace(args, model_path="ibm-granite/granite-3.1-2b"))


def test_documents_are_cut_into_blocks(args: il.TrainingArgs, tmp_path: pathlib.Path) -> None:
    data = tmp_path / "documents.jsonl"
    data.write_text("".join(json.dumps({"document": "Blue is a colour. " * 20}) + "\n" for _ in range(6)))
    documents = dataclasses.replace(args, data_path=data, pretraining_config=il.PretrainingConfig(block_size=64))
    assert il.run_training(TORCH_ARGS, documents).metrics.step > 0


def test_data_is_processed_alone(args: il.TrainingArgs, tmp_path: pathlib.Path) -> None:
    given = il.DataProcessArgs(
        data_path=args.data_path, data_output_path=tmp_path / "processed", max_seq_len=128, model_path=MODEL
    )
    with ilt.Dataset.open(il.process_data(given)) as data:
        assert len(data) == 4


def test_a_checkpoint_on_demand(args: il.TrainingArgs, tmp_path: pathlib.Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    for full_state in (True, False):
        out = tmp_path / f"out{full_state}"
        asked = threading.Event()

        def ask(event: ilt.Event, asked: threading.Event = asked) -> None:
            if event.metrics.step == 2 and not asked.is_set():
                asked.set()
                os.kill(os.getpid(), signal.SIGTERM)

        demanded = dataclasses.replace(
            args,
            on_demand_checkpointing=True,
            ckpt_output_dir=out,
            accelerate_full_state_at_epoch=full_state,
            num_epochs=50,
            callbacks=[ask],
        )
        result = il.run_training(TORCH_ARGS, demanded)
        assert result.stopped
        step, samples = result.metrics.step, result.metrics.samples_seen
        assert (out / "hf_format" / f"samples_{samples}" / "config.json").exists()
        ilt.checkpoint.verify(out / "full_state" / f"step_{step}")
        assert signal.getsignal(signal.SIGTERM) is before

"""InstructLab's arguments as ilt.Options; what has no counterpart is refused by name."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator

from .. import _native
from ..errors import NotFoundError, UnsupportedError
from ..options import Options
from ..runtime import DeviceType, devices
from .args import DataProcessArgs, DeepSpeedOptions, DistributedBackend, TorchrunArgs, TrainingArgs


def _processes(torch_args: TorchrunArgs) -> int:
    if torch_args.nproc_per_node != "gpu":
        return torch_args.nproc_per_node
    return max(1, sum(device.type is not DeviceType.CPU for device in devices()))


def _refused(torch_args: TorchrunArgs, args: TrainingArgs) -> Iterator[tuple[str, str]]:
    """Names of arguments that libilt has no counterpart for as they are set, and what to do."""
    if _processes(torch_args) > 1 or torch_args.nnodes > 1:
        yield "nproc_per_node, nnodes", "training runs in this process, on one device: set both to 1"
    if args.lora is not None:
        yield "lora", "there are no adapters: all weights are trained, or those that Options.freeze leaves"
    if DistributedBackend(args.distributed_backend) is not DistributedBackend.FSDP:
        yield "distributed_backend", "there is no DeepSpeed here"
    if args.deepspeed_options != DeepSpeedOptions():
        yield "deepspeed_options", "there is no DeepSpeed here"
    if args.fsdp_options.cpu_offload_params:
        yield "fsdp_options.cpu_offload_params", "parameters stay on their device"
    yield from _refused_data(args)
    if args.use_liger:
        yield "use_liger", "kernels with a fused loss are always used: leave it out"
    if args.use_dolomite:
        yield "use_dolomite", "models are read in Hugging Face's format only"
    if args.trust_remote_code:
        yield "trust_remote_code", "no code of a model's folder is ever run"


def _refused_data(args: TrainingArgs) -> Iterator[tuple[str, str]]:
    if args.use_legacy_tmpl:
        yield "use_legacy_tmpl", "give a Jinja template as chat_tmpl_path"
    if args.chat_tmpl_path is not None and os.fspath(args.chat_tmpl_path).endswith(".py"):
        yield "chat_tmpl_path", "a Python file is not run: write its CHAT_TEMPLATE to a .jinja file"
    if args.data_process_num_cpu_procs != TrainingArgs.data_process_num_cpu_procs:
        yield "data_process_num_cpu_procs", "processing uses all cores, with threads: leave it out"
    if args.pretraining_config is not None and args.pretraining_config.document_column_name != "document":
        yield "pretraining_config.document_column_name", "documents stand under the key 'document'"
    if args.mock_data or args.mock_data_len:
        yield "mock_data, mock_data_len", "training is on data only"


def _model_folder(model_path: str | os.PathLike[str]) -> str:
    path = os.fspath(model_path)
    if not os.path.exists(path):
        message = f"model_path {path}: does not exist; nothing is downloaded, fetch a model of a hub first (hf download)"
        raise NotFoundError(message, _native.ILT_ERR_NOT_FOUND, {"key": "model_path", "file": path})
    return path


def _freezes_router(model_path: str) -> bool:
    """Whether InstructLab keeps the routers of this model's experts as they are."""
    config = pathlib.Path(model_path) / "config.json"
    if not config.is_file():
        return False
    return json.loads(config.read_text(encoding="utf-8")).get("model_type") in ("gpt_oss", "granitemoehybrid")


def processed_path(args: TrainingArgs) -> pathlib.Path:
    """Where processed data is put."""
    return pathlib.Path(args.data_output_dir) / "data.safetensors"


def translate(torch_args: TorchrunArgs, train_args: TrainingArgs) -> Options:
    """The options of the run; raises UnsupportedError that names all arguments which libilt has no counterpart for.

    Satisfied without an option of their own are is_padding_free (samples are never padded), disable_flash_attn (that
    package is not used), fsdp_options.sharding_strategy (one process holds everything), and node_rank, rdzv_id,
    rdzv_endpoint, master_addr and master_port (one process has none to meet).
    """
    refused = list(_refused(torch_args, train_args))
    if refused:
        text = "; ".join(f"{name} ({remedy})" for name, remedy in refused)
        detail = {"key": ", ".join(name for name, _ in refused)}
        raise UnsupportedError(f"libilt has no counterpart for {text}", _native.ILT_ERR_UNSUPPORTED, detail)
    args = train_args
    model_path = _model_folder(args.model_path)
    return Options(
        model_path=model_path,
        data_path=args.data_path,
        ckpt_output_dir=args.ckpt_output_dir,
        max_seq_len=args.max_seq_len,
        max_batch_len=args.max_batch_len,
        effective_batch_size=args.effective_batch_size,
        learning_rate=args.learning_rate,
        num_epochs=args.num_epochs,
        save_samples=max(args.save_samples, 0),
        warmup_steps=args.warmup_steps,
        weight_decay=args.adamw_weight_decay,
        betas=args.adamw_betas,
        optimizer_eps=args.adamw_eps,
        seed=args.random_seed,
        chat_template_path=args.chat_tmpl_path or "",
        checkpoint_at_epoch=args.checkpoint_at_epoch,
        full_state_at_epoch=args.accelerate_full_state_at_epoch,
        keep_last_checkpoint_only=args.keep_last_checkpoint_only,
        block_size=args.pretraining_config.block_size if args.pretraining_config else 0,
        validation_split=args.validation_split,
        validation_frequency=args.validation_frequency or 0,
        resize_vocab=True,
        resize_vocab_multiple=8,
        freeze_router=_freezes_router(model_path),
        device="auto",
    )


def translate_processing(args: DataProcessArgs) -> Options:
    """The options of data processing."""
    training = TrainingArgs(
        model_path=args.model_path,
        data_path=args.data_path,
        data_output_dir=args.data_output_path,
        ckpt_output_dir="",
        max_seq_len=args.max_seq_len,
        max_batch_len=args.max_seq_len,
        effective_batch_size=1,
        learning_rate=1e-5,
        chat_tmpl_path=args.chat_tmpl_path,
        data_process_num_cpu_procs=args.num_cpu_procs,
    )
    return translate(TorchrunArgs(), training)

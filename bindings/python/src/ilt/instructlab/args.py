"""The arguments of instructlab.training, with its names and defaults."""

from __future__ import annotations

import dataclasses
import enum
import os
from collections.abc import Sequence
from typing import Literal

from ..events import EventFunction

StrPath = str | os.PathLike[str]


class DistributedBackend(enum.Enum):
    """What spreads a run over devices."""

    FSDP = "fsdp"
    DEEPSPEED = "deepspeed"


class ShardingStrategies(enum.Enum):
    """How FSDP shares a model out among processes; with one process, all are the same."""

    FULL_SHARD = "FULL_SHARD"
    SHARD_GRAD_OP = "SHARD_GRAD_OP"
    NO_SHARD = "NO_SHARD"
    HYBRID_SHARD = "HYBRID_SHARD"


class DeepSpeedOffloadStrategy(enum.Enum):
    """Where DeepSpeed puts optimizer state."""

    CPU = "cpu"
    NONE = None


class QuantizeDataType(enum.Enum):
    """Type of a quantised base model under LoRA."""

    NF4 = "nf4"
    NONE = None


@dataclasses.dataclass(kw_only=True)
class TorchrunArgs:
    """How many processes run, and how they find each other. Training runs in this process: one on one node."""

    nproc_per_node: Literal["gpu"] | int = 1
    nnodes: int = 1
    node_rank: int = 0
    rdzv_id: str | int = 0
    rdzv_endpoint: str | None = None
    master_addr: str | None = None
    master_port: int | None = None


@dataclasses.dataclass(kw_only=True)
class LoraOptions:
    """Low-rank adapters."""

    rank: int = 4
    alpha: int = 32
    dropout: float = 0.1
    target_modules: Sequence[str] | None = None
    quantize_data_type: QuantizeDataType = QuantizeDataType.NONE


@dataclasses.dataclass(kw_only=True)
class DeepSpeedOptions:
    """Options of the DeepSpeed backend."""

    cpu_offload_optimizer: bool = False
    cpu_offload_optimizer_ratio: float = 1
    cpu_offload_optimizer_pin_memory: bool = False
    save_samples: int | None = None


@dataclasses.dataclass(kw_only=True)
class FSDPOptions:
    """Options of the FSDP backend."""

    cpu_offload_params: bool = False
    sharding_strategy: ShardingStrategies = ShardingStrategies.HYBRID_SHARD


@dataclasses.dataclass(kw_only=True)
class PretrainingConfig:
    """Training on documents, put end to end and cut into blocks."""

    block_size: int
    document_column_name: str = "document"


@dataclasses.dataclass(kw_only=True)
class DataProcessArgs:
    """What process_data() takes."""

    data_path: StrPath
    data_output_path: StrPath
    max_seq_len: int
    model_path: StrPath
    chat_tmpl_path: StrPath | None = None
    num_cpu_procs: int = 16


@dataclasses.dataclass(kw_only=True)
class TrainingArgs:
    """What a run trains, on what, and how."""

    model_path: StrPath
    data_path: StrPath
    data_output_dir: StrPath
    ckpt_output_dir: StrPath
    max_seq_len: int
    max_batch_len: int
    effective_batch_size: int
    learning_rate: float
    num_epochs: int = 1
    save_samples: int = 0
    warmup_steps: int = 0
    adamw_weight_decay: float = 0.0
    adamw_betas: tuple[float, float] = (0.9, 0.95)
    adamw_eps: float = 1e-8
    random_seed: int = 42
    chat_tmpl_path: StrPath | None = None
    use_legacy_tmpl: bool = False
    checkpoint_at_epoch: bool = True
    accelerate_full_state_at_epoch: bool = True
    keep_last_checkpoint_only: bool = False
    process_data: bool = True
    data_process_num_cpu_procs: int = 16
    pretraining_config: PretrainingConfig | None = None
    deepspeed_options: DeepSpeedOptions = dataclasses.field(default_factory=DeepSpeedOptions)
    fsdp_options: FSDPOptions = dataclasses.field(default_factory=FSDPOptions)
    distributed_backend: DistributedBackend | Literal["fsdp", "deepspeed"] = DistributedBackend.FSDP
    lora: LoraOptions | None = None
    disable_flash_attn: bool = False
    use_liger: bool = False
    use_dolomite: bool = False
    is_padding_free: bool = False
    mock_data: bool = False
    mock_data_len: int = 0
    trust_remote_code: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = "INFO"
    mlflow_tracking_uri: str | None = None
    mlflow_experiment_name: str | None = None
    mlflow_run_name: str | None = None
    wandb_project: str | None = None
    wandb_entity: str | None = None
    wandb_run_name: str | None = None
    tensorboard_log_dir: StrPath | None = None
    validation_split: float = 0.0
    validation_frequency: int | None = None
    on_demand_checkpointing: bool = False
    callbacks: Sequence[EventFunction] = ()

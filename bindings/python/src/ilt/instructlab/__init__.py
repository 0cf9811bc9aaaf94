"""InstructLab's training library by its own names: a script changes one import.

    - from instructlab.training import run_training, TorchrunArgs, TrainingArgs
    + from ilt.instructlab import run_training, TorchrunArgs, TrainingArgs

Names, defaults, data files, checkpoint folders and metrics are those of instructlab.training. What libilt has no
counterpart for is refused by name, all at once, before anything is read; see `translate` for the whole list. Where
libilt knowingly differs: max_seq_len is inclusive, samples of fewer than 20 tokens are kept, processed data is
data_output_dir/data.safetensors, and training runs in this process, on the CPU too.
"""

from .args import (
    DataProcessArgs,
    DeepSpeedOffloadStrategy,
    DeepSpeedOptions,
    DistributedBackend,
    FSDPOptions,
    LoraOptions,
    PretrainingConfig,
    QuantizeDataType,
    ShardingStrategies,
    TorchrunArgs,
    TrainingArgs,
)
from .run import process_data, run_training
from .translate import translate

__all__ = [
    "DataProcessArgs",
    "DeepSpeedOffloadStrategy",
    "DeepSpeedOptions",
    "DistributedBackend",
    "FSDPOptions",
    "LoraOptions",
    "PretrainingConfig",
    "QuantizeDataType",
    "ShardingStrategies",
    "TorchrunArgs",
    "TrainingArgs",
    "process_data",
    "run_training",
    "translate",
]

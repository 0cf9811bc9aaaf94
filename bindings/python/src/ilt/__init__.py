"""ilt: trains language models from inside Python.

    import ilt

    options = ilt.Options(model_path="granite-2b", data_path="chats.jsonl", effective_batch_size=16,
                          max_seq_len=2048, max_batch_len=4096, learning_rate=1e-5)
    with ilt.Session(options) as session:
        for metrics in session.steps():
            print(metrics.step, metrics.loss)
        session.save("out")

Everything goes through libilt's C interface, ilt.h; `ilt._native` is private. The log is that of `logging`, logger "ilt".
"""

from . import _libtorch

_libtorch.load()
_libtorch.load_native()

from . import checkpoint, errors, integrations  # noqa: E402 - libtorch comes first
from .batch import Batch  # noqa: E402
from .cancel import CancelToken  # noqa: E402
from .config import Config, schema  # noqa: E402
from .dataset import Dataset, Progress, Sample, process  # noqa: E402
from .errors import (  # noqa: E402
    BusyError,
    CallbackError,
    CancelledError,
    ClosedError,
    ConfigError,
    DataError,
    DeviceError,
    DeviceOutOfMemoryError,
    DistributedError,
    Error,
    ForkedError,
    FormatError,
    InternalError,
    InvalidArgumentError,
    InvalidStateError,
    IOError,
    NotFoundError,
    NumericError,
    OutOfMemoryError,
    TimeoutError,
    UnsupportedError,
    VersionError,
)
from .events import Callback, Event, EventFunction, EventType  # noqa: E402
from .metrics import Metrics, read_metrics  # noqa: E402
from .options import Options, OptionsLike  # noqa: E402
from .parameters import Parameter, Parameters  # noqa: E402
from .plot import plot_loss  # noqa: E402
from .runtime import (  # noqa: E402
    Device,
    DeviceType,
    abi_version,
    build_info,
    devices,
    has_feature,
    model_families,
    version,
    version_number,
)
from .runtime import check_abi as _check_abi  # noqa: E402
from .session import Evaluation, LossSum, RunResult, Session  # noqa: E402
from .tokenizer import Tokenizer  # noqa: E402

_check_abi()
_libtorch.check(build_info()["libtorch"])
__version__ = version()

__all__ = [
    "__version__",
    "abi_version",
    "Batch",
    "build_info",
    "BusyError",
    "Callback",
    "CallbackError",
    "CancelledError",
    "CancelToken",
    "checkpoint",
    "ClosedError",
    "Config",
    "ConfigError",
    "DataError",
    "Dataset",
    "Device",
    "DeviceError",
    "DeviceOutOfMemoryError",
    "devices",
    "DeviceType",
    "DistributedError",
    "Error",
    "errors",
    "Evaluation",
    "Event",
    "EventFunction",
    "EventType",
    "ForkedError",
    "FormatError",
    "has_feature",
    "integrations",
    "InternalError",
    "InvalidArgumentError",
    "InvalidStateError",
    "IOError",
    "LossSum",
    "Metrics",
    "model_families",
    "NotFoundError",
    "NumericError",
    "Options",
    "OptionsLike",
    "OutOfMemoryError",
    "Parameter",
    "Parameters",
    "plot_loss",
    "process",
    "Progress",
    "read_metrics",
    "RunResult",
    "Sample",
    "schema",
    "Session",
    "TimeoutError",
    "Tokenizer",
    "UnsupportedError",
    "version",
    "version_number",
    "VersionError",
]

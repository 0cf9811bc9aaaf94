"""Session: a model, its optimizer and its data; trains, scores, generates and saves."""

from __future__ import annotations

import dataclasses
import json
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

from . import _logging, _native
from ._callbacks import Trampoline
from ._handle import Handle, Held
from .batch import Batch
from ._interrupt import interruptibly
from .cancel import CancelToken
from .dataset import Dataset
from .errors import CancelledError
from .events import Event, EventFunction, EventType
from .metrics import Metrics
from .options import OptionsLike, as_config
from .parameters import Parameters

__all__ = ["Evaluation", "LossSum", "RunResult", "Session"]

KINDS = {"weights": _native.ILT_CKPT_WEIGHTS, "full_state": _native.ILT_CKPT_FULL_STATE}


@dataclasses.dataclass(frozen=True, slots=True)
class RunResult:
    """How a run went."""

    metrics: Metrics
    """Of the last step."""
    stopped: bool
    """Whether a token or a callback stopped it before its end: it can go on."""


class Evaluation(NamedTuple):
    """The loss on data that nothing is learnt from."""

    loss: float
    """Mean over the loss-bearing tokens, in nats."""
    num_tokens: int
    """How many these are."""


class LossSum(NamedTuple):
    """What forward_backward() has added."""

    loss: float
    """The sum of weight * -log p(label), in nats."""
    weight: float
    """The sum of the weights."""

    @property
    def mean(self) -> float:
        """Their quotient: the mean loss."""
        return self.loss / self.weight


class _Events(Trampoline):
    """Hands libilt's events to the session's callbacks. libilt owns it, so that it must not own the session."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        super().__init__(self._tell)
        self._session = weakref.ref(session)

    def _tell(self, kind: int, metrics: tuple[Any, ...], path: str | None) -> bool:
        session = self._session()
        if session is None or not session.callbacks:
            return False
        event = Event(EventType(kind), Metrics(*metrics), path)
        return any([callback(event) for callback in session.callbacks])  # all are told


class Session(Handle):
    """A model, its optimizer and its data.

        with ilt.Session(options) as session:
            for metrics in session.steps():
                print(metrics.step, metrics.loss)
            session.save("out")

    Without data_path, and without set_datasets(), a session scores, generates and saves, but does not train. Calls
    release the GIL; a session serves one call at a time (BusyError); `metrics`, set_lr() and request_save() work at any
    time, from any thread. `callbacks` are told of the events of run() and run_epoch().
    """

    __slots__ = ("_events", "callbacks")
    _free = _native.ilt_session_free

    def __init__(self, options: OptionsLike, *, callbacks: Iterable[EventFunction] = ()) -> None:
        _logging.sync()
        with as_config(options) as config, Held(config) as pointer:
            super().__init__(_native.ilt_session_create(pointer))
        self.callbacks: list[EventFunction] = list(callbacks)
        self._events = _Events(self)
        self._call(_native.ilt_session_set_event_callback, self._events)

    def set_datasets(self, training: Dataset, validation: Dataset | None = None) -> None:
        """Gives a session that was created without data_path what to train on, and what to validate on.

        The data sets take no more records then.
        """
        with Held(training) as first, Held(validation) as second:
            self._call(_native.ilt_session_set_datasets, first, second)

    def config(self) -> dict[str, Any]:
        """The options that the session runs with."""
        options: dict[str, Any] = json.loads(self._call(_native.ilt_session_config_json))
        return options

    def model_info(self) -> dict[str, Any]:
        """The model: architecture, parameters (and how many are trained), layers, vocabulary, type, device."""
        facts: dict[str, Any] = json.loads(self._call(_native.ilt_session_model_info_json))
        return facts

    # ---- training ----

    def run(self, *, cancel: CancelToken | None = None) -> RunResult:
        """All steps that remain, with the metrics file and the checkpoints that the options ask for.

        Ctrl-C, an exception in a callback, a callback's true result and the token end it between two steps: the session
        can go on, save, score.
        """
        _logging.sync()
        with Held(self) as pointer, Held(cancel) as token:
            status, metrics = self._events.carry(_native.ilt_train_run, pointer, token)
        return RunResult(Metrics(*metrics), status == _native.ILT_STOPPED)

    def run_epoch(self, *, cancel: CancelToken | None = None) -> RunResult | None:
        """The same for the steps that remain of the epoch; None if there are none left.

        Calls until None train and write what one run() does.
        """
        _logging.sync()
        with Held(self) as pointer, Held(cancel) as token:
            status, metrics = self._events.carry(_native.ilt_train_epoch, pointer, token)
        return None if status == _native.ILT_DONE else RunResult(Metrics(*metrics), status == _native.ILT_STOPPED)

    def step(self) -> Metrics | None:
        """One optimizer step; None, and nothing has changed, when the run's steps are used up.

        Nothing is written, and callbacks are not told.
        """
        status, metrics = self._call(_native.ilt_train_step)
        return None if status == _native.ILT_DONE else Metrics(*metrics)

    def steps(self) -> Iterator[Metrics]:
        """The steps that remain, one by one, each as step()."""
        _logging.sync()
        while (metrics := self.step()) is not None:
            yield metrics

    def set_lr(self, lr: float | None) -> None:
        """Sets the learning rate of all steps from now on, in place of the schedule's; None goes back to the schedule.

        From any thread, also while another one trains.
        """
        self._call(_native.ilt_session_set_lr, _native.ILT_LR_SCHEDULE if lr is None else lr)

    def request_save(self) -> None:
        """Asks the run() that is going on to save a model and a full state after its step. From any thread."""
        self._call(_native.ilt_session_request_save)

    @property
    def metrics(self) -> Metrics:
        """Of the last step that is done. From any thread, also while another one trains."""
        return Metrics(*self._call(_native.ilt_metrics_get))

    def metrics_record(self) -> dict[str, Any]:
        """The same as a record of the metrics file, which tells more. From any thread."""
        record: dict[str, Any] = json.loads(self._call(_native.ilt_metrics_json))
        return record

    @property
    def poisoned(self) -> bool:
        """Whether the session is of no more use: its device has failed, or an update of the weights has broken off."""
        return bool(self._call(_native.ilt_session_is_poisoned))

    # ---- the host's own loop ----

    def forward_backward(self, batch: Batch) -> LossSum:
        """Runs a batch and adds the gradient of its loss to what earlier calls have added since the last step.

            for batch in mine:
                session.forward_backward(batch)
            metrics = session.optimizer_step()
        """
        with Held(batch) as samples:
            return LossSum(*self._call(_native.ilt_forward_backward, samples))

    def optimizer_step(self, divisor: float = 0.0) -> Metrics | None:
        """Divides the gradients, clips them, updates the weights, and clears the gradients.

        divisor 0 stands for the sum of the weights of all labels since the last step: the step follows the mean loss. The
        step counts as one of the run; None, and nothing has changed, when those are used up.
        """
        status, metrics = self._call(_native.ilt_optimizer_step, divisor)
        return None if status == _native.ILT_DONE else Metrics(*metrics)

    def zero_grad(self) -> None:
        """Drops the gradients that forward_backward() has added since the last step."""
        self._call(_native.ilt_zero_grad)

    @property
    def parameters(self) -> Parameters:
        """The model's tensors by name."""
        return Parameters(self)

    # ---- evaluation, scoring, generation ----

    def evaluate(self, dataset: Dataset | None = None, *, cancel: CancelToken | None = None) -> Evaluation:
        """The loss on a data set that nothing is learnt from; None: the session's validation data.

        KeyboardInterrupt cancels it, and `cancel` with it; the session goes on as before.
        """
        with Held(self) as pointer, Held(dataset) as data:
            status, numbers = interruptibly(_native.ilt_evaluate, pointer, data, cancel=cancel)
        if status == _native.ILT_STOPPED:
            raise CancelledError("the evaluation was cancelled", status)
        return Evaluation(*numbers)

    def score(self, ids: Sequence[SupportsIndex]) -> list[float]:
        """log p(ids[i + 1] | ids[0..i]) for each token but the last, natural logarithm."""
        if len(ids) < 2:
            raise ValueError(f"a score takes at least 2 token ids, got {len(ids)}")
        logprobs: list[float] = self._call(_native.ilt_score, ids)
        return logprobs

    def generate(
        self,
        prompt: Sequence[SupportsIndex],
        *,
        max_new_tokens: int = 128,
        temperature: float = 0.0,
        top_p: float = 1.0,
        top_k: int = 0,
        seed: int = 0,
        stop_ids: Sequence[int] = (),
        on_token: Callable[[int], object] | None = None,
        cancel: CancelToken | None = None,
    ) -> list[int]:
        """Continues a prompt of at least one token id; returns the new ids.

        temperature 0 takes the likeliest token, top_k 0 stands for all, and without stop_ids the model's end-of-sequence
        ids stop. on_token is told of each token as it comes; what it returns stops if true. Stopped or cancelled, the
        tokens so far are returned.
        """
        options = {
            "max_new_tokens": max_new_tokens,
            "temperature": temperature,
            "top_p": top_p,
            "top_k": top_k,
            "seed": seed,
            "stop_ids": list(stop_ids),
        }
        trampoline = Trampoline(on_token)
        with Held(self) as pointer, Held(cancel) as token:
            _, ids = trampoline.carry(_native.ilt_generate, pointer, prompt, json.dumps(options), trampoline, token)
        new: list[int] = ids
        return new

    # ---- checkpoints ----

    def save(self, path: str | os.PathLike[str], kind: Literal["weights", "full_state"] = "weights") -> None:
        """Writes the model, or the full state of the run, to a folder, which appears complete or not at all.

        weights: a folder that transformers loads; full_state: one that the option `resume` takes. A folder of that name
        is replaced if it is empty or of the same kind.
        """
        self._call(_native.ilt_checkpoint_save, os.fspath(path), KINDS[kind])

    def load(self, path: str | os.PathLike[str]) -> None:
        """Goes back, or on, to a full state: weights, optimizer, place in the data, counters.

        The state is verified first, and held against the session as the option `resume` does.
        """
        self._call(_native.ilt_checkpoint_load, os.fspath(path))

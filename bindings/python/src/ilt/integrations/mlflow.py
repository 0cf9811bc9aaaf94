"""MLflow."""

from __future__ import annotations

from typing import Any, Protocol

from .base import MetricsLogger


class Tracking(Protocol):
    """What is used of the module mlflow."""

    def log_metrics(self, metrics: dict[str, float], /, *, step: int) -> None: ...

    def log_params(self, params: dict[str, Any], /) -> None: ...


class MLflow(MetricsLogger):
    """Logs to the active MLflow run, or to one that is started here.

    Without `client`, the module mlflow is used: tracking_uri and experiment are set where given, and a run is started if
    none is active. `options` become parameters. close() ends a run that was started here.
    """

    def __init__(
        self,
        *,
        tracking_uri: str | None = None,
        experiment: str | None = None,
        run_name: str | None = None,
        client: Tracking | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(options)
        self._mlflow: Any = None
        if client is None:
            client = self._start(tracking_uri, experiment, run_name)
        elif tracking_uri or experiment or run_name:
            raise ValueError("give client, or tracking_uri, experiment and run_name, not both")
        self.client: Tracking = client

    def _start(self, tracking_uri: str | None, experiment: str | None, run_name: str | None) -> Any:
        import mlflow

        if tracking_uri is not None:
            mlflow.set_tracking_uri(tracking_uri)
        if experiment is not None:
            mlflow.set_experiment(experiment)
        if mlflow.active_run() is None:
            mlflow.start_run(run_name=run_name)
            self._mlflow = mlflow
        return mlflow

    def log_options(self, options: dict[str, Any]) -> None:
        """Logs the options as parameters."""
        self.client.log_params(options)

    def log(self, values: dict[str, float], step: int) -> None:
        """Logs the numbers at a step."""
        self.client.log_metrics(values, step=step)

    def close(self) -> None:
        """Ends the run, if it was started here."""
        started, self._mlflow = self._mlflow, None
        if started is not None:
            started.end_run()

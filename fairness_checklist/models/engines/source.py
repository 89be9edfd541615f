"""Where a model comes from, so that another process can load the same one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairness_checklist.core.errors import FairnessChecklistError, ModelError, count
from fairness_checklist.models.engines.failures import failure_record


@dataclass(frozen=True, eq=False)
class Source:
    """A model that is loaded from files, and how it is spread over processes.

    Attributes:
        model: the folder, hub id or bundled name.
        task: the task.
        options: the further options of `load_model`.
        fingerprint: the hash of what decides the predictions.
        devices: the device of each worker.
        engine: "local" for processes on this machine, "ray" for a cluster.
    """

    model: str
    task: str
    options: Mapping[str, Any]
    fingerprint: str
    devices: tuple[str, ...]
    engine: str = "local"

    def where(self) -> str:
        """The workers and their devices, for the terminal."""
        kind = "Ray worker" if self.engine == "ray" else "worker"
        return f"{count(len(self.devices), kind)} on {', '.join(dict.fromkeys(self.devices))}"

    def load(self, device: str) -> Any:
        """Load the model, and check that it is the same one.

        Raises:
            ModelError: the files have changed since.
        """
        from fairness_checklist.models.load import load_model

        loaded: Any = load_model(self.model, task=self.task, device=device, **self.options)
        if loaded.fingerprint != self.fingerprint:
            raise ModelError(
                f"the files of the model {self.model} have changed since it was loaded.", remedy="Start again."
            )
        return loaded


class LoadedOnce:
    """A worker's model, which is loaded with its first chunk.

    Args:
        source: where the model comes from.
        device: where it runs.
        threads: the cores of this worker.
    """

    def __init__(self, source: Source, device: str, threads: int) -> None:
        self.source, self.device, self.threads = source, device, threads
        self.model: Any = None

    def score(self, texts: list[str]) -> tuple[Any, list[int], dict[str, str | None] | None]:
        """The output for a chunk, the sizes of batches that were halved, and in place of both what went wrong."""
        try:
            if self.model is None:
                self.model = self.source.load(self.device)
                if "torch" in sys.modules:
                    sys.modules["torch"].set_num_threads(self.threads)
            output = self.model.score(texts, lambda _done: None)
        except FairnessChecklistError as error:
            return None, [], failure_record(error)
        halved = self.model.engine.halved[:]
        self.model.engine.halved.clear()
        return output, halved, None


def threads_a_worker(n: int) -> int:
    """The cores for each of n workers on this machine."""
    import torch

    return max(1, int(torch.get_num_threads()) // n)

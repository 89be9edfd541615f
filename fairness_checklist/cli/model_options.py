"""The options of `run` on the model and on where its predictions are kept; extensions add to both."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import MODEL, option
from fairness_checklist.core import option_defaults as default

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.models.base import ChunkClassifier, Classifier, Tagger


@dataclass(frozen=True, eq=False)
class Keeping:
    """Where predictions are kept: nowhere. The record of an extension keeps them."""

    def missing(self, model: ChunkClassifier, texts: Collection[str], out: Path | None, *, placebo: bool) -> set[str]:
        """The texts of which no prediction is kept."""
        return set(texts)

    @contextmanager
    def kept(self, out: Path, model: Any, *, placebo: bool) -> Iterator[dict[str, Any]]:
        """The options ``store`` and ``placebo`` of `Suite.run`, while an output is made."""
        yield {"store": None, "placebo": placebo}


@dataclass(frozen=True, eq=False)
class ModelOptions:
    """A model, and how it is loaded."""

    model: Annotated[
        str,
        option(
            MODEL,
            "Folder or hub id of a model, or a bundled model: bundled/sentiment-3, bundled/sentiment-2, "
            "bundled/toxicity, bundled/ner; bundled is the one for the task. Or Python code of yours, which is "
            "run: package.module:NAME or FILE.py:NAME, a function of a list of texts or an object with predict_proba.",
            "--model",
            "-m",
        ),
    ] = default.MODEL
    labels: arguments.ModelLabels = None
    scheme: Annotated[str, option(MODEL, "Tag scheme of a tagger, if it is not recognised: IOB1, IOB2, BILOU, ...")] = (
        ""
    )
    max_length: Annotated[int | None, option(MODEL, "Maximum number of tokens per text; by default the model's.")] = (
        None
    )
    batch_tokens: Annotated[int, option(MODEL, "Maximum number of tokens per batch, padding included.")] = (
        default.BATCH_TOKENS
    )
    dtype: Annotated[
        str,
        option(MODEL, "float32, bfloat16 or float16; lower precision changes the results, and the report notes it."),
    ] = default.DTYPE
    device: arguments.Device = None
    revision: Annotated[str | None, option(MODEL, "Branch, tag or commit of a hub id.")] = None
    workers: Annotated[
        int, option(MODEL, "Number of processes that run the model; the results are the same bytes.")
    ] = 1
    engine: Annotated[str, option(MODEL, "local for workers on this machine; ray for those of a Ray cluster.")] = (
        "local"
    )

    def check(self, task: str) -> None:
        """Raise `OptionError` for a value that no model takes; `load` does so as well."""
        from fairness_checklist.models.base import DTYPES, ENGINES

        default.choice("dtype", self.dtype, DTYPES)
        default.choice("engine", self.engine, ENGINES)
        for name in ("max_length", "batch_tokens", "workers"):
            if getattr(self, name) is not None:
                default.whole_number(name, getattr(self, name))
        arguments.read_labels(self.labels)

    def load(self, task: str) -> Classifier | Tagger:
        """Load the model for a task."""
        from fairness_checklist.cli.python_models import load_named

        self.check(task)
        options = {field.name: getattr(self, field.name) for field in fields(ModelOptions)}
        options["labels"] = arguments.read_labels(self.labels)
        loaded: Classifier | Tagger = load_named(options.pop("model"), task, **options)
        return loaded

    def print_cost(self, suite: Suite, keeping: Keeping, out: Path | None, *, placebo: bool, seed: int) -> None:
        """Print what it costs to ask the model about a suite and its placebo; nothing for one that runs here."""

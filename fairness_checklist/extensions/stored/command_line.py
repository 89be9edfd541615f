"""Where `run` and `predict` keep predictions, `--store`; and one share of the texts of a run, `--shard`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli.help_sections import MODEL, OUTPUT, option
from fairness_checklist.cli.model_options import Keeping, ModelOptions
from fairness_checklist.core.errors import InputError, OptionError, PredictionError

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.models.base import ChunkClassifier


@dataclass(frozen=True, eq=False)
class StoreOptions(Keeping):
    """Predictions are kept in a file, or a share of them in a folder."""

    shard: Annotated[
        str | None,
        option(
            MODEL,
            "Score only this share of the texts, i/n such as 1/4, and keep it beside --out; the same command without "
            "--shard merges the shares.",
        ),
    ] = None
    store: Annotated[
        Path | None,
        option(
            OUTPUT,
            "File that keeps predictions for later runs; texts that it has are not scored again. By default "
            "predictions are kept until the output is written.",
        ),
    ] = None

    def check(self, out: Path | None, *, gated: bool = False) -> None:
        """Check the options before anything is computed."""
        from fairness_checklist.extensions.stored.shards import read_shard

        if self.shard is None:
            return
        read_shard(self.shard)
        if out is None:
            raise OptionError(
                "a shard needs the place that the shards share.", remedy="Name it, the same for all: --out runs/x."
            )
        if self.store is not None:
            raise OptionError("--shard and --store exclude each other.", remedy="Shards are kept beside --out.")
        if gated:
            raise OptionError(
                f"--shard {self.shard} scores a share of the texts, and --fail-if needs all of them.",
                remedy="Give --fail-if to the command without --shard, which merges the shards.",
            )

    def is_share(self) -> bool:
        """Whether the model is asked about a share of the texts only."""
        return self.shard is not None

    def score_share(self, suite: Suite, model: ModelOptions, out: Path | None, *, placebo: bool, seed: int) -> bool:
        """Score the share into the folder of chunks beside the output, and print how much that was."""
        from fairness_checklist.extensions.stored.shards import read_shard

        if self.shard is None or out is None:
            return False
        loaded, chunks = model.load(suite.task), chunk_folder(out)
        done, n = suite.score_shard(loaded, chunks, read_shard(self.shard), placebo=placebo, seed=seed)
        typer.echo(f"Shard {self.shard}: {done:,} of {n:,} chunks scored now, {n - done:,} before; in {chunks}")
        return True

    def missing(self, model: ChunkClassifier, texts: Collection[str], out: Path | None, *, placebo: bool) -> set[str]:
        """The texts that a run would score: those that neither its store nor that of the placebo has."""
        from fairness_checklist.extensions.stored.store import without_stored

        own = self.store if self.store is not None or out is None else _store_beside(out)
        left = set(texts)
        for path in (own, placebo_store() if placebo else None):
            if path is not None and path.is_file():
                left = without_stored(model, left, path)
        return left

    @contextmanager
    def kept(self, out: Path, model: Any, *, placebo: bool, across_runs: bool = True) -> Iterator[dict[str, Any]]:
        """The options ``store`` and ``placebo`` of `Suite.run`, while an output is made.

        The store is that of ``--store``; else one next to the output, deleted when the output is written. An
        interrupted run leaves it, so that the same command continues from there; invalid input leaves none. Where
        shards have left a folder of chunks, that is the store. Another process that writes to the same place at the
        same time is refused. Predictions for the placebo are kept across runs.
        """
        from fairness_checklist.extensions.stored.exclusive_writer import exclusive_writer
        from fairness_checklist.extensions.stored.shards import unidentified_error

        if self.store is not None and across_runs and not getattr(model, "fingerprint", ""):
            raise unidentified_error()
        chunks = chunk_folder(out)
        if self.store is not None and chunks.is_dir():
            raise OptionError(
                f"--store is given, and {chunks} has the predictions of shards.",
                remedy="Leave --store out to merge them; or delete the folder.",
            )
        file = _store_beside(out) if self.store is None else self.store
        with exclusive_writer(out):
            if chunks.is_dir():
                yield {"store": chunks, "placebo": placebo}
                shutil.rmtree(chunks)
                return
            is_new = not file.exists()
            try:
                yield {"store": file, "placebo": (placebo and across_runs and placebo_store()) or placebo}
            except (InputError, KeyboardInterrupt) as stop:
                if isinstance(stop, InputError) and not isinstance(stop, PredictionError):
                    if is_new:
                        file.unlink(missing_ok=True)
                elif file.exists():
                    typer.echo("The predictions so far are stored: the same command continues from there.", err=True)
                raise
            if self.store is None:
                file.unlink(missing_ok=True)


def placebo_store() -> Path | None:
    """The file that keeps predictions for the placebo across runs; None where none can be written.

    It is in the folder for caches of the user (``XDG_CACHE_HOME``, else ``~/.cache``) and holds hashes and
    probabilities, see `predict_with_store`.
    """
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fairness_checklist"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / "placebo.sqlite" if os.access(folder, os.W_OK) else None


def _store_beside(out: Path) -> Path:
    return out.parent / f".{out.name}.predictions.sqlite"


def chunk_folder(out: Path) -> Path:
    """The folder of finished chunks that belongs to an output.

    >>> str(chunk_folder(Path("runs/x")))
    'runs/.x.chunks'
    """
    return out.parent / f".{out.name}.chunks"

"""Where `run` and `predict` keep predictions, `--store`; and one share of the texts of a run, `--shard`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli.help_sections import MODEL, OUTPUT, option

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite

StoreFile = Annotated[
    Path | None,
    option(
        OUTPUT,
        "File that keeps predictions for later runs; texts that it has are not scored again. By default "
        "predictions are kept until the output is written.",
    ),
]


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


@contextmanager
def prediction_store(out: Path, store: Path | None = None) -> Iterator[Path]:
    """The store of ``--store``; else one next to the output, deleted when the output is written.

    An interrupted run leaves it, so that the same command continues from there; invalid input leaves none. Where shards
    have left a folder of chunks, that is the store. Another process that writes to the same place at the same time is
    refused.
    """
    import shutil

    from fairness_checklist.core.errors import InputError, OptionError, PredictionError
    from fairness_checklist.models.stored.store import exclusive_writer

    chunks = chunk_folder(out)
    if store is not None and chunks.is_dir():
        raise OptionError(
            f"--store is given, and {chunks} has the predictions of shards.",
            remedy="Leave --store out to merge them; or delete the folder.",
        )
    file = _store_beside(out) if store is None else store
    with exclusive_writer(out):
        if chunks.is_dir():
            yield chunks
            shutil.rmtree(chunks)
            return
        is_new = not file.exists()
        try:
            yield file
        except InputError as error:
            if is_new and not isinstance(error, PredictionError):
                file.unlink(missing_ok=True)
            elif isinstance(error, PredictionError) and file.exists():
                _tell_stored()
            raise
        except KeyboardInterrupt:
            if file.exists():
                _tell_stored()
            raise
        if store is None:
            file.unlink(missing_ok=True)


def existing_stores(out: Path | None, store: Path | None, *, placebo: bool) -> list[Path]:
    """The stores that a run would read: that of ``--store`` or beside the output, and that of the placebo."""
    own = store if store is not None or out is None else _store_beside(out)
    found = [own, placebo_store() if placebo else None]
    return [one for one in found if one is not None and one.is_file()]


def _store_beside(out: Path) -> Path:
    return out.parent / f".{out.name}.predictions.sqlite"


def _tell_stored() -> None:
    typer.echo("The predictions so far are stored: the same command continues from there.", err=True)


ShardOf = Annotated[
    str | None,
    option(
        MODEL,
        "Score only this share of the texts, i/n such as 1/4, and keep it beside --out; the same command without "
        "--shard merges the shares.",
    ),
]


def check_shard(shard: str, out: Path | None, store: Path | None, *, gated: bool = False) -> None:
    """Check the option before anything is computed."""
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.models.stored.store import read_shard

    read_shard(shard)
    if out is None:
        raise OptionError(
            "a shard needs the place that the shards share.", remedy="Name it, the same for all: --out runs/x."
        )
    if store is not None:
        raise OptionError("--shard and --store exclude each other.", remedy="Shards are kept beside --out.")
    if gated:
        raise OptionError(
            f"--shard {shard} scores a share of the texts, and --fail-if needs all of them.",
            remedy="Give --fail-if to the command without --shard, which merges the shards.",
        )


def print_shard(suite: Suite, model: Any, out: Path, shard: str, *, placebo: bool, seed: int) -> None:
    """Score a shard into the folder of chunks beside the output, and print how much that was."""
    from fairness_checklist.models.stored.store import read_shard

    done, n = suite.score_shard(model, chunk_folder(out), read_shard(shard), placebo=placebo, seed=seed)
    typer.echo(f"Shard {shard}: {done:,} of {n:,} chunks scored now, {n - done:,} before; in {chunk_folder(out)}")


def chunk_folder(out: Path) -> Path:
    """The folder of finished chunks that belongs to an output.

    >>> str(chunk_folder(Path("runs/x")))
    'runs/.x.chunks'
    """
    return out.parent / f".{out.name}.chunks"

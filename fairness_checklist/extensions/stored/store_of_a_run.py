"""Where `run` keeps predictions: `--store`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fairness_checklist.core.errors import InputError, OptionError, PredictionError

if TYPE_CHECKING:
    from fairness_checklist.models.base import ChunkClassifier


def missing(
    model: ChunkClassifier, texts: Collection[str], store: Path | None, out: Path | None, *, control_words: bool
) -> set[str]:
    """The texts that a run would score: those that neither its store nor that of the control words has."""
    from fairness_checklist.extensions.stored.store import without_stored

    left = set(texts)
    beside = store if store is not None or out is None else _store_beside(out)
    for path in (beside, control_words_store() if control_words else None):
        if path is not None and path.is_file():
            left = without_stored(model, left, path)
    return left


@contextmanager
def kept(out: Path, model: Any, store: Path | None = None, *, control_words: bool = True) -> Iterator[dict[str, Any]]:
    """The options ``store`` and ``control_words`` of `Suite.run`, while an output is made by this process alone.

    The store is that of ``--store``; else one next to the output, deleted when the output is written. An
    interrupted run leaves it, so that the same command continues from there; invalid input leaves none.
    """
    from fairness_checklist.extensions.stored.exclusive_writer import exclusive_writer

    if store is not None and not getattr(model, "fingerprint", ""):
        raise OptionError(
            "the model cannot be identified, so that no prediction can be kept for it.",
            remedy="Give a function a name: load_model(function, name=...).",
            command_remedy="Name it in its file, model = fairness_checklist.load_model(function, name=...), and "
            "give --model FILE.py:model.",
        )
    file = _store_beside(out) if store is None else store
    with exclusive_writer(out):
        is_new = not file.exists()
        try:
            yield {"store": file, "control_words": (control_words and control_words_store()) or control_words}
        except (InputError, KeyboardInterrupt) as stop:
            if isinstance(stop, InputError) and not isinstance(stop, PredictionError):
                if is_new:
                    file.unlink(missing_ok=True)
            elif file.exists():
                typer.echo("The predictions so far are stored: the same command continues from there.", err=True)
            raise
        if store is None:
            file.unlink(missing_ok=True)


def control_words_store() -> Path | None:
    """The file that keeps predictions for the control words across runs, by version; None where none can be written."""
    from fairness_checklist.extensions.stored.store import SCHEMA

    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fairness_checklist"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / f"control-words-{SCHEMA}.sqlite" if os.access(folder, os.W_OK) else None


def _store_beside(out: Path) -> Path:
    return out.parent / f".{out.name}.predictions.sqlite"

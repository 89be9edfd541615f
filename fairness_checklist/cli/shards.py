"""The option `--shard`: one share of the texts of `run` or `predict`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite

ShardOf = Annotated[
    str | None,
    typer.Option(
        "--shard",
        help="Score only this share of the texts, i/n such as 1/4, and keep it beside --out; the same command without "
        "--shard merges the shares.",
    ),
]


def print_shard(suite: Suite, model: Any, out: Path | None, shard: str, *, placebo: bool, seed: int) -> None:
    """Score a shard into the folder of chunks beside the output, and print how much that was.

    Raises:
        OptionError: an invalid shard, or no output that tells where the folder is.
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.models.stored.shards import read_shard

    parsed = read_shard(shard)
    if out is None:
        raise OptionError(
            "a shard needs the place that the shards share.", remedy="Name it, the same for all: --out runs/x."
        )
    done, n = suite.score_shard(model, chunk_folder(out), parsed, placebo=placebo, seed=seed)
    typer.echo(f"Shard {shard}: {done:,} of {n:,} chunks scored now, {n - done:,} before; in {chunk_folder(out)}")


def chunk_folder(out: Path) -> Path:
    """The folder of finished chunks that belongs to an output.

    >>> str(chunk_folder(Path("runs/x")))
    'runs/.x.chunks'
    """
    return out.parent / f".{out.name}.chunks"

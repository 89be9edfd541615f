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


def check_shard(shard: str, out: Path | None, store: Path | None, *, gated: bool = False) -> None:
    """Check the option before anything is computed.

    Raises:
        OptionError: an invalid shard, no output that tells where the shards are kept, a store as well, or a gate.
    """
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

"""The verb `intrinsic`: measures of a model's hidden vectors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import MODEL, STATISTICS, TESTED, option

_RECORD = ("warning", "model", "attribute", "words", "terms", "sentences", "layer", "of", "seed", "measures")


@answering
def intrinsic(
    *,
    model: Annotated[
        str, option(MODEL, "Folder or hub id of a transformers model, or a bundled one.", "--model", "-m")
    ] = "bundled/sentiment-3",
    attribute: Annotated[str, option(TESTED, "Sensitive attribute; see `list`.", "--attribute", "-a")] = "gender",
    groups: arguments.TwoGroups = None,
    words: Annotated[
        str,
        option(
            TESTED,
            "Attribute words of SEAT and CEAT: pleasant, work or ability; or a CSV file with the columns set and "
            "word, two sets.",
        ),
    ] = "pleasant",
    layer: Annotated[int, option(MODEL, "Layer of the vectors: 0 is the input embeddings, -1 the last layer.")] = -1,
    of: Annotated[
        str, option(MODEL, "What the vectors of SEAT, CEAT, Cos and PCA are of: word, sentence or cls.")
    ] = "word",
    max_terms: arguments.MaxTerms = None,
    draws: arguments.Draws = 999,
    probe_draws: Annotated[
        int, option(STATISTICS, "Random draws of the tests of the two probes, which train again.")
    ] = 199,
    seed: arguments.Seed = 0,
    device: arguments.Device = None,
) -> Answer:
    """Measure a model's hidden vectors for two groups by eight intrinsic measures; they show no harm.

    Example: fairness-checklist intrinsic --model DIR --attribute gender --groups women,men --words work --tables
    """
    from fairness_checklist.extensions.intrinsic.intrinsic import intrinsic as measure

    report = measure(
        model,
        attribute=attribute,
        groups=arguments.split_commas(groups),
        words=_words(words),
        layer=layer,
        of=of,
        max_terms=max_terms,
        draws=draws,
        probe_draws=probe_draws,
        seed=seed,
        device=device,
    )
    return Answer(
        [report.sentence(), report.warning],
        report.findings,
        {"measures": report.measures.assign(warning=report.warning)},
        {name: getattr(report, name) for name in _RECORD} | {"groups": [report.left, report.right]},
        shown={"measures": report.measures.drop(columns=["title"])},
    )


def _words(given: str) -> str | Mapping[str, list[str]]:
    """The name of shipped word sets, or the sets in a file."""
    if not given.lower().endswith((".csv", ".parquet")):
        return given
    from fairness_checklist.core.errors import TableError
    from fairness_checklist.tables.files import read_table

    frame = read_table(given)
    for name in ("set", "word"):
        if name not in frame.columns:
            raise TableError(
                f"the table has no column {name}.", place=Path(given).name, remedy="It needs set and word."
            )
    by_set = frame["word"].astype(str).groupby(frame["set"].astype(str), sort=False)
    return {str(name): words.tolist() for name, words in by_set}

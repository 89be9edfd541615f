"""Readers of published data sets in their published layout. None of the sets is shipped: a reader is given a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.readers.coreference_sets import (
    read_coreference_predictions,
    read_gap,
    read_winobias,
    read_winogender,
)
from fairness_checklist.extensions.lenses.readers.generated_sentences import (
    read_bec_pro,
    read_bias_in_bios,
    read_bold,
    read_eec,
    read_holistic_bias,
)
from fairness_checklist.extensions.lenses.readers.published import HAS, PublishedSet
from fairness_checklist.extensions.lenses.readers.sentence_pairs import read_crows_pairs, read_stereoset, read_stsb

__all__ = ["HAS", "READERS", "PublishedSet", "Reader", "read_coreference_predictions", "read_published"]


@dataclass(frozen=True)
class Reader:
    """A published data set that can be read."""

    name: str  # its id
    title: str  # its name in print
    source: str  # the paper
    file: str  # the file it is read from
    has: frozenset[str]  # what it has, see `HAS`
    original: str  # the metric family that its authors use, see `metrics.lenses.compatibility.FAMILIES`; or ""
    read: Callable[[str | Path], PublishedSet]  # the reader


def _has(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ALL = (
    Reader(
        "winogender",
        "Winogender",
        "Rudinger et al. 2018",
        "all_sentences.tsv",
        _has("gold classes group pairs stereotype decision prediction target"),
        "gap_stereotype",
        read_winogender,
    ),
    Reader(
        "winobias",
        "WinoBias",
        "Zhao et al. 2018",
        "pro_stereotyped_type1.txt.dev and the like, or their folder",
        _has("gold classes group pairs stereotype decision prediction target"),
        "gap_stereotype",
        read_winobias,
    ),
    Reader(
        "gap",
        "GAP",
        "Webster et al. 2018",
        "gap-test.tsv",
        _has("gold group decision prediction target"),
        "gap_group",
        read_gap,
    ),
    Reader(
        "crows_pairs",
        "CrowS-Pairs",
        "Nangia et al. 2020",
        "crows_pairs_anonymized.csv",
        _has("pairs stereotype target"),
        "prefers_stereotype",
        read_crows_pairs,
    ),
    Reader(
        "stereoset",
        "StereoSet",
        "Nadeem et al. 2021",
        "dev.json",
        _has("pairs stereotype target"),
        "prefers_stereotype",
        read_stereoset,
    ),
    Reader(
        "bias_in_bios",
        "Bias in Bios",
        "De-Arteaga et al. 2019",
        "a table with hard_text, profession, gender",
        _has("gold classes group stereotype decision prediction target"),
        "gap_label",
        read_bias_in_bios,
    ),
    Reader(
        "eec",
        "EEC",
        "Kiritchenko and Mohammad 2018",
        "Equity-Evaluation-Corpus.csv",
        _has("group pairs prediction target"),
        "prediction_gap",
        read_eec,
    ),
    Reader(
        "stsb",
        "STS-B",
        "Cer et al. 2017",
        "dev.tsv (GLUE) or sts-dev.csv",
        _has("prediction target"),
        "prediction_gap",
        read_stsb,
    ),
    Reader("bold", "BOLD", "Dhamala et al. 2021", "gender_prompt.json", _has("group target"), "lm_target", read_bold),
    Reader(
        "bec_pro",
        "BEC-Pro",
        "Bartl et al. 2020",
        "BEC-Pro_EN.tsv",
        _has("group pairs stereotype target"),
        "lm_target",
        read_bec_pro,
    ),
    Reader(
        "holistic_bias",
        "HolisticBias",
        "Smith et al. 2022",
        "sentences.csv",
        _has("group pairs target"),
        "lm_target",
        read_holistic_bias,
    ),
)
READERS: Mapping[str, Reader] = {one.name: one for one in _ALL}
"""The published data sets by id."""


@checks_keywords
def read_published(name: str, path: str | Path) -> PublishedSet:
    """Read a published data set from the user's copy.

    Args:
        name: its id, one of `READERS`.
        path: the published file; of WinoBias its folder, too.

    Raises:
        OptionError: an unknown id.
        TableError: a file in another layout, with ``file:line``.

    >>> read_published("winobais", "wino/data")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: 'winobais' is not a known data set.
        Did you mean winobias? Known: winogender, winobias, gap, crows_pairs, stereoset, bias_in_bios, eec, stsb, \
bold, bec_pro, holistic_bias.
    """
    if name not in READERS:
        raise OptionError(
            f"{name!r} is not a known data set.",
            remedy=f"Known: {', '.join(READERS)}.{did_you_mean(name, READERS)}",
        )
    return READERS[name].read(path)

"""A fifth of the sentences of a suite, from which a run says first what it sees."""

from dataclasses import replace

import numpy as np

from fairness_checklist.core.examples import families_and_topics, select_examples
from fairness_checklist.suites.parts import Part

FIFTH = 5
LEAST_TEXTS = 4000
"""Fewer texts have no preview: their answer is there as soon."""


def preview_of(part: Part) -> Part:
    """The part with a fifth of the families of each label, with all their groups and terms."""
    families, _ = families_and_topics(part.examples.sources)
    by_label: dict[str, dict[str, None]] = {}
    for family, source in zip(families, part.examples.sources, strict=True):
        by_label.setdefault(source.label, {})[family] = None
    chosen = {family for of_label in by_label.values() for family in list(of_label)[::FIFTH]}
    is_chosen = np.array([family in chosen for family in families])
    rows = np.flatnonzero(is_chosen[part.examples.source])
    return replace(part, examples=select_examples(part.examples, rows), crossed=None)

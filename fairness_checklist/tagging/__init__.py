"""Words, tag schemes and types of entities: what sentences are to a tagger."""

from __future__ import annotations

from fairness_checklist.tagging.schemes import (
    OUTSIDE,
    SCHEMES,
    Spans,
    TagSet,
    detect_scheme,
    detect_scheme_of_sentences,
    encode,
    read_tags,
    split_tag,
)
from fairness_checklist.tagging.types import NO_NAMES, map_types
from fairness_checklist.tagging.words import words

__all__ = [
    "NO_NAMES",
    "OUTSIDE",
    "SCHEMES",
    "Spans",
    "TagSet",
    "detect_scheme",
    "detect_scheme_of_sentences",
    "encode",
    "map_types",
    "read_tags",
    "split_tag",
    "words",
]

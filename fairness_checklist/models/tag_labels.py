"""The labels of taggers matched to the entity types of a suite."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value
from fairness_checklist.core.errors import LabelError, first_ten
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.tagging import OUTSIDE, Spans, TagError, TagSet, map_types, split_tag
from fairness_checklist.models.labels import Labels, check_unique_names

NUMBERED = re.compile(r"LABEL_\d+")


@by_value
@dataclass(frozen=True, eq=False)
class TagMap:
    """A tagger's L labels matched to the T types of a suite."""

    labels: tuple[str, ...]  # the L label names in the order of the model's outputs
    tags: TagSet  # the labels as tags, with their scheme
    types: tuple[str, ...]  # the T types of the suite that some tag belongs to, in the suite's order
    mapping: Mapping[str, str]  # for each type of the tagger that of the suite, or "O"
    missing: tuple[str, ...]  # the suite's types that the tagger lacks

    @property
    def outside_label(self) -> int:
        """The first label that stands for no entity."""
        return int(np.flatnonzero(self.tags.type < 0)[0])

    def sum_by_type(self, probabilities: FloatArray) -> FloatArray:
        """Probabilities (W, L) over tags, summed, to (W, T + 1) over types; types that the suite lacks are outside."""
        result = np.zeros((len(probabilities), len(self.types) + 1))
        for column, position in enumerate(self._suite_type_codes()[self.tags.type].tolist()):
            result[:, position] += probabilities[:, column]
        return result

    def decode(self, codes: IntArray, offset: IntArray) -> tuple[Spans, IntArray]:
        """The spans of W tags in n sentences, of the suite's types alone, and how many were repaired in each (n,)."""
        spans, repaired = self.tags.decode(codes, offset)
        kind = self._suite_type_codes()[spans.type]
        return Spans(spans.row, spans.start, spans.end, kind).at(kind < len(self.types)), repaired

    def notes(self, owner: str = "model") -> tuple[str, ...]:
        """Which types of the suite the tagger lacks, and which of its own are read as O."""
        missing = [f"the {owner} has no {', '.join(self.missing)}"] if self.missing else []
        return (*missing, *unread_notes(owner, self.mapping))

    def metadata(self) -> dict[str, object]:
        """For ``run.json``."""
        return {
            "classes": list(self.types),
            "types": dict(self.mapping),
            "types_missing": list(self.missing),
            "labels": dict(zip(self.labels, self.tags.tags, strict=True)),
            "scheme": self.tags.scheme,
        }

    def _suite_type_codes(self) -> IntArray:
        """For each type of the tagger, and last for the outside tag, the position in ``types``; T outside."""
        position = {kind: code for code, kind in enumerate(self.types)}
        codes = [position.get(self.mapping[kind], len(self.types)) for kind in self.tags.types]
        return np.array([*codes, len(self.types)], dtype=np.int64)


def unread_notes(owner: str, mapping: Mapping[str, str]) -> list[str]:
    """The note on the types of a model that the suite does not have, if there are any."""
    unread = [kind for kind, suite_type in mapping.items() if suite_type == OUTSIDE]
    are = "is" if len(unread) == 1 else "are"
    return [f"the {owner}'s {', '.join(unread)} {are} read as O"] if unread else []


def match_tags(
    names: Sequence[str], suite_types: Sequence[str], labels: Labels | None = None, scheme: str = ""
) -> TagMap:
    """Match a tagger's labels to the suite's types."""
    names = [nfc(str(name)) for name in names]
    check_unique_names(names)
    renamed, types_given = _split_labels(names, labels)
    tags = [renamed.get(name, name) for name in names]
    uninformative = [name for name in tags if NUMBERED.fullmatch(name) and name not in types_given]
    if uninformative:
        raise LabelError(
            f"the tagger's labels {first_ten(uninformative)} do not identify entity types; expected tags as "
            f"{OUTSIDE} and B-{suite_types[0]}.",
            remedy=_mapping_remedy(names, suite_types) + " See the model's card.",
        )
    if ("", "") not in map(split_tag, tags):
        remedy = "A tagger without such a label finds entities everywhere and cannot be evaluated."
        if bare := [name for name, tag in zip(names, tags, strict=True) if not split_tag(tag)[0]]:
            remedy = f'Name the one for words outside of entities, for instance labels={{"{bare[-1]}": "{OUTSIDE}"}}.'
        what = f"none of the tagger's labels {first_ten(names)} stands for words outside of entities ({OUTSIDE})."
        raise LabelError(what, remedy=remedy)
    tag_set = _tag_set(names, tags, suite_types, types_given, scheme)
    if not tag_set.types:
        raise LabelError(
            f"the tagger's labels {first_ten(names)} name no type of entity.",
            remedy=_mapping_remedy(names, suite_types),
        )
    mapping = map_types(tag_set.types, suite_types, types_given)
    types = tuple(kind for kind in suite_types if kind in mapping.values())
    return TagMap(tuple(names), tag_set, types, mapping, tuple(kind for kind in suite_types if kind not in types))


def match_classes(
    classes: Sequence[str], suite_types: Sequence[str], labels: Labels | None, scheme: str
) -> tuple[TagMap, bool]:
    """The classes of a function matched to the suite's types, and whether they can be columns: "O" is among them."""
    names = [str(name) for name in classes]
    try:
        return match_tags(names, suite_types, labels, scheme), True
    except LabelError:
        if OUTSIDE in names:
            raise
        return match_tags([*names, OUTSIDE], suite_types, labels, scheme), False


def check_type_mapping(labels: Labels, suite_types: Sequence[str]) -> Mapping[str, str]:
    """``labels`` of a function whose types are not known yet."""
    if isinstance(labels, str) or not isinstance(labels, Mapping):
        raise LabelError(
            f"labels={labels!r} is no mapping from the function's types to those of the suite.",
            remedy='Write labels={"GPE": "LOC"}, for instance; or give classes= too.',
        )
    mapping = {str(kind): str(suite_type) for kind, suite_type in labels.items()}
    map_types([*mapping, *suite_types], suite_types, mapping)
    return mapping


def _split_labels(names: Sequence[str], labels: Labels | None) -> tuple[dict[str, str], dict[str, str]]:
    """The two parts of ``labels``: labels to tags, and types of the tagger to types of the suite."""
    if labels is None:
        return {}, {}
    if isinstance(labels, str):
        raise LabelError(
            f'labels="{labels}" is one word; expected a mapping from the model\'s labels or types.',
            remedy='Write labels={"GPE": "LOC"}, for instance.',
        )
    if not isinstance(labels, Mapping):
        if len(labels) != len(names):
            raise LabelError(
                f"{len(labels)} tags are given for the model's {len(names)} labels {first_ten(names)}.",
                remedy="Give one tag a label, in the order of the model's outputs.",
            )
        return dict(zip(names, map(str, labels), strict=True)), {}
    renamed, types_given = {}, {}
    for key, value in labels.items():
        name = names[key] if isinstance(key, int) and 0 <= key < len(names) else nfc(str(key))
        if name in names and (value == OUTSIDE or split_tag(value)[0] or NUMBERED.fullmatch(name)):
            renamed[name] = value
        else:
            types_given[name] = value
    return renamed, types_given


def _tag_set(
    names: Sequence[str], tags: Sequence[str], suite_types: Sequence[str], types_given: Mapping[str, str], scheme: str
) -> TagSet:
    """The tags taken apart; raises where they name no type, or where some, as X and [CLS], have no prefix."""
    split = [split_tag(tag) for tag in tags]
    bare = [name for name, (prefix, kind) in zip(names, split, strict=True) if kind and not prefix]
    prefixed = [tag for tag, (prefix, _kind) in zip(tags, split, strict=True) if prefix in ("B", "I")]
    mixed = not scheme and bool(bare and prefixed)
    if not mixed or not set(types_given).isdisjoint(prefixed):
        try:
            return TagSet.of(tags, "plain" if mixed else scheme)
        except TagError as error:
            if prefixed or scheme:
                raise
            letters = [(name.strip("-_").upper(), "BI"[row > 0]) for row, name in enumerate(bare)]
            typed = [f"{a if split_tag(f'{a}-X')[0] else b}-{suite_types[0]}" for a, b in letters]
            raise LabelError(
                f"the tagger's labels {first_ten(bare)} name no type of entity.",
                remedy=_shown(bare, typed, f"Add the type that it finds, {suite_types[0]} for instance"),
            ) from error
    raise LabelError(
        f"the tagger's labels {first_ten(bare)} have no prefix, and others have one, as {prefixed[0]}.",
        remedy=_shown(bare, [OUTSIDE] * 3)[:-1] + '; or, if all are types, scheme="plain".',
    )


def _mapping_remedy(names: Sequence[str], suite_types: Sequence[str]) -> str:
    return _shown(names, [OUTSIDE, f"B-{suite_types[0]}", f"I-{suite_types[0]}"])


def _shown(names: Sequence[str], tags: Sequence[str], advice: str = "Give their meaning") -> str:
    """The remedy that gives the first labels these tags, three at most."""
    shown = ", ".join(f'"{name}": "{tag}"' for name, tag in zip(names[:3], tags, strict=False))
    return f"{advice}: labels={{{shown}{', ...' if len(names) > 3 else ''}}}."

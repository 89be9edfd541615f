"""Suites from a table of texts: counterfactuals, and the texts that were left out."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from fairness_checklist.content.counterfactuals import Dropped, exclude_minors
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList, display_names, lexemes_of
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, OptionError, SuiteError, TableError
from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.tasks import get_task, mapping_example
from fairness_checklist.extensions.rewriting.perturb.mentions import find_mentions, pronoun_term
from fairness_checklist.extensions.rewriting.perturb.rewriting import Rewritten, rewrite
from fairness_checklist.extensions.rewriting.perturb.surfaces import Index, build_index
from fairness_checklist.suites.build import SuiteChoice, two_attributes
from fairness_checklist.suites.parts import Part
from fairness_checklist.tables.class_names import check_label_column
from fairness_checklist.tables.columns import name_column, text_column
from fairness_checklist.tables.files import Table, check_has_column, is_table, table_of

Texts = Table | Sequence[str]
Labels = Sequence[str] | Mapping[str, str]


@dataclass(frozen=True)
class LabelledText:
    """A text, with its id and its gold class ("" where it has none)."""

    id: str
    text: str
    label: str = ""


@dataclass(frozen=True, eq=False)
class TextPart(Part):
    """A part of a suite that is built from a table of texts."""

    of_texts: ClassVar[bool] = True

    def describe(self) -> dict[str, Any]:
        """The record for ``run.json``: counts and hashes, no text."""
        used = json.dumps(self.examples.render(), ensure_ascii=False)
        given = len(self.examples.sources) + len(self.dropped)
        return {
            **super().describe(),
            "templates": 0,
            "texts_given": given,
            "share_left_out": len(self.dropped) / given,
            "texts_left_out": dict(Counter(text.reason for text in self.dropped).most_common()),
            "texts_sha256": hashlib.sha256(used.encode("utf-8")).hexdigest(),
        }


def read_texts(texts: Texts, labels: Labels | None = None, *, task: str) -> list[LabelledText]:
    """The user's strings, or the rows of a table (``text``, ``label``, ``id``), with ids and gold classes."""
    strings: Any = None if isinstance(texts, str) or is_table(texts) or not isinstance(texts, Iterable) else texts
    frame = table_of(texts, "texts") if strings is None else pd.DataFrame({"text": list(strings)}, dtype=object)
    check_has_column(frame, "text")
    if labels is None or isinstance(labels, Mapping):
        check_label_column(frame.columns)
    if not len(frame):
        raise TableError("there are no texts.", remedy="Give one at least: a text a row in the column text.")
    ids = name_column(frame, "id")[0] if "id" in frame.columns else [str(row) for row in range(1, len(frame) + 1)]
    for name, count in Counter(ids).items():
        if count > 1 or not name:
            what = f"appears {count} times" if name else "is empty"
            raise TableError(f"the id {name!r} {what}.", remedy="Give each text its own id, or leave the column out.")
    columns = (ids, text_column(frame, "text"), _labels(frame, labels, task))
    return [LabelledText(*row) for row in zip(*columns, strict=True)]


def _labels(frame: pd.DataFrame, labels: Labels | None, task: str) -> list[str]:
    """The gold class of each text, "" where it has none."""
    classes = get_task(task).classes
    written = name_column(frame, "label")[0]
    if isinstance(labels, Mapping):
        named = {nfc(str(name)): label for name, label in labels.items()}
        written = [str(named.get(name, name)) for name in written]
    elif labels is not None:
        written = ["" if pd.isna(name) else str(name) for name in labels]
        if len(written) != len(frame):
            raise LabelError(
                f"there are {len(written):,} labels for {len(frame):,} texts.", remedy="Give one per text, or none."
            )
    for row, name in enumerate(written, start=1):
        if name and name not in classes:
            example = f"labels={mapping_example([name], classes)}"
            raise LabelError(
                f"the label of row {row:,} is {name!r}, which is not a class of the task {task}: {', '.join(classes)}.",
                remedy=f"Correct it, or map it to a class: {example}.{did_you_mean(name, classes)}",
                command_remedy=f"Correct it in the table.{did_you_mean(name, classes)}",
            )
    return written


def part_of_texts(
    lines: Sequence[LabelledText], attribute: str, choice: SuiteChoice, *, task: str, more_terms: Any = None
) -> TextPart:
    """The texts that mention one identity of an attribute, each with all terms of all chosen groups."""
    if get_task(task).tagging:
        raise OptionError(
            f"the task {task} needs gold entities, which texts given by the user do not have.",
            remedy="Take sentiment or toxicity; taggers have templates: Suite.build.",
            command_remedy="Take sentiment or toxicity; for a tagger leave out --texts: it has templates.",
        )
    if two_attributes(attribute, more_terms):
        raise OptionError(
            f"the intersection {attribute} is of templates; a text is rewritten for one attribute at a time.",
            remedy="Name one attribute, or take templates: Suite.build.",
            command_remedy="Name one attribute, or leave out --texts: templates can be filled for two.",
        )
    all_terms = load_terms(attribute, more_terms)
    chosen = all_terms.select(
        choice.groups, choice.terms, choice.include_terms, None, choice.sample_seed, choice.terms_per_lexeme
    )
    if task == "toxicity":
        all_terms, chosen = exclude_minors(all_terms), exclude_minors(chosen)
    index, made, dropped = build_index(all_terms), [], []
    for line in lines:
        source = counterfactuals(line, index, chosen, choice.max_terms)
        if isinstance(source, Unfit):
            dropped.append(Dropped(line.id, source.reason))
        else:
            made.append(source)
    if not made:
        reasons = Counter(left_out.reason for left_out in dropped).most_common(3)
        listed = [f"{count:,} of {len(lines):,}: {reason}." for reason, count in reasons]
        raise SuiteError(
            f"none of the texts can be a source for {attribute}.",
            remedy="\n".join([*listed, "Fewer groups leave more texts: groups=."]),
        )
    return TextPart(
        attribute=all_terms.attribute,
        task=task,
        templates=(),
        terms=chosen,
        lists={},
        examples=_examples(made, chosen, task),
        dropped=tuple(dropped),
    )


@dataclass(frozen=True)
class Counterfactuals:
    """One source: the text itself, which is of no term, and those of the terms that fit."""

    line: LabelledText
    rows: tuple[tuple[IdentityTerm | None, Rewritten], ...]


def counterfactuals(
    line: LabelledText, index: Index, chosen: TermList, most: int | None = None
) -> Counterfactuals | Unfit:
    """The text itself, unmarked, and with the (first) terms that fit; or why it is no source: none fits of a group."""
    mentions = find_mentions(line.text, index)
    if mentions.reason:
        return Unfit(mentions.reason)
    if mentions.term.group not in chosen.groups:
        return Unfit(f"it mentions the group {mentions.term.group!r}, which was not chosen")
    rows: list[tuple[IdentityTerm | None, Rewritten]] = [(None, Rewritten(line.text, mentions.spans))]
    for group in chosen.groups:
        targets, mentioned = list(chosen.of_group(group)), mentions.term
        if mentions.pronouns_only:
            targets = [pronoun_term(index.subjects[group], group)] if group in index.subjects else []
        elif mentioned.group == group and mentioned not in targets and not mentioned.on_request:
            targets.append(mentioned)
        texts = [(term, rewrite(mentions, term)) for term in targets]
        fitting = [(term, text) for term, text in texts if isinstance(text, Rewritten)]
        if not fitting:
            why = next((f" ({text.reason})" for _term, text in texts if isinstance(text, Unfit)), "")
            what = "pronoun stands for" if mentions.pronouns_only else "term fits of"
            return Unfit(f"no {what} the group {group!r}{why}")
        rows += fitting[:most]
    return Counterfactuals(line, tuple(rows))


def _examples(made: Sequence[Counterfactuals], chosen: TermList, task: str) -> ExampleSet:
    classes = get_task(task).classes
    rows = [row for source in made for row in source.rows]
    used = dict.fromkeys(term for term, _text in rows if term is not None)
    groups = chosen.groups
    order = {term: number for number, term in enumerate(chosen.terms)}
    terms = sorted(used, key=lambda term: (groups.index(term.group), order.get(term, len(order))))
    code = {None: -1} | {term: number for number, term in enumerate(terms)}
    term = np.array([code[term] for term, _text in rows], dtype=np.int64)
    term_group = np.array([groups.index(term.group) for term in terms], dtype=np.int64)
    labels = [classes.index(source.line.label) if source.line.label else -1 for source in made]
    sizes = [len(source.rows) for source in made]
    return ExampleSet(
        attribute=chosen.attribute,
        task=task,
        groups=groups,
        terms=display_names(terms),
        term_group=term_group,
        sources=tuple(Source(source.line.id, source.line.id, label=source.line.label) for source in made),
        source=np.repeat(np.arange(len(made), dtype=np.int64), sizes),
        group=np.where(term < 0, -1, term_group[term]),
        term=term,
        classes=classes,
        label=np.repeat(np.array(labels, dtype=np.int64), sizes),
        texts=ListedTexts(tuple(text.text for _term, text in rows), tuple(text.spans for _term, text in rows)),
        concepts=tuple(term.concept for term in terms) if any(term.concept for term in terms) else (),
        lexemes=lexemes_of(terms),
        pos=tuple(term.pos for term in terms),
    )

"""The first screen of a run, as records: what the terminal, the page and the notebook show before all else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, NamedTuple

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.findings.records import OTHERS, Reason
from fairness_checklist.findings.rule import Status
from fairness_checklist.findings.words import Said
from fairness_checklist.reports.finding_text import (
    both_numbers,
    both_rates,
    bounds,
    carriers,
    error_words,
    gap_points,
    nothing_compared,
    subject,
    texts_concerned,
    up_to,
    whole_points,
    without_carrier,
)
from fairness_checklist.reports.model_of_little_use import useless_model
from fairness_checklist.reports.next_step import gate_line, next_step
from fairness_checklist.reports.pairs import finding_pairs
from fairness_checklist.reports.provenance import not_tested
from fairness_checklist.reports.render import WIDTH, aligned
from fairness_checklist.reports.run_view import View, attribute_views, margin_of, task_of
from fairness_checklist.reports.wording import group_phrase, reason_words, words_of
from fairness_checklist.tables.run_folder import Results

WORD = "word"
MOST_ROWS = {str(Status.WORSE): 4, str(Status.BETTER): 3, WORD: 2}  # rows of each kind that an attribute shows at most
_MOST_OPEN = 2  # open comparisons of an error that are named
_MOST_NOTES = 5
_EXAMPLE = 62  # letters of a sentence of a pair


class ScreenRow(NamedTuple):
    """A row of the table: a comparison, or a word, with its numbers."""

    status: str  # "worse", "better" or "word"
    who: str  # the group, or the word in quotes
    error: str
    numbers: str  # the two numbers whose difference is the gap: "31 % : 21 %"
    gap: str  # in points, with its bounds: "+10 (6 to 13)"
    rates: str  # the shares of decisions; "" where the gap is of decisions


@dataclass(frozen=True, eq=False)
class AttributeScreen:
    """An attribute on the first screen."""

    attribute: str  # its name
    size: str  # how many words, sentences and texts it rests on
    overall: str = ""  # of a tagger how often each group's entities are missed; else ""
    heads: tuple[str, ...] = ()  # the heads of the table's columns
    rows: tuple[ScreenRow, ...] = ()  # the comparisons that are worse or better, and words beyond the control words
    # what is said in sentences, each with its label: an example, what is small, what is open and why
    lines: tuple[tuple[str, str], ...] = ()
    record: Mapping[str, Any] | None = None  # the record that comes first, which the example shows; None without any

    @property
    def table(self) -> tuple[list[str], list[list[str]]]:
        """The heads and the cells of the columns that have content."""
        used = [column for column in range(len(self.heads)) if any(row[column] for row in self.rows)]
        return [self.heads[column] for column in used], [[row[column] for column in used] for row in self.rows]

    def as_text(self, width: int | None) -> str:
        """The attribute in plain text; None as width leaves each sentence on one line."""
        parts = [f"{self.attribute} · {self.size}"]
        parts += [_wrapped("missed", self.overall, width)] if self.overall else []
        if self.rows:
            heads, cells = self.table
            table = aligned(heads, cells, words=len(heads), width=10 * WIDTH, longest=44)
            parts += [f"  {line}" for line in table.split("\n")]
        parts += [_wrapped(label, text, width) for label, text in self.lines]
        return "\n".join(parts)


def _wrapped(label: str, text: str, width: int | None) -> str:
    start = f"  {label:<10}" if label else "  "
    if width is None:
        return f"{start}{text}"
    glued = text.replace(" %", "\u00a0%")
    lines = fill(glued, width, initial_indent=start, subsequent_indent=" " * 12, break_on_hyphens=False)
    return lines.replace("\u00a0%", " %")


@dataclass(frozen=True)
class Screen:
    """The first screen of a run."""

    title: str  # task, model and date
    attributes: tuple[AttributeScreen, ...]
    warnings: tuple[str, ...] = ()  # models that are of no use for these texts
    not_tested: str = ""  # what the run did not test
    numbers: str = ""  # what the numbers are shares of
    next_step: str = ""  # the first thing to do of each attribute
    gate: str = ""  # what a gate with the default limit says
    notes: tuple[str, ...] = ()  # what was questionable in a table of the user's

    def as_text(self, width: int | None = WIDTH) -> str:
        """The screen as plain text."""
        parts = [self.title, *(_wrapped("warning", warning, width) for warning in self.warnings)]
        parts += [screen.as_text(width) for screen in self.attributes]
        parts += [_wrapped("note", note, width) for note in self.notes]
        parts += [_wrapped(label, text, width) for label, text in self.last_lines]
        return "\n".join(parts)

    @property
    def last_lines(self) -> list[tuple[str, str]]:
        """What is said of all attributes, each with its label."""
        lines = {"numbers": self.numbers, "untested": self.not_tested, "gate": self.gate, "next": self.next_step}
        return [(label, text) for label, text in lines.items() if text]


def first_screen(results: Results, *, views: Sequence[View] | None = None, python: bool = False) -> Screen:
    """The first screen of a run, whose attributes may have been read already."""
    views = attribute_views(results) if views is None else views
    screens = tuple(attribute_screen(results, view) for view in views)
    named = {screen.attribute: row.who for screen in screens for row in reversed(screen.rows) if row.status == WORD}
    run = (task_of(results), model_name(results) or "model not recorded", str(results.info.get("date", "")))
    return Screen(
        title=" · ".join(filter(None, run)),
        attributes=screens,
        warnings=tuple(dict.fromkeys(filter(None, map(useless_model, views)))),
        not_tested=not_tested(results, views),
        numbers=_concerned(results.findings),
        gate=gate_line(results.findings, python=python),
        next_step=next_step(results, views, named, python=python),
        notes=_notes(results),
    )


def model_name(results: Results) -> str:
    """The name of the model, "" where it was not recorded."""
    model = results.info.get("model", "")
    return str(model.get("name", model.get("id", ""))) if isinstance(model, Mapping) else str(model)


def _notes(results: Results) -> tuple[str, ...]:
    """The first notes on a table; of a suite, whose notes are on the page, how many texts have no answer."""
    info = results.info
    if "suite" in info:
        n = int(info.get("n_failed", 0))
        have, them = ("has", "it") if n == 1 else ("have", "them")
        no_answer = f"{n:,} of {count(n + len(results.examples), 'text')} {have} no prediction"
        why = f"because the model failed on {them}: metrics and tests leave {them} out"
        return (f"{no_answer}, {why}.",) if n else ()
    on_metrics = {str(note) for notes in info.get("metric_notes", {}).values() for note in notes}
    listed = dict.fromkeys(str(note) for notes in info.get("notes", {}).values() for note in notes)
    notes = tuple(f"{note.rstrip('.')}." for note in listed if note not in on_metrics)
    left = len(notes) - _MOST_NOTES
    more = (f"{left:,} more notes are printed with the tables.",) if left > 0 else ()
    return (*notes[:_MOST_NOTES], *more)


def attribute_screen(results: Results, view: View) -> AttributeScreen:
    """What the first screen says of an attribute."""
    records, words = view.findings, view.word_findings
    size = size_of(view)
    if not len(records):
        return AttributeScreen(view.attribute, size, lines=(("", nothing_compared(results, view.attribute)),))
    named = words_to_name(records, words, margin_of(results))
    tables = {kind: named if kind == WORD else records[records["status"] == kind] for kind in MOST_ROWS}
    rows = [
        row_of(record) for kind, table in tables.items() for record in table.head(MOST_ROWS[kind]).to_dict("records")
    ]
    first = next((table.iloc[0] for table in (tables[Status.WORSE], named, _open(records)) if len(table)), None)
    record = None if first is None else {str(name): value for name, value in first.items()}
    lines = [*_example(results, record, view), *_about_words(named, words), *_more(tables)]
    lines = [
        *_none_worse(records, margin_of(results), has_words=bool(len(named)) or not len(words)),
        *lines,
        *_small(records, margin_of(results)),
        *open_lines(records),
    ]
    overall = _overall(records) if view.tagging else ""
    return AttributeScreen(view.attribute, size, overall, heads_of(records), tuple(rows), tuple(lines), record)


def size_of(view: View) -> str:
    """How many words, sentences and texts an attribute rests on: "55 words in 134 sentences · 7,466 texts"."""
    groups = view.findings.drop_duplicates("group")
    used, there = int(groups["terms"].sum()), int(groups["terms_available"].sum())
    noun = words_of(view.attribute)
    texts = count(len(view.examples), "text" if view.mentions else "row")
    if not used:
        return texts
    number = f"{used:,} of {there:,} {noun}" if there > used else f"{used:,} {noun}"
    sentences = f" in {count(int(view.examples['source'].nunique()), 'sentence')}" if view.unit == "source" else ""
    return f"{number}{sentences} · {texts}"


def heads_of(records: pd.DataFrame) -> tuple[str, ...]:
    """The heads of the table's columns: what the numbers are, and what a group is compared with."""
    reference = str(records["reference"].iloc[0])
    other = "others" if reference == OTHERS else reference
    unit = "probability" if (records["unit"] == "probability").any() else "share of decisions"
    return ("", "group or word", "error", f"{unit}, group : {other}", "gap in points", "share of decisions")


def row_of(record: Mapping[Any, Any]) -> ScreenRow:
    """A comparison or a word as a row."""
    is_word = "word" in record
    size = f"{gap_points(record)} {'' if is_word else bounds(record)}".strip()
    rates = "" if record["unit"] == "decisions" else both_rates(record)
    status = WORD if is_word else str(record["status"])
    return ScreenRow(status, subject(record), error_words(record), both_numbers(record), size, rates)


def words_to_name(records: pd.DataFrame, words: pd.DataFrame, margin: float) -> pd.DataFrame:
    """The words that carry something: beyond the control words and the margin, or what a comparison is carried by.

    A word of a group that is worse in the same error, and not by this word alone, is part of what is said of the group.
    """
    if not len(words):
        return words
    worse = set(records[records["status"] == Status.WORSE][["group", "error"]].itertuples(index=False, name=None))
    carried = records[records["reason_code"] == Reason.CARRIED]
    keys = set(carried[["group", "error", "carried_by"]].itertuples(index=False, name=None))
    columns = words[["group", "error", "word", "said", "gap"]].itertuples(index=False, name=None)
    found = [
        (group, error, word) in keys or (bool(said) and gap > margin and (group, error) not in worse)
        for group, error, word, said, gap in columns
    ]
    return words[found].sort_values("gap", ascending=False, kind="stable")


def _open(records: pd.DataFrame) -> pd.DataFrame:
    found = records[(records["status"] == Status.OPEN) & records["gap"].notna()]
    return found.sort_values("gap", ascending=False, kind="stable")


def _example(results: Results, record: Mapping[str, Any] | None, view: View) -> list[tuple[str, str]]:
    """A pair of sentences that shows the first record."""
    if record is None or not float(record["gap"]) > 0:
        return []
    found = finding_pairs(results, record, 1, view)
    if not len(found):
        return []
    [pair] = found.to_dict("records")
    sides: list[str] = []
    for side in ("harmed", "spared"):
        shown = around(str(pair[f"{side}_text"]), int(pair[f"{side}_start"]), int(pair[f"{side}_end"]))
        p = float(pair[f"{side}_p"])
        if view.tagging:
            said = "missed" if side == "harmed" else "found"
        elif pd.isna(p):
            said = str(pair[f"{side}_predicted"])
        else:
            said = ("" if sides else f"{pair['class']} ") + f"{p:.2f}".replace("0.", ".")
        sides.append(f'"{shown}" {said}')
    return [("e.g.", ("" if view.tagging else f"{error_words(record)}: ") + " | ".join(sides))]


def around(text: str, start: int, end: int) -> str:
    """A text, cut to the whole words among `_EXAMPLE` letters around a term."""
    if len(text) <= _EXAMPLE:
        return text
    middle = (max(start, 0) + max(end, 0)) // 2 if start >= 0 else 0
    first = min(max(0, middle - _EXAMPLE // 2), len(text) - _EXAMPLE)
    cut = text[first : first + _EXAMPLE]
    if first:
        cut = f"… {cut[cut.find(' ') + 1 :]}"
    if first + _EXAMPLE < len(text):
        cut = f"{cut.rpartition(' ')[0] or cut} …"
    return cut


def _about_words(named: pd.DataFrame, words: pd.DataFrame) -> list[tuple[str, str]]:
    controls = int(named["control_words"].max()) if len(named) else 0
    if not controls:
        return []
    n = int(words.groupby("error")["word"].nunique().max())
    n_of_100 = f"{100 * n / (n + controls):.0f}"
    chance = f"of 100 models that treat all words alike {n_of_100} show such a word by chance: a lead, not a proof"
    neutral = f"{controls:,} control words, neutral words in the same sentences"
    meaning = {
        Said.NOT_BY_CHANCE: f"a gap that chance does not explain, beside {neutral}",
        Said.BEYOND: f"a gap larger than that of each of {neutral}; {chance}",
        Said.NOTHING: f"a lead, not a proof: some of {neutral}, have gaps as large",
    }
    named = named.head(MOST_ROWS[WORD])
    twice = named.drop_duplicates(["word", "said"])["word"].duplicated(keep=False).any()
    parts = {
        said: dict.fromkeys(
            f"{subject(row)} ({error_words(row)})" if twice else subject(row) for row in rows.to_dict("records")
        )
        for said, rows in named.groupby("said")
    }
    return [("words", f"{join_names(list(parts[said]))}: {text}.") for said, text in meaning.items() if said in parts]


def _more(tables: Mapping[str, pd.DataFrame]) -> list[tuple[str, str]]:
    """How many further rows there are, by what they say."""
    left = {kind: len(table) - MOST_ROWS[kind] for kind, table in tables.items()}
    parts = [count(n, kind) if kind == WORD else f"{n:,} {kind}" for kind, n in left.items() if n > 0]
    return [("more", f"{join_names(parts)}: see the report.")] if parts else []


def _concerned(records: pd.DataFrame) -> str:
    """Of each error, of which texts its numbers are shares."""
    concerned = {error_words(row): texts_concerned(row) for row in records.drop_duplicates("error").to_dict("records")}
    parts = [f"{error}, of {texts}" for error, texts in concerned.items() if texts]
    return f"over all sentences; {'; '.join(parts)}." if parts else ""


def _none_worse(records: pd.DataFrame, margin: float, *, has_words: bool) -> list[tuple[str, str]]:
    """That no group is shown to be worse, with how many comparisons are open."""
    n = int((records["status"] == Status.OPEN).sum())
    if (records["status"] == Status.WORSE).any() or not n:
        return []
    which = "the comparison is" if len(records) == 1 else f"{n:,} of {len(records):,} comparisons are"
    better = "" if (records["status"] == Status.BETTER).any() else f", or over {whole_points(margin)} better"
    alone = "" if has_words else f"; none of the {words_of(str(records['attribute'].iloc[0]))} stands out alone"
    open_ones = f'{which} open: a gap may be as large as "up to" says'
    return [("groups", f"none is shown to be worse{better} (95 % confidence), but {open_ones}{alone}.")]


def _small(records: pd.DataFrame, margin: float) -> list[tuple[str, str]]:
    n = int((records["status"] == Status.SMALL).sum())
    if not n:
        return []
    every = {1: "the comparison", 2: "both comparisons"}.get(n, f"all {n:,} comparisons")
    which = every if n == len(records) else f"{n:,} of {len(records):,} comparisons"
    return [(str(Status.SMALL), f"{which}: at most {whole_points(margin)} worse.")]


def open_lines(records: pd.DataFrame) -> list[tuple[str, str]]:
    """Of each error the open comparisons: the largest gaps with their size and the reason."""
    lines = []
    for _, of_error in records[records["status"] == Status.OPEN].groupby("error", sort=False):
        ranked = pd.concat([_open(of_error), of_error[of_error["gap"].isna()]])
        parts = []
        for record in ranked.head(_MOST_OPEN).to_dict("records"):
            known = not pd.isna(record["gap"])
            size = f" {both_numbers(record)}, {gap_points(record)} points{up_to(record)}" if known else ""
            reason, left = reason_words(record), ""
            if record["reason_code"] == Reason.CARRIED:
                reason, left = f"carried by {carriers(record)}", without_carrier(record)
            parts.append(f"{subject(record)}{size}: {reason}{f', without it {left}' if left else ''}")
        more = f"; {len(ranked) - _MOST_OPEN:,} more" if len(ranked) > _MOST_OPEN else ""
        error = error_words(of_error.iloc[0].to_dict())
        lines.append((str(Status.OPEN), f"{error}, {'; '.join(parts)}{more}."))
    return lines


def _overall(records: pd.DataFrame) -> str:
    """How often a tagger misses the entities, of all groups and of each."""
    harmed = float((records["rate"] * records["texts"]).sum()) / max(int(records["texts"].sum()), 1)
    ranked = records.sort_values("rate", ascending=False, kind="stable")
    named = ranked if len(ranked) <= 8 else pd.concat([ranked.head(4), ranked.tail(3)])
    groups = [
        f"{group_phrase(str(group), str(attribute))} {100 * rate:.0f} %"
        for group, attribute, rate in named[["group", "attribute", "rate"]].itertuples(index=False, name=None)
    ]
    return f"{100 * harmed:.0f} % of all; {', '.join(groups)}"

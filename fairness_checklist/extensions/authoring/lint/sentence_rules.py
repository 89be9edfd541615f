"""Errors in filled templates: every template with every term that fits.

Terms with the same edges (see `edges`) make the same errors in a sentence, so one of them is read for all; the
others are read where it makes one. Only templates that share their words are compared sentence by sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, combinations
from pathlib import Path

from fairness_checklist.content.counterfactuals import TermTable, exclude_minors, term_table
from fairness_checklist.content.fills import Lists, check_lists
from fairness_checklist.content.identity_pairs import merge_identities, pair_lists
from fairness_checklist.content.rendering import FactorisedTexts, Frame, unmarked_text
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import (
    NOT_FOR_GROUPS,
    Template,
    excepted_groups,
    load_templates,
    read_templates,
)
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import TermList, display_names
from fairness_checklist.core.errors import InputError, SuiteError, did_you_mean
from fairness_checklist.core.locations import display_path
from fairness_checklist.core.sentences import extract_entities
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.extensions.authoring.lint.findings import Files, LintFinding, parse_finding
from fairness_checklist.extensions.authoring.lint.open_templates import (
    NeutralWords,
    OpenTemplate,
    Sentence,
    Written,
    opener,
)
from fairness_checklist.extensions.authoring.lint.sentence_faults import sentence_faults
from fairness_checklist.extensions.authoring.lint.word_rules import TermRules

_NO_SLOT = "it has no slot"
_SECOND = "identity2"
_IS_CLAUSE = re.compile(r"who |that |born |\w+ing ")  # "living abroad", to which "in the elevator" belongs
_PLACEBO = "placebo"  # no identity: a control for identities


def lint_fills(files: Files, lists: Lists | None) -> Iterator[LintFinding]:
    """The findings about the filled templates of one language."""
    checked = check_lists(lists)
    neutral = NeutralWords(files.language)
    opened = opener(checked, paired=False)
    usable: dict[str, TermList] = {}
    groups: set[str] = set()
    filled: set[str] = set()
    reported: set[tuple[str, str, str]] = set()
    pairs: set[tuple[str, str]] = set()
    all_known = True
    tasks = {template.task for path in files.templates for template in read_templates(path)}

    def findings_of(templates: Sequence[OpenTemplate], terms: TermList, task: str) -> Iterator[LintFinding]:
        filled.update(candidate.template.place for candidate in templates)
        for finding in _Filling(files, terms, task, neutral, pairs).findings(templates):
            key = (finding.place, finding.rule, finding.message)
            if key not in reported:
                reported.add(key)
                yield finding

    for name in attributes(files.more_terms, files.language):
        try:
            terms = load_terms(name, files.more_terms, files.language)
            groups.update((name, *terms.groups))
            terms = usable[name] = terms.select()
        except InputError as error:  # a user's term that is in another shipped group, a group of dispreferred terms
            all_known = False
            yield parse_finding(error, name)
            continue
        mine = any(files.holds(term.place) for term in terms.terms)
        for task in TASKS if mine else tasks:
            known = load_templates(
                task, name, files.more_templates, more_terms=files.more_terms, language=files.language
            )
            whole = mine and (task != "toxicity" or _has_adults(terms))
            some = [opened(candidate) for candidate in known if whole or files.holds(candidate.place)]
            yield from findings_of([candidate for candidate in some if candidate.is_for(terms.families)], terms, task)
    opened = opener(checked, paired=True)
    for templates, terms, task in _pairs(files, usable, tuple(checked)):
        yield from findings_of(list(map(opened, templates)), terms, task)
    for path in files.templates:
        for template in read_templates(path):
            if template.place not in filled:
                yield LintFinding(template.place, "fill", "there are no terms that fill its slots.")
            if all_known:
                yield from _unknown_groups(template, groups)


def _unknown_groups(template: Template, groups: Collection[str]) -> Iterator[LintFinding]:
    """The names in ``except_groups`` of no group and no attribute."""
    for name in excepted_groups(template):
        if name not in groups:
            message = (
                f"except_groups names {name!r}, which is no group and no attribute. Write it as `fairness-checklist "
                f"list` shows it, and '; ' between two groups.{did_you_mean(name, groups)}"
            )
            yield LintFinding(template.place, "fill", message)


def _has_adults(terms: TermList) -> bool:
    """Whether every group has a term for adults; others take no part in hostile sentences."""
    try:
        exclude_minors(terms)
    except SuiteError:
        return False
    return True


@dataclass(eq=False)
class _Filling:
    """Templates with the terms of one attribute, for one task."""

    files: Files  # the files to check; an error in a template of another file is attributed to the terms
    terms: TermList  # the terms that templates are filled with
    task: str  # the task of the templates
    neutral: NeutralWords  # the words for slots of other attributes
    pairs: set[tuple[str, str]]  # ids of templates that are known to make the same sentence, over all attributes
    # what is written into slots by the terms at these positions
    written: dict[tuple[tuple[Slot, ...], tuple[int, ...]], Written] = field(default_factory=dict)

    @cached_property
    def table(self) -> TermTable:
        """The terms that fill templates of the task."""
        terms = exclude_minors(self.terms) if self.task == "toxicity" else self.terms
        return term_table(terms, tagging=TASKS[self.task].tagging)

    def findings(self, templates: Sequence[OpenTemplate]) -> Iterator[LintFinding]:
        """What is wrong with each template, and with two that make one sentence."""
        left_out: list[tuple[Template, str]] = []
        made: list[tuple[OpenTemplate, tuple[Sentence, ...], Written]] = []
        for opened in templates:
            try:
                filled = self._filled(opened)
            except InputError as error:
                finding = parse_finding(error, opened.template.place)
                is_of_suite = isinstance(error, SuiteError)
                yield self._finding(opened.template, "fill", finding.message) if is_of_suite else finding
                continue
            if isinstance(filled, Unfit):
                left_out.append((opened.template, filled.reason))
            else:
                made.append((opened, *filled))
        yield from self._left_out(left_out)
        rules = TermRules(self.terms.terms)
        for opened, sources, written in made:
            for rule, fault in (*opened.slot_faults, *filter(None, map(rules.answer, opened.questions))):
                opened.slot_rules.add(rule)
                yield self._finding(opened.template, rule, f"{fault}.")
            yield from self._minors(opened, written)
            yield from self._attachment(opened, written)
            for source in sources:
                yield from self._sentences(opened, source, written)
        yield from self._duplicates(made)

    def _filled(self, opened: OpenTemplate) -> tuple[tuple[Sentence, ...], Written] | Unfit:
        """The sources of a template and what is written into their slots, or why it cannot be filled."""
        sources = opened.sources(self.table, self.neutral)
        if isinstance(sources, Unfit):
            return sources
        fitting = self.table.fitting(opened.template, [source.stem for source in sources])
        if isinstance(fitting, Unfit):
            return fitting
        slots = sources[0].stem.slots
        if (slots, fitting) not in self.written:
            columns = tuple(self.table.column(slot, fitting) for slot in slots)
            self.written[slots, fitting] = Written(columns, fitting, self.terms.language)
        return sources, self.written[slots, fitting]

    def _finding(self, template: Template, rule: str, message: str, sentence: str = "", term: int = -1) -> LintFinding:
        """A finding at its template; for a shipped template and a user's terms, at the term or the terms' file."""
        if self.files.holds(template.place):
            return LintFinding(template.place, rule, message, sentence)
        place = self.table.terms.terms[term].place if term >= 0 else display_path(Path(self.terms.path))
        return LintFinding(place or template.place, rule, message, sentence)

    def _left_out(self, left_out: Sequence[tuple[Template, str]]) -> Iterator[LintFinding]:
        """Templates that no group or not every group fills; shipped ones in one finding at the terms' file."""
        faulty = [(omitted, why) for omitted, why in left_out if omitted.attribute or NOT_FOR_GROUPS not in why]
        ours = [(omitted, why) for omitted, why in faulty if not self.files.holds(omitted.place)]
        if ours:
            template, reason = ours[0]
            are = "shipped template is" if len(ours) == 1 else "shipped templates are"
            message = f"{len(ours)} {are} left out for all groups, {template.id} because {reason}."
            yield self._finding(template, "fill", message)
        for template, reason in faulty:
            if self.files.holds(template.place):
                of = f"the template cannot be filled by every group of {self.terms.attribute!r}. {template.id}: "
                yield self._finding(template, "fill", f"{'' if reason.startswith(_NO_SLOT) else of}{reason}.")

    def _attachment(self, opened: OpenTemplate, written: Written) -> Iterator[LintFinding]:
        """A phrase of a template to check, right after the slot of a term that is a phrase itself; once a template."""
        if not self.files.holds(opened.template.place):
            return
        terms = self.table.terms.terms
        phrases = (at for at in written.positions if terms[at].pos == "pp") if opened.next_phrase else ()
        is_of_noun = opened.next_phrase.startswith(("of ", "with ", "that "))
        phrase = next((at for at in phrases if is_of_noun or _IS_CLAUSE.match(terms[at].term)), -1)
        if phrase >= 0:
            message = (
                f"'{opened.next_phrase}' stands right after a slot, where it belongs to '{terms[phrase].term}': "
                "write it before the slot, or end the clause with the slot."
            )
            yield self._finding(opened.template, "attachment", message, term=phrase)
            opened.next_phrase = ""

    def _minors(self, opened: OpenTemplate, written: Written) -> Iterator[LintFinding]:
        """A romantic or sexual word in a template that a term for a minor fills."""
        terms = self.table.terms.terms
        minor = next((at for at in written.positions if terms[at].has_flag("minor")), -1) if opened.romance else -1
        if minor >= 0:
            name = display_names(terms)[minor]
            message = f"'{opened.romance}' in a sentence that '{name}' fills, which means a minor."
            yield self._finding(opened.template, "minor", message, term=minor)

    def _sentences(self, opened: OpenTemplate, source: Sentence, written: Written) -> Iterator[LintFinding]:
        """Errors in the sentences of a source, by the edges of its terms, and where a term repeats a word beside it."""
        if not source.control_is_read:
            source.control_is_read = True
            control = unmarked_text(source.stem.pieces)
            if control is not None:
                yield from self._errors(opened, extract_entities(control)[0])[0]
        rows_by_edges = written.by_edges if source.has_edges else written.by_words
        if not rows_by_edges.keys() <= source.clean:
            for edges, rows in rows_by_edges.items():
                if edges not in source.clean:
                    yield from self._errors_of_edges(opened, source, edges, rows, written)
        if source.has_edges:
            for (before, after), (by_first, by_last) in zip(source.neighbors, written.by_end, strict=True):
                for at in (*by_first.get(before, ()), *by_last.get(after, ())):
                    text = source.render(written.rows[at])
                    yield from self._errors(opened, text, written.positions[at])[0]

    def _errors_of_edges(
        self, opened: OpenTemplate, source: Sentence, edges: object, rows: Sequence[int], written: Written
    ) -> Iterator[LintFinding]:
        """Errors with terms that have the same edges: one term is read, and the others where errors differ by term."""
        for at in rows:
            row = written.rows[at]
            findings, errors = self._errors(opened, source.render(row), written.positions[at])
            yield from findings
            words = frozenset(" ".join(row).split(" "))
            first_errors, first_words = source.errors.setdefault(edges, (errors, words))
            is_of_source = errors == first_errors and words.isdisjoint(first_words)
            if not errors or (is_of_source and self.files.holds(opened.template.place)):
                source.clean.add(edges)
                return

    def _errors(
        self, opened: OpenTemplate, text: str, term: int = -1
    ) -> tuple[list[LintFinding], frozenset[tuple[str, str]]]:
        """The errors in a sentence but those that are reported for its slots, or allowed in such a template."""
        errors = [
            (rule, message)
            for rule, message in sentence_faults(text, self.terms.language)
            if not (
                (rule == "capital" and opened.is_informal)
                or rule in opened.slot_rules
                or (rule == "parse" and ("mark" in message or opened.has_braces))
            )
        ]
        findings = [self._finding(opened.template, rule, message, text, term) for rule, message in errors]
        return findings, frozenset(errors)

    def _duplicates(self, made: Sequence[tuple[OpenTemplate, tuple[Sentence, ...], Written]]) -> Iterator[LintFinding]:
        """The same sentence from two templates, or from two groups of one; each pair of templates is reported once."""
        vocabulary = frozenset[str]().union(*(written.words for written in self.written.values()))
        alike: dict[tuple[str, ...], list[tuple[OpenTemplate, Sentence, Written]]] = {}
        for opened, sources, written in made:
            for source in sources:
                own = tuple(word for word in source.words if word not in vocabulary)
                alike.setdefault(own, []).append((opened, source, written))
        for members in alike.values():
            if len(members) > 1 or members[0][2].has_twins:
                yield from self._same_sentences(members)

    def _same_sentences(self, members: Sequence[tuple[OpenTemplate, Sentence, Written]]) -> Iterator[LintFinding]:
        frames = tuple(Frame(source.literals, written.columns, len(written.rows)) for _, source, written in members)
        texts = [FactorisedTexts((frame,)).render(0, len(frame)) for frame in frames]
        if len(set(chain.from_iterable(texts))) == sum(map(len, texts)):
            return
        terms = self.table.terms.terms
        known: dict[str, tuple[Template, str]] = {}
        for (opened, _source, written), rendered in zip(members, texts, strict=True):
            template = opened.template
            for text, term in zip(rendered, written.positions, strict=True):
                other, group = known.setdefault(text, (template, terms[term].group))
                # terms that are flagged as ambiguous may write the same words for two groups (Congolese, Dominican)
                if other is template and (group == terms[term].group or terms[term].has_flag("ambiguous")):
                    continue
                if (other.id, template.id) in self.pairs:
                    continue
                self.pairs.add((other.id, template.id))
                first, place = (other, template) if self.files.holds(template.place) else (template, other)
                same = f"the sentence is that of {first.id} too"
                if other.label != template.label:
                    labels = f"{place.label or 'no label'} here, {first.label or 'no label'} there"
                    yield self._finding(place, "label", f"{labels}: {same}", text, term)
                else:
                    yield self._finding(place, "duplicate", same, text, term)


def _pairs(
    files: Files, usable: Mapping[str, TermList], lists: Sequence[str]
) -> Iterator[tuple[list[Template], TermList, str]]:
    """The user's templates for two attributes at once, and the terms: one of each group of any two attributes."""
    named = {row.attribute for path in files.templates for row in read_templates(path) if _SECOND in row.text}
    if not named:
        return
    named |= {path.stem for path in files.templates}

    @cache
    def templates_of(task: str, attribute: str) -> list[Template]:
        loaded = load_templates(
            task, attribute, files.more_templates, more_terms=files.more_terms, language=files.language, pairs=True
        )
        return [merge_identities(row, lists) for row in loaded if _SECOND in row.text and files.holds(row.place)]

    for first, second in combinations([name for name in usable if "." not in name and name != _PLACEBO], 2):
        both = f"{first}+{second}"
        for task in (name for name, spec in TASKS.items() if not spec.tagging):
            templates = templates_of(task, both if both in named else "")
            if not templates:
                continue
            try:
                terms, _remarks = pair_lists(*(usable[name].select(max_terms=1) for name in (first, second)))
            except InputError:  # attributes that make no pair, such as names
                continue
            yield templates, terms, task

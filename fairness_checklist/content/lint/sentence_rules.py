"""Errors in filled templates: every template with every term that fits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path

from fairness_checklist.content.counterfactuals import Dropped, exclude_minors, expand
from fairness_checklist.content.fills import Lists
from fairness_checklist.content.grammar.languages import sentence_faults
from fairness_checklist.content.identity_pairs import merge_identities, pair_lists
from fairness_checklist.content.lint.file_rules import is_informal, literals
from fairness_checklist.content.lint.findings import Files, Finding, parse_finding
from fairness_checklist.content.lint.word_rules import ROMANCE, slot_faults
from fairness_checklist.content.slots import parse
from fairness_checklist.content.templates import (
    NOT_FOR_GROUPS,
    Template,
    excepted_groups,
    is_for_other_terms,
    load_templates,
    read_templates,
)
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import InputError, SuiteError, did_you_mean
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.locations import display_path
from fairness_checklist.core.tasks import TASKS

_NO_SLOT = "it has no slot"
_SECOND = "identity2"
_PLACEBO = "placebo"  # no identity: a control for identities


@dataclass
class _Progress:
    """What was checked or reported before, over all attributes.

    Attributes:
        sentences: hashes of the sentences that were read.
        findings: (place, rule, message): a finding is reported once per template, with its first sentence.
        pairs: ids of templates with the same sentence.
        filled: places of the templates that the terms of some attribute fill.
        slots: (place, rule) of the findings on a template's slots, which are not repeated for its sentences.
    """

    sentences: set[int] = field(default_factory=set)
    findings: set[tuple[str, str, str]] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)
    filled: set[str] = field(default_factory=set)
    slots: set[tuple[str, str]] = field(default_factory=set)

    def is_new(self, finding: Finding) -> bool:
        """Whether this was not reported yet."""
        key = (finding.place, finding.rule, finding.message)
        known = key in self.findings
        self.findings.add(key)
        return not known


def lint_fills(files: Files, lists: Lists | None) -> Iterator[Finding]:
    """The findings about the filled templates of one language.

    Args:
        files: terms of these files fill all templates that they fit, shipped terms the templates of these files.
        lists: the values of user-defined slots.
    """
    progress = _Progress()
    usable: dict[str, TermList] = {}
    groups: set[str] = set()
    all_known = True
    for name in attributes(files.more_terms, files.language):
        try:
            terms = load_terms(name, files.more_terms, files.language)
            groups.update(terms.groups)
            usable[name] = terms.select()
        except InputError as error:  # a user's term that is in another shipped group, a group of dispreferred terms
            all_known = False
            yield parse_finding(error, name)
            continue
        mine = any(files.holds(term.place) for term in terms.terms)
        if not mine and not files.templates:
            continue
        for task in TASKS:
            templates = load_templates(
                task, name, files.more_templates, more_terms=files.more_terms, language=files.language
            )
            whole = mine and (task != "toxicity" or _has_adults(usable[name]))
            some = [
                one for one in templates if (whole or files.holds(one.place)) and _applies_to(one, usable[name], lists)
            ]
            progress.filled.update(one.place for one in some)
            yield from filter(progress.is_new, _attribute_findings(files, some, usable[name], task, lists, progress))
    yield from filter(progress.is_new, _pair_findings(files, usable, lists, progress))
    for path in files.templates:
        for template in read_templates(path):
            if template.place not in progress.filled:
                yield Finding(template.place, "fill", "there are no terms that fill its slots.")
            if all_known:
                yield from _unknown_groups(template, groups)


def _unknown_groups(template: Template, groups: Collection[str]) -> Iterator[Finding]:
    """The names in ``except_groups`` that no attribute has."""
    for name in excepted_groups(template):
        if name not in groups:
            message = (
                f"except_groups names {name!r}, which is a group of no attribute. Write it as `fairness-checklist "
                f"list` shows it, and '; ' between two groups.{did_you_mean(name, groups)}"
            )
            yield Finding(template.place, "fill", message)


def _is_excepted(template: Template, reason: str) -> bool:
    """Whether a template for every attribute is left out of one because of ``except_groups``: this is no error."""
    return not template.attribute and NOT_FOR_GROUPS in reason


def _has_adults(terms: TermList) -> bool:
    """Whether every group has a term for adults; others take no part in hostile sentences."""
    try:
        exclude_minors(terms)
    except SuiteError:
        return False
    return True


def _applies_to(template: Template, terms: TermList, lists: Lists | None) -> bool:
    """Whether a template is meant for these terms; one that does not parse is checked in any case."""
    if template.attribute:
        return True
    try:
        return not is_for_other_terms(template, terms.families, tuple(lists or ()))
    except InputError:
        return True


def _attribute_findings(
    files: Files, templates: Sequence[Template], terms: TermList, task: str, lists: Lists | None, progress: _Progress
) -> Iterator[Finding]:
    """The findings about some templates filled with the terms of one attribute."""
    names = tuple(lists or ())
    filling = _Filling(files, terms, task, {template.id: template for template in templates}, names, progress)
    sets: list[ExampleSet] = []
    for examples, findings in filling.expand_templates(templates, lists):
        yield from findings
        if examples is not None:
            sets.append(examples)
    for examples in sets:
        for template in dict.fromkeys(filling.by_id[source.template] for source in examples.sources):
            for rule, fault in slot_faults(parse(template.text, template.place, names, template.language), terms.terms):
                progress.slots.add((template.place, rule))
                yield filling.finding(template, rule, f"{fault}.")
            yield from filling.romance_with_minors(template, examples)
        yield from filling.sentences(examples)
        yield from filling.duplicates(examples)


@dataclass
class _Filling:
    """Templates with the terms of one attribute, for one task.

    Attributes:
        files: the files to check; an error in a template of another file is attributed to the terms.
        terms: the terms that templates are filled with.
        task: the task of the templates.
        by_id: the templates.
        names: the names of the user's lists.
        progress: what was checked or reported before.
        sentences_by_text: of each sentence its first template and group.
    """

    files: Files
    terms: TermList
    task: str
    by_id: dict[str, Template]
    names: tuple[str, ...]
    progress: _Progress
    sentences_by_text: dict[str, tuple[Template, int]] = field(default_factory=dict)

    @cached_property
    def in_order(self) -> tuple[IdentityTerm, ...]:
        """The terms as `ExampleSet.terms` has them."""
        of_task = exclude_minors(self.terms) if self.task == "toxicity" else self.terms
        position = {group: number for number, group in enumerate(of_task.groups)}
        return tuple(sorted(of_task.terms, key=lambda term: position[term.group]))

    def finding(self, template: Template, rule: str, message: str, sentence: str = "", term: int = -1) -> Finding:
        """A finding at its template; for a shipped template and a user's terms, at the term or the terms' file."""
        if self.files.holds(template.place):
            return Finding(template.place, rule, message, sentence)
        place = self.in_order[term].place if term >= 0 else display_path(Path(self.terms.path))
        return Finding(place or template.place, rule, message, sentence)

    def expand_templates(
        self, templates: Sequence[Template], lists: Lists | None
    ) -> Iterator[tuple[ExampleSet | None, list[Finding]]]:
        """The filled templates: all at once, or one by one where one of them raises."""
        if not templates:
            return
        try:
            expansion = expand(templates, self.terms, task=self.task, lists=lists)
        except InputError as error:
            if len(templates) > 1:
                for template in templates:
                    yield from self.expand_templates([template], lists)
                return
            [template] = templates
            found = parse_finding(error, template.place)
            if _is_excepted(template, found.message):
                yield None, []
                return
            if isinstance(error, SuiteError):
                _before, _no_slot, rest = found.message.partition(_NO_SLOT)
                found = self.finding(template, "fill", _NO_SLOT + rest if rest else found.message)
            yield None, [found]
            return
        dropped = list(self._dropped(expansion.dropped))
        yield expansion.examples, dropped

    def _dropped(self, left_out: Sequence[Dropped]) -> Iterator[Finding]:
        """Templates that are left out, one by one; shipped templates in one finding at the terms' file."""
        left_out = [one for one in left_out if not _is_excepted(self.by_id[one.template_id], one.reason)]
        ours = [one for one in left_out if not self.files.holds(self.by_id[one.template_id].place)]
        if ours:
            are = "shipped template is" if len(ours) == 1 else "shipped templates are"
            message = f"{len(ours)} {are} left out for all groups, {ours[0].template_id} because {ours[0].reason}."
            yield self.finding(self.by_id[ours[0].template_id], "fill", message)
        for one in left_out:
            if one in ours:
                continue
            message = f"{one.reason}."
            if not one.reason.startswith(_NO_SLOT):
                of = f"the template cannot be filled by every group of {self.terms.attribute!r}"
                message = f"{of}. {one.template_id}: {message}"
            yield self.finding(self.by_id[one.template_id], "fill", message)

    def sentences(self, examples: ExampleSet) -> Iterator[Finding]:
        """Errors in the sentences that were not checked yet."""
        read = self.progress.sentences
        rows = zip(examples.render(), examples.source.tolist(), examples.term.tolist(), strict=True)
        language = self.terms.language
        for text, source, term in rows:
            mark = hash(text)
            if mark in read:
                continue
            read.add(mark)
            for rule, message in sentence_faults(text, language):
                template = self.by_id[examples.sources[source].template]
                if not self._already_reported(template, rule, message):
                    yield self.finding(template, rule, message, text, term)

    def _already_reported(self, template: Template, rule: str, message: str) -> bool:
        """Whether an error in a sentence was reported for its template, or is allowed in such a template."""
        if rule == "capital" and is_informal(literals(template, self.names)):
            return True
        return (template.place, rule) in self.progress.slots or (rule == "parse" and "mark" in message)

    def romance_with_minors(self, template: Template, examples: ExampleSet) -> Iterator[Finding]:
        """A romantic or sexual word in a template that a term for a minor fills."""
        minors = {at for at, term in enumerate(self.in_order) if term.has_flag("minor")}
        pieces = literals(template, self.names) if minors else ()
        found = ROMANCE.search(" ".join(piece for piece in pieces if isinstance(piece, str)))
        if found is None:
            return
        sources = {at for at, source in enumerate(examples.sources) if source.template == template.id}
        for term, source in zip(examples.term.tolist(), examples.source.tolist(), strict=True):
            if source in sources and term in minors:
                message = f"'{found.group()}' in a sentence that '{examples.terms[term]}' fills, which means a minor."
                yield self.finding(template, "minor", message, term=term)
                return

    def duplicates(self, examples: ExampleSet) -> Iterator[Finding]:
        """The same sentence from two templates, or from two groups of one; each pair of templates is reported once.

        Terms that are flagged as ambiguous may write the same words for two groups (Congolese, Dominican).
        """
        of_source = [self.by_id[source.template] for source in examples.sources]
        flagged = {at for at, term in enumerate(self.in_order) if term.has_flag("ambiguous")}
        known, progress = self.sentences_by_text, self.progress.pairs
        rows = zip(
            examples.render(), examples.source.tolist(), examples.group.tolist(), examples.term.tolist(), strict=True
        )
        for text, source, group, term in rows:
            if group < 0:
                continue
            template = of_source[source]
            other, of_group = known.setdefault(text, (template, group))
            if other is template and (of_group == group or term in flagged):
                continue
            pair = (other.id, template.id)
            if pair in progress:
                continue
            progress.add(pair)
            first, place = (other, template) if self.files.holds(template.place) else (template, other)
            same = f"the sentence is that of {first.id} too"
            if other.label != template.label:
                labels = f"{place.label or 'no label'} here, {first.label or 'no label'} there"
                yield self.finding(place, "label", f"{labels}: {same}", text, term)
            else:
                yield self.finding(place, "duplicate", same, text, term)


def _pair_findings(
    files: Files, usable: dict[str, TermList], lists: Lists | None, progress: _Progress
) -> Iterator[Finding]:
    """Templates for two attributes at once, with a term of each group of any two of them."""
    if not any(_SECOND in template.text for path in files.templates for template in read_templates(path)):
        return
    for first, second in combinations([name for name in usable if "." not in name and name != _PLACEBO], 2):
        for task, spec in TASKS.items():
            if spec.tagging:
                continue
            both = f"{first}+{second}"
            found = load_templates(
                task, both, files.more_templates, more_terms=files.more_terms, language=files.language, pairs=True
            )
            templates = [
                merge_identities(one, tuple(lists or ()))
                for one in found
                if _SECOND in one.text and files.holds(one.place)
            ]
            progress.filled.update(one.place for one in templates)
            if not templates:
                continue
            try:
                one, other = (usable[name].select(max_terms=1) for name in (first, second))
                terms, _remarks = pair_lists(one, other)
            except InputError:  # attributes that make no pair, such as names
                continue
            yield from _attribute_findings(files, templates, terms, task, lists, progress)

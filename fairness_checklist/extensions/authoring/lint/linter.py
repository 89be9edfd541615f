"""The linter: every rule over every file, and over every template with every term that fits."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import ne
from pathlib import Path

from fairness_checklist.content import counterfactuals
from fairness_checklist.content.counterfactuals import Filled, TermTable, check_size, fill_template, term_table
from fairness_checklist.content.fills import Lists, Stem, check_lists, neutral_loader, stems
from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.rendering import Column, Frame
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.templates import NOT_FOR_GROUPS, Template, listed_names, load_templates, read_templates
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import TermList, display_names
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import InputError, SuiteError
from fairness_checklist.core.locations import display_path
from fairness_checklist.core.option_defaults import MAX_SOURCES
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.extensions.authoring.lint.findings import Files, LintFinding, find_files, parse_finding
from fairness_checklist.extensions.authoring.lint.sentence_faults import sentence_faults
from fairness_checklist.extensions.authoring.lint.slot_rules import SlotContext, slot_context, term_faults, with_senses
from fairness_checklist.extensions.authoring.lint.template_rules import lint_templates
from fairness_checklist.extensions.authoring.lint.term_rules import lint_terms

_SECOND = "identity2"  # in templates for two attributes at once, which are not filled here
_LEFT, _RIGHT = re.compile(r"(?:\S+\s+)?\S*\s*$"), re.compile(r"\S*(?:\s+\S+){0,2}")  # two words: so far a rule reads
_IS_CLAUSE = re.compile(r"who |that |born |\w+ing ")  # "living abroad", to which "in the elevator" belongs


def lint(folder: str | Path | None = None, *, lists: Lists | None = None, language: str = "") -> list[LintFinding]:
    """The errors in templates and identity terms, file by file and line by line.

    The files of a user's folder are read together with the shipped ones, and only its own errors are reported. By
    default the shipped files are checked, in all languages. A file that cannot be read has one finding, the first.
    """
    found: dict[tuple[str, str, str], LintFinding] = {}  # each message about a place once
    for files in find_files(folder, language):
        for finding in _findings(files, lists):
            found.setdefault((finding.place, finding.rule, finding.message), finding)
    return sorted(found.values(), key=lambda finding: finding.order)


def _findings(files: Files, lists: Lists | None) -> Iterator[LintFinding]:
    yield from files.unreadable
    for path in files.terms:
        yield from lint_terms(path, files.more_terms)
    for path in files.templates:
        yield from lint_templates(path, tuple(lists or ()), files.more_terms)
    if not files.has_unreadable_terms:
        yield from _lint_fills(files, lists)


def _lint_fills(files: Files, lists: Lists | None) -> Iterator[LintFinding]:
    """The findings about the filled templates of one language."""
    filling = _Filling(files, check_lists(lists))
    groups: set[str] = set()
    all_readable = True
    tasks = {template.task for path in files.templates for template in read_templates(path)}
    known = attributes(files.more_terms, files.language)
    sets = {path.stem for path in files.templates if "." in path.stem and path.stem.partition(".")[0] not in known}
    for name in known:
        try:
            terms = load_terms(name, files.more_terms, files.language)
            groups.update((name, *terms.groups))
            terms = terms.select()
        except InputError as error:  # a user's term that is in another shipped group, a group of dispreferred terms
            all_readable = False
            yield parse_finding(error, name)
            continue
        mine = any(files.holds(term.place) for term in terms.terms)
        for task in TASKS if mine else tasks:
            of_task = load_templates(
                task, name, files.more_templates, more_terms=files.more_terms, language=files.language, sets=sets
            )
            yield from filling.findings([t for t in of_task if mine or files.holds(t.place)], terms, task)
    for path in files.templates:
        for template in read_templates(path):
            if template.place not in filling.filled and _SECOND not in template.text:
                yield LintFinding(template.place, "fill", "there are no terms that fill its slots.")
            for name in listed_names(template.except_groups) if all_readable else ():
                if name not in groups:
                    message = (
                        f"except_groups names {name!r}, which is no group and no attribute. Write it as "
                        "`fairness-checklist list` shows it, and '; ' between two groups."
                    )
                    yield LintFinding(template.place, "fill", f"{message}{did_you_mean(name, groups)}")


@lru_cache(maxsize=65536)
def _beside(before: str, after: str) -> tuple[str, str]:
    """The two words on each side of a slot."""
    return _LEFT.findall(before)[0], _RIGHT.findall(after)[0]


class _Filling:
    """The templates of one language with the terms of one attribute after another."""

    def __init__(self, files: Files, lists: Mapping[str, tuple[str, ...]]) -> None:
        self.files = files
        self.lists = lists
        self.filled: set[str] = set()  # the places of templates that some terms are meant for
        self._contexts: dict[str, SlotContext] = {}  # by place of a template
        self._neutral = neutral_loader(None, files.language)
        self._made: dict[tuple[str, frozenset[str], frozenset[str]], list[Stem] | Unfit] = {}
        self._attached: set[str] = set()  # the places of templates with a finding about an attachment
        self._pairs: set[tuple[str, str]] = set()  # ids of templates that make the same sentence
        self._near: dict[tuple[str, int, str], tuple[Column, list[int]]] = {}  # rows with an error next to a slot
        self._clean: defaultdict[str, set[str]] = defaultdict(set)  # by place of a template the sentences without error

    def findings(self, templates: Sequence[Template], terms: TermList, task: str) -> Iterator[LintFinding]:
        """What is wrong with each template and these terms."""
        templates = [template for template in templates if self._context(template).is_for(template, terms.families)]
        self.filled.update(template.place for template in templates)
        try:
            usable = counterfactuals.exclude_minors(terms) if task == "toxicity" and templates else terms
        except SuiteError as error:  # a group without a term for adults takes no part in hostile sentences
            message, places = parse_finding(error, "").message, [template.place for template in templates]
            yield from (LintFinding(place, "fill", message) for place in places if self.files.holds(place))
            return
        table = term_table(usable, tagging=TASKS[task].tagging)
        spellings = frozenset(term.term for term in table.terms.terms)
        first_with, made = dict[str, int](), list[Filled]()  # of a text its number in `made` times terms, plus place
        sensed = with_senses(terms.terms)
        for template in templates:
            try:
                if self.lists:
                    check_size(template, self.lists, 0, len(table.terms), MAX_SOURCES)
                stem = self._stems(template, terms.families, spellings)
                sources = stem if isinstance(stem, Unfit) else fill_template(template, stem, table)
            except InputError as error:
                finding = parse_finding(error, template.place)
                is_of_suite = isinstance(error, SuiteError)
                yield self._finding(template, table, "fill", finding.message) if is_of_suite else finding
                continue
            if isinstance(sources, Unfit):
                if self.files.holds(template.place) and (template.attribute or sources.reason != NOT_FOR_GROUPS):
                    of = f"the template cannot be filled by every group of {table.terms.attribute!r}. {template.id}: "
                    message = f"{'' if isinstance(stem, Unfit) else of}{sources.reason}."
                    yield self._finding(template, table, "fill", message)
                continue
            context = self._context(template)
            faults = (*context.slot_faults, *term_faults(context.pieces, terms.terms, sensed))
            for rule, fault in faults:
                yield self._finding(template, table, rule, f"{fault}.")
            yield from self._term_findings(template, context, table, sources[0][3])
            for source in sources:
                frame = source[2]
                unmarked = [] if frame.unmarked is None else [frame.unmarked]
                texts = [*unmarked, *frame.render(0, frame.n_terms)]
                yield from self._sentences(source, table, texts, context.allowed | {rule for rule, _fault in faults})
                made.append(source)
                yield from self._duplicates(made, table, texts, first_with)

    def _context(self, template: Template) -> SlotContext:
        if template.place not in self._contexts:
            self._contexts[template.place] = slot_context(template, tuple(self.lists))
        return self._contexts[template.place]

    def _stems(self, template: Template, families: frozenset[str], spellings: frozenset[str]) -> list[Stem] | Unfit:
        """The sources of a template, made once for all terms where it has no slot that neutral words fill."""
        numbers = self._context(template).numbers
        has_neutral = any(family not in families or len(used) > 1 for family, used in numbers.items())
        key = (template.place, families, spellings if has_neutral else frozenset())
        if key not in self._made:
            self._made[key] = stems(template, families, self.lists, self._neutral, spellings)
        return self._made[key]

    def _finding(
        self, template: Template, table: TermTable, rule: str, message: str, sentence: str = "", term: int = -1
    ) -> LintFinding:
        """A finding at its template; for a shipped template and a user's terms, at the term or the terms' file."""
        if self.files.holds(template.place):
            return LintFinding(template.place, rule, message, sentence)
        place = table.terms.terms[term].place if term >= 0 else display_path(Path(table.terms.path))
        return LintFinding(place or template.place, rule, message, sentence)

    def _term_findings(
        self, template: Template, context: SlotContext, table: TermTable, positions: Sequence[int]
    ) -> Iterator[LintFinding]:
        """A term for a minor in a romantic sentence, and a phrase right after the slot of a term that is a phrase."""
        terms = table.terms.terms
        minor = next((p for p in positions if terms[p].has_flag("minor")), -1) if context.romance else -1
        if minor >= 0:
            name = display_names(terms)[minor]
            message = f"'{context.romance}' in a sentence that '{name}' fills, which means a minor."
            yield self._finding(template, table, "minor", message, term=minor)
        if not context.next_phrase or template.place in self._attached or not self.files.holds(template.place):
            return
        is_of_noun = context.next_phrase.startswith(("of ", "with ", "that "))
        phrases = (p for p in positions if terms[p].pos == "pp")
        phrase = next((p for p in phrases if is_of_noun or _IS_CLAUSE.match(terms[p].term)), -1)
        if phrase >= 0:
            self._attached.add(template.place)
            message = (
                f"'{context.next_phrase}' stands right after a slot, where it belongs to '{terms[phrase].term}': "
                "write it before the slot, or end the clause with the slot."
            )
            yield self._finding(template, table, "attachment", message, term=phrase)

    def _sentences(
        self, source: Filled, table: TermTable, texts: Sequence[str], ignored: Collection[str]
    ) -> Iterator[LintFinding]:
        """Errors in the sentences of a source; where the first has none, in those that have one next to a slot."""
        template, _stem, frame, positions = source
        clean, start = self._clean[template.place], len(positions) - len(texts)  # -1 where one has no identity
        rows = list(range(start, 1))
        for row in rows:
            text, position = texts[row - start], positions[row] if row >= 0 else -1
            faults = () if text in clean else sentence_faults(text, self.files.language)
            errors = [fault for fault in faults if fault[0] not in ignored]
            for rule, message in errors:
                yield self._finding(template, table, rule, message, sentence=text, term=position)
            if not errors:
                clean.add(text)
            if row == 0:
                doubtful = None if errors else self._doubtful(frame)
                rows += range(1, len(positions)) if doubtful is None else sorted(doubtful - {0})

    def _doubtful(self, frame: Frame) -> set[int] | None:
        """The rows of a frame in which the words next to a slot have an error; None where all have to be read."""
        if self.files.language != DEFAULT or any(len(literal.split()) <= 4 for literal in frame.literals[1:-1]):
            return None
        found: set[int] = set()
        for before, column, after in zip(frame.literals, frame.columns, frame.literals[1:], strict=False):
            left, right = _beside(before, after)
            key = left, id(column), right
            if key not in self._near:
                rules = ([rule for rule, _ in sentence_faults(f"{left}{word}{right}")] for word in column.words)
                ignored = {"capital"} if any(map(str.isalnum, left)) else set()
                self._near[key] = (column, [row for row, broken in enumerate(rules) if not ignored.issuperset(broken)])
            found.update(self._near[key][1])
        return found

    def _duplicates(
        self, made: Sequence[Filled], table: TermTable, texts: Sequence[str], first_with: dict[str, int]
    ) -> Iterator[LintFinding]:
        """The same sentence from two templates, or from two groups of one; each pair of templates is reported once."""
        (template, *_, positions), terms = made[-1], table.terms.terms
        texts = texts[len(texts) - len(positions) :]  # not the one without the identity
        places = range((len(made) - 1) * len(terms), len(made) * len(terms))
        firsts = list(map(first_with.setdefault, texts, places))
        for text, position, first_place in compress(
            zip(texts, positions, firsts, strict=True), map(ne, firsts, places)
        ):
            number, row = divmod(first_place, len(terms))
            term, (other, *_, at) = terms[position], made[number]
            # terms that are flagged as ambiguous may write the same words for two groups (Congolese, Dominican)
            is_expected = other is template and (terms[at[row]].group == term.group or term.has_flag("ambiguous"))
            if is_expected or (other.id, template.id) in self._pairs:
                continue
            self._pairs.add((other.id, template.id))
            first, here = (other, template) if self.files.holds(template.place) else (template, other)
            rule, message = "duplicate", f"the sentence is that of {first.id} too"
            if other.label != template.label:
                rule = "label"
                message = f"{here.label or 'no label'} here, {first.label or 'no label'} there: {message}"
            yield self._finding(here, table, rule, message, sentence=text, term=position)

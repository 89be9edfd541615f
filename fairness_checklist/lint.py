"""What is wrong with templates and terms: every template filled with every term that it can take, and read by rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairness_checklist.counterfactuals import Lists, expand
from fairness_checklist.errors import InputError, OptionError, SuiteError
from fairness_checklist.examples import ExampleSet
from fairness_checklist.grammar import LANGUAGES, folder_of, language_of
from fairness_checklist.grammar.sentence_rules import sentence_faults
from fairness_checklist.identity import TermList
from fairness_checklist.lint_rules import slot_faults, term_fault
from fairness_checklist.locations import DATA_FOLDERS, data_files, shown_path
from fairness_checklist.tasks import TASKS
from fairness_checklist.templates import Template, is_for_other_terms, load_templates, parse, read_templates
from fairness_checklist.terms import attributes, load_terms, read_terms

__all__ = ["Finding", "checked", "lint"]

_ENOUGH = 5
_AMBIGUOUS = "ambiguous: "  # how the note of a term begins that has a second meaning
_Filled = tuple[Template, ExampleSet]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong.

    Attributes:
        place: file, and line or sentence where it can be told.
        rule: parse, fill, article, doubled, spacing, capital, duplicate, label, balance, paraphrase,
            agreement, term, thin or source.
        message: what is wrong, in a sentence.
    """

    place: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.message}"


def lint(folder: str | Path | None = None, *, lists: Lists | None = None, language: str = "") -> list[Finding]:
    """Look at every template and every term file.

    Args:
        folder: a folder of one's own, with ``templates`` and ``identity_terms`` in it or the files themselves; its
            files are read together with ours, and only its own faults are told. Ours by default.
        lists: the values of slots of one's own, as in `Suite.build`.
        language: only the files in this language; by default those of all.

    Returns:
        What is wrong; an empty list where nothing is.

    Raises:
        OptionError: no such folder, or no CSV file in it.

    >>> lint()
    []
    """
    extra = Path(folder) if folder is not None else None
    own_files = _own_files(extra, language)
    codes = [language] if language else dict.fromkeys(language_of(path) for files in own_files for path in files)
    return [finding for code in codes for finding in _in_language(extra, own_files, lists, code)]


def _in_language(
    extra: Path | None, files: tuple[list[Path], list[Path]], lists: Lists | None, language: str
) -> list[Finding]:
    """The findings in the files of one language."""
    template_files, term_files = ([path for path in some if language_of(path) == language] for some in files)
    found: list[Finding] = []
    readable_terms = [p for p in term_files if _parses(lambda p=p: read_terms(p), p, found)]  # type: ignore[misc]
    readable = [p for p in template_files if _parses(lambda p=p: read_templates(p), p, found)]  # type: ignore[misc]
    if found:
        return found
    for path in readable_terms:
        found.extend(_about_terms(path))
    for path in readable:
        found.extend(_about_balance(path))
    more_terms = (extra / "identity_terms" if (extra / "identity_terms").is_dir() else term_files) if extra else None
    more_templates = (extra / "templates" if (extra / "templates").is_dir() else template_files) if extra else None
    own = {shown_path(path) for path in (*readable, *readable_terms)}
    told: set[tuple[str, str]] = set()  # pairs of templates with the same sentence
    for name in attributes(more_terms, language):
        try:
            terms = load_terms(name, more_terms, language)
            selected = terms.select()
        except InputError as error:  # a term of theirs that is in another group of ours, a group of dispreferred terms
            found.append(_unreadable(error, name))
            continue
        templates = [
            template
            for task in TASKS
            for template in load_templates(task, name, more_templates, more_terms=more_terms, language=language)
        ]
        concerned = _concerns(terms, templates, own, lists)
        found.extend(_about_fills(selected, concerned, lists, told))
    return list(dict.fromkeys(found))


def checked(folder: str | Path | None = None, *, language: str = "") -> tuple[int, int]:
    """How many templates and terms `lint` looks at in a folder; of files that do not parse none.

    >>> min(checked()) > 50
    True
    """
    template_files, term_files = _own_files(Path(folder) if folder is not None else None, language)
    unread: list[Finding] = []
    templates = [read_templates(p) for p in template_files if _parses(lambda p=p: read_templates(p), p, unread)]  # type: ignore[misc]
    terms = [read_terms(p).terms for p in term_files if _parses(lambda p=p: read_terms(p), p, unread)]  # type: ignore[misc]
    return sum(map(len, templates)), sum(map(len, terms))


def _own_files(extra: Path | None, language: str) -> tuple[list[Path], list[Path]]:
    """The files of templates and of terms to look at, in one language or in all."""
    codes = [language] if language else list(LANGUAGES)
    parts = [_files_in(extra, folder_of(code)) for code in codes]
    if extra is not None and not any(files for part in parts for files in part):
        raise OptionError(f"{str(extra)!r} holds no CSV file.", remedy="Give a folder with CSV files in it.")
    return [path for part in parts for path in part[0]], [path for part in parts for path in part[1]]


def _files_in(extra: Path | None, language: str) -> tuple[list[Path], list[Path]]:
    if extra is None:
        return data_files("templates", None, language), data_files("identity_terms", None, language)
    if not extra.is_dir():
        raise OptionError(f"the folder {str(extra)!r} does not exist.", remedy="Give a folder with CSV files in it.")
    if any((extra / name).is_dir() for name in DATA_FOLDERS):
        templates, terms = (sorted((extra / name / language).glob("*.csv")) for name in DATA_FOLDERS)
        return templates, terms
    files = sorted((extra / language).glob("*.csv"))
    is_template = {path: path.read_text(encoding="utf-8-sig").lstrip().lower().startswith("template") for path in files}
    return [p for p in files if is_template[p]], [p for p in files if not is_template[p]]


def _parses(read: Callable[[], object], path: Path, found: list[Finding]) -> bool:
    try:
        read()
    except InputError as error:
        found.append(_unreadable(error, shown_path(path)))
        return False
    return True


def _unreadable(error: InputError, place: str) -> Finding:
    """What an error says, on one line."""
    message = " ".join([error.message, *error.remedy.split()])
    return Finding(error.place or place, "parse", message)


def _about_terms(path: Path) -> Iterator[Finding]:
    """Groups with few preferred or accepted terms, and rows without the source that the others have."""
    terms, place = read_terms(path), shown_path(path)
    if path.stem == "neutral":
        return
    for term in terms.terms:
        if fault := term_fault(term, terms.language):
            yield Finding(term.place or place, "term", f"{fault}.")
    for group in terms.groups:
        members = terms.of_group(group)
        good = [term for term in members if term.status != "dispreferred"]
        if len(good) < _ENOUGH and not any("thin" in term.note.lower() for term in members):
            terms_ = "term" if len(good) == 1 else "terms"
            message = (
                f"the group {group} has {len(good)} preferred or accepted {terms_}: add some, or write "
                '"thin" in the column note.'
            )
            yield Finding(members[0].place or place, "thin", message)
    if any(term.source for term in terms.terms):
        for term in terms.terms:
            if not term.source:
                yield Finding(term.place or place, "source", f"the term {term.term} says no source.")


def _about_balance(path: Path) -> Iterator[Finding]:
    """Labels and targets that are not balanced, and paraphrases of nothing."""
    templates, place = read_templates(path), shown_path(path)
    labels = Counter(template.label for template in templates if template.label)
    if len(set(labels.values())) > 1:
        shown = ", ".join(f"{count} {label}" for label, count in sorted(labels.items()))
        yield Finding(place, "balance", f"the labels are not balanced: {shown}.")
    targets = defaultdict(Counter)  # type: defaultdict[str, Counter[str]]
    for template in templates:
        if template.target:
            targets[template.target][template.label] += 1
    for target, count in targets.items():
        if len(labels) > 1 and max(count.values()) - min(count[label] for label in labels) > 1:
            shown = ", ".join(f"{count[label]} {label}" for label in sorted(labels))
            yield Finding(place, "balance", f"the target {target} is not balanced over the labels: {shown}.")
    known = {template.id: template for template in templates}
    for template in templates:
        original = known.get(template.paraphrase_of)
        if template.paraphrase_of and original is None:
            yield Finding(template.place, "paraphrase", f"there is no template {template.paraphrase_of}.")
        elif original is not None and original.label != template.label:
            yield Finding(template.place, "paraphrase", f"its label is not that of {original.id}.")


def _concerns(
    terms: TermList, templates: Sequence[Template], own: set[str], lists: Lists | None
) -> tuple[Template, ...]:
    """The templates to fill: all where the attribute's terms are in the files looked at, else only those in them."""
    mine = any(term.place.rpartition(":")[0] in own for term in terms.terms)
    return tuple(
        template
        for template in templates
        if (mine or template.place.rpartition(":")[0] in own) and (template.attribute or _fits(template, terms, lists))
    )


def _fits(template: Template, terms: TermList, lists: Lists | None) -> bool:
    """Whether a generic template is meant for these terms; one that does not parse is looked at all the same."""
    try:
        return not is_for_other_terms(template, terms.families, tuple(lists or ()))
    except InputError:
        return True


def _about_fills(
    terms: TermList, templates: Sequence[Template], lists: Lists | None, told: set[tuple[str, str]]
) -> Iterator[Finding]:
    sets = []
    for template in templates:
        try:
            expansion = expand([template], terms, task=template.task, lists=lists)
        except SuiteError as error:
            yield Finding(template.place, "fill", _unreadable(error, "").message)
            continue
        except InputError as error:
            yield _unreadable(error, template.place)
            continue
        for rule, fault in slot_faults(
            parse(template.text, template.place, tuple(lists or ()), template.language), terms.terms
        ):
            yield Finding(template.place, rule, f"{fault}.")
        sets.append((template, expansion.examples))
    for template, examples in sets:
        yield from _about_sentences(template, examples)
    flagged = {term.term for term in terms.terms if term.note.startswith(_AMBIGUOUS)}
    yield from _duplicates(sets, told, flagged)


def _about_sentences(template: Template, examples: ExampleSet) -> Iterator[Finding]:
    """Faults of the rendered sentences; each rule is told once a template, with the first sentence that breaks it."""
    told: set[str] = set()
    for text in examples.render():
        for rule, message in sentence_faults(text, template.language):
            if rule not in told:
                told.add(rule)
                yield Finding(template.place, rule, f"{message}: {text}")


def _duplicates(sets: Sequence[_Filled], told: set[tuple[str, str]], flagged: set[str]) -> Iterator[Finding]:
    """The same sentence from two templates, or from two groups of one; each pair of templates is told once.

    Terms that are flagged as ambiguous may write the same words for two groups (Congolese, Dominican).
    """
    seen: dict[str, tuple[Template, int]] = {}
    for template, examples in sets:
        for text, group, term in zip(examples.render(), examples.group, examples.term, strict=True):
            if group < 0:
                continue
            other, of_group = seen.setdefault(text, (template, int(group)))
            pair = (other.id, template.id)
            may_share = of_group == group or examples.terms[term] in flagged
            if (other is template and may_share) or pair in told:
                continue
            told.add(pair)
            if other.label != template.label:
                labels = f"{template.label or 'no label'} here, {other.label or 'no label'} there"
                yield Finding(template.place, "label", f"{labels}: the sentence is that of {other.id} too: {text}")
            else:
                yield Finding(template.place, "duplicate", f"the sentence is that of {other.id} too: {text}")

"""The shipped (and the user's) templates and terms of an attribute, chosen and made into a part of a suite."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from fairness_checklist.content.counterfactuals import exclude_minors
from fairness_checklist.content.fills import check_lists
from fairness_checklist.content.grammar.language import profane_words
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.templates import Template, check_originals, is_for_other_terms, load_templates
from fairness_checklist.content.term_files import TermsMapping, attributes, is_by_attribute, load_terms
from fairness_checklist.content.terms import TermList
from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, SuiteError
from fairness_checklist.core.examples import family_of
from fairness_checklist.core.locations import is_path, path_hint
from fairness_checklist.core.option_defaults import MAX_SOURCES, SEED, flag, names, nfc, whole_number
from fairness_checklist.suites.intersections import MAX_TERMS, check_task
from fairness_checklist.suites.parts import Lists, Part, Paths, make_part


@by_value
@dataclass(frozen=True, eq=False)
class SuiteChoice:
    """Which of an attribute's groups, terms and templates a suite takes; see `Suite.build`."""

    groups: Sequence[str] | None = None
    terms: Sequence[str] | None = None
    include_terms: Sequence[str] = ()
    max_terms: int | None = None
    templates: Sequence[str] | None = None
    sample_seed: int = SEED
    profanity: bool = True
    terms_per_lexeme: int | None = None

    def __post_init__(self) -> None:
        for name in ("groups", "terms", "templates"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, names(name, getattr(self, name)))
        object.__setattr__(self, "include_terms", names("include_terms", self.include_terms, empty=True))
        object.__setattr__(self, "profanity", flag("profanity", self.profanity))
        object.__setattr__(self, "sample_seed", whole_number("sample_seed", self.sample_seed, least=0))
        for name in ("max_terms", "terms_per_lexeme"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole_number(name, getattr(self, name)))


def build_parts(
    names: Sequence[str],
    *,
    task: str,
    terms: str | Path | Sequence[str | Path] | TermsMapping | None,
    templates: str | Path | Template | Sequence[str | Path | Template] | None,
    lists: Lists | None,
    language: str,
    max_sources: int,
    **choice: Any,
) -> tuple[Part, ...]:
    """The parts of a suite, one for each attribute; the parameters are those of `Suite.build`."""
    chosen_terms, more_terms = names_or_files(terms)
    check_mapping(names, more_terms)
    chosen_templates, more_templates = names_or_files(templates, both=True)
    if more_templates is None and isinstance(more_terms, list):
        more_templates = [path for path in more_terms if (path / "templates").is_dir()] or None
    options: dict[str, Any] = {
        "task": task,
        "choice": SuiteChoice(terms=chosen_terms, templates=chosen_templates, **choice),
        "more_terms": more_terms,
        "more_templates": more_templates,
        "lists": check_lists(lists),
        "language": language,
        "max_sources": max_sources,
    }
    return tuple(build_part(name, **options) for name in names)


def check_mapping(attributes: Sequence[str], terms: Any) -> None:
    """Raise `OptionError` for a mapping of groups with several attributes, or of attributes that are not built."""
    listed = ", ".join(attributes)
    if is_by_attribute(terms):
        parts = {part.strip() for name in attributes for part in (name, *name.split("+"))}
        for name in sorted({nfc(str(name)) for name in terms} - parts):
            remedy = f"Built: {listed}.{did_you_mean(name, parts)}"
            raise OptionError(f"terms= is also of {name!r}, which is not built.", remedy=remedy)
    elif isinstance(terms, Mapping) and len(attributes) > 1:
        example = f'{{"{attributes[0]}": {{"{next(iter(terms), "group")}": [...], ...}}, ...}}'
        what = f"terms= is a mapping of groups, and there are several attributes: {listed}."
        raise OptionError(what, remedy=f"Give the groups of each attribute: terms={example}.")


def build_part(
    attribute: str,
    *,
    task: str,
    choice: SuiteChoice | None = None,
    more_terms: Paths | TermsMapping | None = None,
    more_templates: Paths | Sequence[Template] | None = None,
    lists: Lists | None = None,
    language: str = DEFAULT,
    max_sources: int = MAX_SOURCES,
) -> Part:
    """The shipped (and the user's) templates and terms of an attribute, chosen and expanded."""
    choice = choice or SuiteChoice()
    both = two_attributes(attribute, more_terms, language)
    if both is None:
        listed = [_select_terms(attribute, choice, more_terms, task, language)]
    elif get(language).genders:
        raise OptionError(
            f"the intersection {attribute} is not built in {get(language).name}.",
            remedy="Two attributes at once make phrases in English only: name one attribute.",
        )
    else:
        check_task(attribute, task)
        split = _split_choice(both, choice, more_terms)
        listed = [_select_terms(name, chosen, more_terms, task) for name, chosen in zip(both, split, strict=True)]
    own = None if isinstance(more_terms, Mapping) else more_terms
    sets = choice.templates or ()
    templates = load_templates(
        task, attribute, more_templates, more_terms=own, language=language, pairs=both is not None, sets=sets
    )
    check_originals(templates, more_templates, language)
    mine = frozenset[Template]()
    if more_templates is not None:
        shipped = load_templates(task, attribute, language=language, pairs=both is not None, sets=sets)
        mine = frozenset(templates) - {*shipped}
    originals = family_of([template.id for template in templates], [template.rewords for template in templates])
    templates = tuple(
        replace(template, rewords=original) if template.rewords else template
        for template, original in zip(templates, originals, strict=True)
    )
    if not choice.profanity:
        templates = tuple(template for template in templates if not profane_words(template.text))
    if choice.templates is not None:
        templates = _select_templates(
            templates, choice.templates, attribute, lambda: load_templates(task, "", more_templates, language=language)
        )
    families = frozenset({"identity"}) if both else listed[0].families
    names = tuple(lists or ())
    others = tuple(t.id for t in templates if not t.attribute and is_for_other_terms(t, families, names))
    templates = tuple(t for t in templates if t.id not in set(others))
    if not templates:
        why = f"The slots of {', '.join(others[:3])}{', ...' if len(others) > 3 else ''} are for other terms. "
        raise SuiteError(
            f"no template of the task {task} serves the attribute {attribute}.",
            remedy=f"{why if others else ''}Give a CSV file or a folder of templates.",
        )
    made = make_part(templates, *listed, task=task, lists=lists, max_sources=max_sources)
    return replace(made, not_applicable=others, own_templates=frozenset(template.id for template in mine))


def two_attributes(
    attribute: str, more_terms: Paths | TermsMapping | None = None, language: str = DEFAULT
) -> tuple[str, str] | None:
    """The two attributes that "gender+age" stands for; ``None`` for one attribute, whose own name may hold a plus."""
    known = attributes(None if isinstance(more_terms, Mapping) else more_terms, language)
    known += tuple(more_terms or ()) if is_by_attribute(more_terms) else ()  # type: ignore[arg-type]
    if "+" not in attribute or attribute in known:
        return None
    if isinstance(more_terms, Mapping) and not any(name.strip() in known for name in attribute.split("+")):
        return None
    names = [name.strip() for name in attribute.split("+")]
    if len(names) > 2 or not all(names):
        raise OptionError(
            f"{attribute!r} is not an intersection of two attributes.", remedy="Name two, as in gender+age."
        )
    return names[0], names[1]


def _split_choice(
    both: tuple[str, str], choice: SuiteChoice, more_terms: Paths | TermsMapping | None
) -> list[SuiteChoice]:
    """The choice for each of two attributes: a group or term goes to the attribute that has it."""
    lists = [load_terms(name, more_terms) for name in both]
    groups = [set(terms.groups) for terms in lists]
    spellings = [{name for t in terms.terms for name in (t.term, f"{t.term} ({t.pos})")} for terms in lists]
    for what, wanted, known in (
        ("group", choice.groups, groups),
        ("term", [*(choice.terms or ()), *choice.include_terms], spellings),
    ):
        for name in wanted or ():
            if not any(name in allowed for allowed in known):
                raise OptionError(
                    f"neither {both[0]} nor {both[1]} has the {what} {name!r}.",
                    remedy=f"Name {what}s of one or the other.{did_you_mean(name, sorted(known[0] | known[1]))}",
                )

    def of(names: Sequence[str] | None, known: set[str]) -> list[str] | None:
        return [name for name in names or () if name in known] or None

    return [
        replace(
            choice,
            groups=of(choice.groups, of_attribute),
            terms=of(choice.terms, spelt),
            include_terms=of(choice.include_terms, spelt) or (),
            max_terms=MAX_TERMS if choice.max_terms is None else choice.max_terms,
        )
        for of_attribute, spelt in zip(groups, spellings, strict=True)
    ]


def _select_terms(
    attribute: str, choice: SuiteChoice, more_terms: Paths | TermsMapping | None, task: str, language: str = DEFAULT
) -> TermList:
    """The chosen terms; the error for an unknown name notes that it may be a path."""
    wanted = choice.terms or ()
    try:
        known = load_terms(attribute, more_terms, language)
    except OptionError as error:
        if not wanted or more_terms is not None:
            raise
        paths = ", ".join(map(repr, wanted))
        hint = f"{paths} was taken for the name of a term.{path_hint(wanted)}"
        raise OptionError(error.message, place=error.place, remedy=f"{error.remedy} {hint}") from error
    spellings = {name for term in known.terms for name in (term.term, f"{term.term} ({term.pos})")}
    for name in wanted:
        if name not in spellings and (path_hint([name]) or not did_you_mean(name, spellings)):
            raise OptionError(
                f"{name!r} is not a term of {attribute}.",
                remedy=f"Terms go by their spelling, see: fairness-checklist list terms.{path_hint([name])}",
            )
    named = tuple(choice.include_terms)
    chosen = known.select(choice.groups, choice.terms, named)
    if task == "toxicity":  # before the cap, so that other terms of the group step in
        adult = exclude_minors(chosen)
        for name in (term.term for term in chosen.terms if term.has_flag("minor")):
            if name in (*wanted, *named) and name not in {term.term for term in adult.terms}:
                raise OptionError(
                    f"the term {name!r} means a minor; such terms are excluded from hostile sentences.",
                    remedy="Leave it out for the task toxicity.",
                )
        chosen = adult
        for group in choice.groups or ():
            if group not in chosen.groups:
                raise OptionError(
                    f"all terms of the group {group!r} mean minors; such terms are excluded from hostile sentences.",
                    remedy="Leave it out of groups= for the task toxicity.",
                )
    return chosen.select(None, choice.terms, named, choice.max_terms, choice.sample_seed, choice.terms_per_lexeme)


def _select_templates(
    templates: Sequence[Template], wanted: Sequence[str], attribute: str, shared: Callable[[], Sequence[Template]]
) -> tuple[Template, ...]:
    """The templates with a given id, label or set ("generic"); ``*`` stands for any letters of an id."""
    kept: set[str] = set()
    for name in wanted:
        matches = {t.id for t in templates if fnmatchcase(t.id, name) or name in (_set_of(t), t.attribute, t.label)}
        if not matches and any(fnmatchcase(t.id, name) for t in shared()):
            raise OptionError(
                f"the template {name!r} is not filled with {attribute}: its columns except_groups and only say so.",
                remedy=f"Leave it out, or build {attribute} by itself with other templates.",
            )
        if not matches:
            ids = [t.id for t in templates]
            sets = ", ".join(dict.fromkeys(_set_of(t) for t in templates))
            raise OptionError(
                f"{name!r} is not a template or set of templates of {attribute}.",
                remedy=f"Sets: {sets}.{did_you_mean(name, ids)}{path_hint([name])}",
            )
        kept |= matches
    return tuple(t for t in templates if t.id in kept)


def _set_of(template: Template) -> str:
    return template.file or template.attribute or "generic"


def names_or_files(given: Any, *, both: bool = False) -> tuple[Sequence[str] | None, Any]:
    """Split names of shipped content from what extends it; only with ``both`` they may be mixed. See `is_path`."""
    if given is None or isinstance(given, Mapping):
        return None, given
    if isinstance(given, bytes) or not isinstance(given, (Path, Template, Iterable)):
        raise OptionError(f"{given!r} is neither a name nor a file.", remedy="Expected strings, or paths of files.")
    entries = [given] if isinstance(given, (str, Path, Template)) else list(given)
    if entries and all(isinstance(entry, Template) for entry in entries):
        return None, entries
    paths = [str(entry) for entry in entries if is_path(entry)]
    others = [nfc(str(entry)) for entry in entries if not is_path(entry)]
    if paths and others and not both:
        raise OptionError(
            f"{', '.join(map(str, entries))} mixes names ({', '.join(others)}) and paths ({', '.join(paths)}).",
            remedy="Give either names to keep or files and folders to add; write ./NAME for a folder.",
        )
    return others or None if paths else others, [Path(path) for path in paths] or None

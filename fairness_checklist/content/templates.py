"""Templates: the record, the CSV files, and the selection of shipped and user templates for an attribute."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairness_checklist.content.grammar.languages import DEFAULT, folder_of, get, language_of
from fairness_checklist.content.slots import Slot, parse, template_error
from fairness_checklist.content.term_files import attributes, file_state
from fairness_checklist.core.delimited import check_characters, read_rows
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, OptionError, TemplateError, count
from fairness_checklist.core.examples import GROUP_SEPARATOR
from fairness_checklist.core.locations import Extra, data_files, display_path, shipped_folder
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.tasks import TASKS, get_task

TEMPLATE_COLUMNS = (
    "template", "label", "task", "attribute", "target", "symmetric", "except_groups", "hard", "relevant",
    "paraphrase_of", "topic", "register", "kind", "id",
)  # fmt: skip
OPTIONAL = ("topic", "register", "kind")
"""Columns that are written, and count in the hash of templates, only where a template has a value in them."""
TARGETS = ("person", "speaker", "third_party", "situation")
NOT_FOR_GROUPS = "it is not for these groups (except_groups)"
_PAIRS = "intersections"  # the file of templates with two identities
_DEFAULTS = {"symmetric": "yes", "hard": "no", "relevant": "no"}
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")


@dataclass(frozen=True)
class Template:
    """A sentence with slots, and its gold class.

    Attributes:
        id: unique in a suite.
        text: in the slot language.
        label: gold class, "" where there is none.
        task: "sentiment".
        attribute: the attribute that it is written for; "" for all attributes.
        target: the target of the sentiment (person, speaker, third_party, situation), or "".
        symmetric: False where the label or the sense changes with the group.
        paraphrase_of: id of the template that it rewords, or "".
        except_groups: groups, or attributes with all their groups, that it is not filled with, because label or sense
            would change, or nobody would write it; several with "; ".
        hard: whether the label needs more than a word list: negation, contrast, irony, several sentences.
        relevant: whether the mention of the group matters to what is said.
        place: file and line, for errors.
        language: "en" or "es".
        topic: name of the topic (work, health, ...) that it shares with other templates, or "".
        register: kind of text that it is written as (review, post, chat, ticket, ...), or "".
        kind: functionality that it tests (counterspeech, implicit threat, ...), or "".

    >>> Template("t-1", "I met {a:identity.writer}.", label="neutral").attribute
    ''
    """

    id: str
    text: str
    label: str = ""
    task: str = "sentiment"
    attribute: str = ""
    target: str = ""
    symmetric: bool = True
    paraphrase_of: str = ""
    except_groups: str = ""
    hard: bool = False
    relevant: bool = False
    place: str = field(default="", compare=False)
    language: str = DEFAULT
    topic: str = ""
    register: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        for name in ("id", "label", "attribute", "paraphrase_of", "except_groups", *OPTIONAL):
            if isinstance(value := getattr(self, name), str) and not value.isascii():
                object.__setattr__(self, name, nfc(value))


def read_templates(
    path: str | Path, *, attribute: str = "", id_prefix: str = "", language: str = ""
) -> tuple[Template, ...]:
    """The templates of one CSV file, in order. Slots are parsed when the templates are filled: lists may be in them."""
    path = Path(path)
    language = get(language or language_of(path)).code
    return _read_templates(path, path.absolute(), attribute, id_prefix or path.stem, language, file_state(path))


@lru_cache(maxsize=256)
def _read_templates(
    path: Path, _absolute: Path, attribute: str, id_prefix: str, language: str, _state: tuple[int, int]
) -> tuple[Template, ...]:
    rows = read_rows(path, TEMPLATE_COLUMNS, ("template",), TemplateError)
    if not rows:
        raise template_error(display_path(path), "the file holds no template.", "Add a row with a template.")
    templates: dict[str, Template] = {}
    for number, row in enumerate(rows, start=1):
        default = Template(f"{id_prefix}-{number:03d}", "", attribute=attribute, place=row.place, language=language)
        template = template_of(row.cells, default)
        if template.id in templates:
            raise template_error(
                row.place,
                f"the id {template.id!r} is already that of {templates[template.id].place}.",
                "Give each template an id of its own, or leave the column empty.",
            )
        templates[template.id] = template
    return tuple(templates.values())


def template_of(cells: Mapping[str, str], default: Template) -> Template:
    """The template of the cells of a row; a cell that is empty or missing is that of ``default``."""
    place = default.place or cells.get("id") or default.id
    if not cells.get("template"):
        raise template_error(place, "the template is empty.", "Write a sentence with a slot.")
    for name in ("template", "attribute", "id", "paraphrase_of", *OPTIONAL):
        check_characters(name, cells.get(name, ""), place, TemplateError, "\r\n" if name == "template" else "")

    def known(name: str, values: Sequence[str], what: str, *, lower: bool = True) -> str:
        value = cells.get(name, "").lower() if lower else cells.get(name, "")
        if value not in ("", *values):
            listed = ", ".join(values if name in ("task", *_DEFAULTS) else ("(empty)", *values))
            remedy = f"Known: {listed}.{did_you_mean(value, values)}"
            raise template_error(place, f"the {what} {value!r} is not known.", remedy)
        return value

    task = known("task", tuple(TASKS), "task") or default.task
    flags = {name: known(name, (*_YES, *_NO), f"value of {name}") or preset for name, preset in _DEFAULTS.items()}
    further: dict[str, Any] = {name: cells.get(name, "") for name in ("paraphrase_of", "except_groups", *OPTIONAL)}
    further |= {name: value in _YES for name, value in flags.items()}
    return replace(
        default,
        id=cells.get("id") or default.id,
        text=cells["template"],
        label=known("label", TASKS[task].classes, "label", lower=False),
        task=task,
        attribute=cells.get("attribute") or default.attribute,
        target=known("target", TARGETS, "target"),
        **further,
    )


def parse_template(template: Template, lists: Collection[str] = ()) -> tuple[str | Slot, ...]:
    """The literals and slots of a template, in order."""
    return parse(template.text, template.place or template.id, lists, template.language)


def slots_of(template: Template, lists: Collection[str] = ()) -> list[Slot]:
    """The slots of a template, with those of the user's lists."""
    return [piece for piece in parse_template(template, lists) if isinstance(piece, Slot)]


def excepted_groups(template: Template) -> tuple[str, ...]:
    """The groups and attributes that a template is not filled with, as its column ``except_groups`` names them."""
    return tuple(name.strip() for name in template.except_groups.split(";") if name.strip())


def is_for_attribute(template: Template, attribute: str) -> bool:
    """Whether a template is not excepted from an attribute, or from one of two attributes ("gender+age")."""
    names = [name.strip() for name in attribute.split("+")]
    return not {*names, *(name.partition(".")[0] for name in names)} & set(excepted_groups(template))


def excepted_of(template: Template, groups: Iterable[str]) -> frozenset[str]:
    """Those of some groups that a template is not filled with; of an intersection all pairs with such a group."""
    names = set(excepted_groups(template))
    return frozenset(group for group in groups if names & {group, *group.split(GROUP_SEPARATOR)})


def is_for_other_terms(template: Template, families: Collection[str], lists: Collection[str] = ()) -> bool:
    """Whether these families fill none of a template's slots: names do not fill identity slots."""
    used = {slot.family for slot in slots_of(template, lists) if not slot.is_list}
    return bool(used) and (used.isdisjoint(families) or "identity" in used - set(families))


def labels_of(label: str | Sequence[str], templates: int) -> list[str]:
    """The label of each of several templates, from one for all or a list of one each; "" for none."""
    if not isinstance(label, Iterable) or isinstance(label, Mapping):
        raise OptionError(f"label={label!r} is no label.", remedy="Give one for all templates, or a list of one each.")
    labels = [label] * templates if isinstance(label, str) else ["" if cell is None else str(cell) for cell in label]
    if len(labels) != templates:
        raise LabelError(
            f"label= holds {count(len(labels), 'label')} for {count(templates, 'template')}.",
            remedy="Give one label for all templates, or a list of one for each, in their order.",
        )
    return labels


def _files_and_records(extra: Extra | Iterable[Template]) -> tuple[Extra, list[Template]]:
    if isinstance(extra, str | Path) or extra is None:
        return extra, []
    entries = list(extra)
    records = [entry for entry in entries if isinstance(entry, Template)]
    return [entry for entry in entries if not isinstance(entry, Template)], records


def _read_all(files: Extra, base: str, language: str) -> Iterator[tuple[str, tuple[Template, ...]]]:
    """The templates of each file, shipped ones first, with the attribute or set that the file's name begins with."""
    folder = folder_of(language)
    root = shipped_folder("templates")
    shipped = {path.stem: path for path in (root / folder).glob("*.csv")} if root else {}
    for path in data_files("templates", files, folder):
        stem = nfc(path.stem).partition(".")[0]
        is_addition = path.stem in shipped and path.parent != shipped[path.stem].parent
        prefix = f"user-{path.stem}" if is_addition else path.stem
        yield stem, read_templates(path, attribute=base if stem == base else "", id_prefix=prefix, language=language)


def check_originals(
    templates: Iterable[Template], extra: Extra | Iterable[Template] = None, language: str = DEFAULT
) -> None:
    """Raise `TemplateError` for a template that rewords itself, or none of these, of the shipped and of ``extra``."""
    rewordings = [template for template in templates if template.paraphrase_of]
    ids = {template.id for template in templates}
    if any(template.paraphrase_of not in ids for template in rewordings):
        files, records = _files_and_records(extra)
        ids |= {template.id for _stem, read in _read_all(files, "", language) for template in (*read, *records)}
    for template in rewordings:
        name, place = template.paraphrase_of, template.place or template.id
        remedy = "Name the id of the original, and leave paraphrase_of empty for a template that rewords no other."
        if name == template.id:
            raise template_error(place, f"paraphrase_of names the template itself, {name!r}.", remedy)
        if name not in ids:
            hint = did_you_mean(name, ids)
            raise template_error(place, f"paraphrase_of is {name!r}, which is no id of a template.", remedy + hint)


def load_templates(
    task: str,
    attribute: str,
    extra: Extra | Iterable[Template] = None,
    *,
    more_terms: Extra = None,
    language: str = DEFAULT,
    pairs: bool = False,
) -> tuple[Template, ...]:
    """The templates for an attribute and a task: generic ones, its own, then ``extra``; of one id the last counts."""
    get_task(task)
    attribute = nfc(attribute)
    base = attribute.partition(".")[0]
    files, records = _files_and_records(extra)
    others = {name.partition(".")[0] for name in attributes(more_terms, language)} - {base}
    others |= set() if pairs else {_PAIRS}
    order = {"generic": 0, base: 1}
    by_id: dict[str, Template] = {}
    for stem, read in sorted(_read_all(files, base, language), key=lambda of_file: order.get(of_file[0], 2)):
        if stem not in others:
            by_id.update({t.id: t for t in read})
    by_id.update({t.id: replace(t, language=language) if t.language == DEFAULT else t for t in records})
    return tuple(
        replace(t, attribute=base) if t.attribute == attribute else t
        for t in by_id.values()
        if t.task == task and t.attribute in {"", base, attribute} and is_for_attribute(t, attribute)
    )

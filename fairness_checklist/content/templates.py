"""Templates: the record, the CSV files, and the selection of shipped and user templates for an attribute."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairness_checklist.content.grammar.languages import DEFAULT, folder_of, get, language_of
from fairness_checklist.content.slots import Slot, parse, template_error
from fairness_checklist.content.term_files import attributes, file_state, with_own_sentences_only
from fairness_checklist.core.delimited import check_characters, read_rows
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, OptionError, TemplateError, count
from fairness_checklist.core.examples import GROUP_SEPARATOR
from fairness_checklist.core.locations import Extra, csv_files, data_files, display_path, shipped_folder
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.tasks import TASKS, get_task

TEMPLATE_COLUMNS = (
    "id", "sentence", "label", "about", "register", "kind", "rewords", "only", "except_groups", "hard", "symmetric",
    "task", "attribute", "topic",
)  # fmt: skip
OPTIONAL = ("topic", "register", "kind")
"""Columns that are written, and count in the hash of templates, only where a template has a value in them."""
ABOUT = ("person", "speaker", "third_party", "situation", "group")
"""Whom a sentence is about. Without a group a sentence about the group has another sense, and so no control."""
NOT_FOR_GROUPS = "it is not for these groups (except_groups)"
_PAIRS = "intersections"  # the file of templates with two identities
_DEFAULTS = {"symmetric": "yes", "hard": "no"}
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
        about: whom the sentiment is about (`ABOUT`), or "".
        symmetric: False where the label or the sense changes with the group.
        rewords: id of the template that it rewords, or "".
        except_groups: groups, or attributes with all their groups, that it is not filled with, because label or sense
            would change, or nobody would write it; several with "; ".
        only: the attributes that it is filled with, where others are excepted; several with "; ".
        hard: whether the label needs more than a word list: negation, contrast, irony, several sentences.
        place: file and line, for errors.
        file: the name of its file without the ending, by which its set is chosen; "" of one given in memory.
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
    about: str = ""
    symmetric: bool = True
    rewords: str = ""
    except_groups: str = ""
    only: str = ""
    hard: bool = False
    place: str = field(default="", compare=False)
    file: str = field(default="", compare=False)
    language: str = DEFAULT
    topic: str = ""
    register: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        for name in ("id", "label", "attribute", "rewords", "except_groups", "only", *OPTIONAL):
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
    rows = read_rows(path, TEMPLATE_COLUMNS, ("sentence",), TemplateError)
    if not rows:
        raise template_error(display_path(path), "the file holds no template.", "Add a row with a sentence.")
    templates: dict[str, Template] = {}
    name = nfc(path.stem)
    task = task_of_file(name)
    for number, row in enumerate(rows, start=1):
        default = Template(
            f"{id_prefix}-{number:03d}",
            "",
            task=task,
            attribute=attribute,
            place=row.place,
            file=name,
            language=language,
        )
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
    if not cells.get("sentence"):
        raise template_error(place, "the sentence is empty.", "Write a sentence with a slot.")
    for name in ("sentence", "attribute", "id", "rewords", *OPTIONAL):
        check_characters(name, cells.get(name, ""), place, TemplateError, "\r\n" if name == "sentence" else "")

    def known(name: str, values: Sequence[str], what: str, *, lower: bool = True) -> str:
        value = cells.get(name, "").lower() if lower else cells.get(name, "")
        if value not in ("", *values):
            listed = ", ".join(values if name in ("task", *_DEFAULTS) else ("(empty)", *values))
            remedy = f"Known: {listed}.{did_you_mean(value, values)}"
            raise template_error(place, f"the {what} {value!r} is not known.", remedy)
        return value

    task = known("task", tuple(TASKS), "task")
    if not task:  # that of the file, or the only other one that has a class of the name of the label
        label = cells.get("label", "")
        having = [name for name in TASKS if label in TASKS[name].classes and not TASKS[name].tagging]
        task = having[0] if len(having) == 1 and label not in TASKS[default.task].classes else default.task
    flags = {name: known(name, (*_YES, *_NO), f"value of {name}") or preset for name, preset in _DEFAULTS.items()}
    further: dict[str, Any] = {name: cells.get(name, "") for name in ("rewords", "except_groups", "only", *OPTIONAL)}
    further |= {name: value in _YES for name, value in flags.items()}
    return replace(
        default,
        id=cells.get("id") or default.id,
        text=cells["sentence"],
        label=known("label", TASKS[task].classes, "label", lower=False),
        task=task,
        attribute=cells.get("attribute") or default.attribute,
        about=known("about", ABOUT, "value of about"),
        **further,
    )


def task_of_file(name: str) -> str:
    """The task that the name of a file begins with ("toxicity_gender", "ner"), else the first one."""
    return next((task for task in TASKS if re.match(rf"{task}(?![^\W_])", name)), next(iter(TASKS)))


def attribute_of_file(name: str) -> str:
    """The attribute, or set of templates, that a file is for ("toxicity_gender": gender; "gender.counterparts")."""
    return name.removeprefix(f"{task_of_file(name)}_")


def parse_template(template: Template, lists: Collection[str] = ()) -> tuple[str | Slot, ...]:
    """The literals and slots of a template, in order."""
    return parse(template.text, template.place or template.id, lists, template.language)


def slots_of(template: Template, lists: Collection[str] = ()) -> list[Slot]:
    """The slots of a template, with those of the user's lists."""
    return [piece for piece in parse_template(template, lists) if isinstance(piece, Slot)]


def listed_names(cell: str) -> tuple[str, ...]:
    """The names in a cell of the columns ``except_groups`` and ``only``."""
    return tuple(name.strip() for name in cell.split(";") if name.strip())


def is_for_attribute(template: Template, attribute: str) -> bool:
    """Whether a template may be filled with an attribute, or with two attributes ("gender+age")."""
    if not template.except_groups and not template.only:
        return True
    names = [{name.strip(), name.strip().partition(".")[0]} for name in attribute.split("+")]
    excepted, only = set(listed_names(template.except_groups)), set(listed_names(template.only))
    return not set().union(*names) & excepted and all(not only or only & name for name in names)


def excepted_of(template: Template, groups: Iterable[str]) -> frozenset[str]:
    """Those of some groups that a template is not filled with; of an intersection all pairs with such a group."""
    names = set(listed_names(template.except_groups))
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


def _read_all(files: Extra, attribute: str, language: str) -> Iterator[tuple[str, tuple[Template, ...]]]:
    """The templates of each file, shipped ones first, with the attribute or set that the file is for."""
    base = attribute.partition(".")[0]
    folder = folder_of(language)
    root = shipped_folder("templates")
    shipped = {path.stem: path for path in csv_files(root / folder)} if root else {}
    for path in data_files("templates", files, folder):
        name = attribute_of_file(nfc(path.stem))
        is_addition = path.stem in shipped and path.parent != shipped[path.stem].parent
        prefix = f"user-{path.stem}" if is_addition else path.stem
        own = base if name in (base, attribute) else ""
        yield name, read_templates(path, attribute=own, id_prefix=prefix, language=language)


def check_originals(
    templates: Iterable[Template], extra: Extra | Iterable[Template] = None, language: str = DEFAULT
) -> None:
    """Raise `TemplateError` for a template that rewords itself, or none of these, of the shipped and of ``extra``."""
    rewordings = [template for template in templates if template.rewords]
    ids = {template.id for template in templates}
    if any(template.rewords not in ids for template in rewordings):
        files, records = _files_and_records(extra)
        ids |= {template.id for _stem, read in _read_all(files, "", language) for template in (*read, *records)}
    for template in rewordings:
        name, place = template.rewords, template.place or template.id
        remedy = "Name the id of the original, and leave rewords empty for a template that rewords no other."
        if name == template.id:
            raise template_error(place, f"rewords names the template itself, {name!r}.", remedy)
        if name not in ids:
            hint = did_you_mean(name, ids)
            raise template_error(place, f"rewords is {name!r}, which is no id of a template.", remedy + hint)


def load_templates(
    task: str,
    attribute: str,
    extra: Extra | Iterable[Template] = None,
    *,
    more_terms: Extra = None,
    language: str = DEFAULT,
    pairs: bool = False,
    sets: Collection[str] = (),
) -> tuple[Template, ...]:
    """The templates for an attribute and a task: generic ones, its own, then ``extra``; of one id the last counts.

    A file with a dot is a set, for the attribute of that name, to which it is enough, and for who names it in ``sets``.
    """
    get_task(task)
    attribute = nfc(attribute)
    base = attribute.partition(".")[0]
    files, records = _files_and_records(extra)
    others = {name.partition(".")[0] for name in attributes(more_terms, language)} - {base}
    others |= set() if pairs else {_PAIRS}
    others |= {"generic", "toxicity"} - set(sets) if base in with_own_sentences_only() else set()
    order = {"generic": 0, base: 1}
    by_file = sorted(_read_all(files, attribute, language), key=lambda of_file: order.get(of_file[0], 2))
    has_set = "." in attribute and any(t.task == task for name, read in by_file if name == attribute for t in read)
    by_id: dict[str, Template] = {}
    for name, read in by_file:
        if name in {attribute, *sets} or not (has_set or "." in name or name in others):
            by_id.update({t.id: t for t in read})
    by_id.update({t.id: replace(t, language=language) if t.language == DEFAULT else t for t in records})
    return tuple(
        replace(t, attribute=base) if t.attribute == attribute else t
        for t in by_id.values()
        if t.task == task and t.attribute in {"", base, attribute} and (not attribute or is_for_attribute(t, attribute))
    )

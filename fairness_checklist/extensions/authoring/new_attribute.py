"""A first version of a user-defined attribute: files that work as they are, with comments on what to replace."""

import os
import re
import shlex
from importlib.resources import files
from pathlib import Path

from fairness_checklist.content.grammar.languages import LANGUAGES
from fairness_checklist.content.term_files import attributes
from fairness_checklist.core.atomic import atomic_folder, check_writable
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.locations import path_argument

# The files with NAME and FOLDER in place of the attribute's name and folder. No comment in them has a double quote: a
# spreadsheet would write its line in quotes, and then it is a row.
_FILES = files("fairness_checklist.extensions.authoring").joinpath("new_attribute_files")
_NAMES = ("identity_terms/NAME.csv", "templates/NAME.csv", "README.md")


def write_attribute(name: str, folder: str | Path = "") -> Path:
    """Write terms and templates of a new attribute, which can be run as they are; by default here, under its name."""
    _check_name(name)
    folder = Path(folder or name).expanduser()
    is_file = os.path.isfile(folder)  # noqa: PTH113  # False where a name is too long, which check_place says
    if not is_file:
        check_writable(folder)
    if is_file or (folder.is_dir() and any(folder.iterdir())):
        what = "is a file" if is_file else "is not empty"
        raise OptionError(f"{str(folder)!r} {what}.", remedy="Name another folder; nothing is overwritten.")
    wording = {"NAME": name, "FOLDER": shlex.quote(path_argument(folder))}
    with atomic_folder(folder) as scratch:
        for file in _NAMES:
            path = scratch / file.replace("NAME", name)
            path.parent.mkdir(exist_ok=True)
            text = _FILES.joinpath(file).read_text(encoding="utf-8")
            path.write_text(re.sub("NAME|FOLDER", lambda word: wording[word[0]], text), encoding="utf-8")
    return folder


def _check_name(name: str) -> None:
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is None:
        raise OptionError(
            f"the attribute {name!r} cannot be named so.",
            remedy="A name starts with a letter and has letters (a to z), digits and _ only: housing_status.",
        )
    taken = {attribute.casefold() for code in LANGUAGES for attribute in attributes(language=code)}
    if name.casefold() in {*taken, "neutral", "generic", "ner", "toxicity", "toxicity_names", *LANGUAGES}:
        raise OptionError(
            f"the name {name!r} is taken.",
            remedy="Choose another one; a file in a folder of yours with the name of an attribute adds terms to it.",
        )

"""Where templates and identity terms are found: the user's folder, a checkout, an installed wheel."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from fairness_checklist.core.errors import OptionError

DATA_FOLDERS = ("templates", "identity_terms")
_PATH = re.compile(r"[/\\]|\.csv$|^~|^\.{1,2}$|^[A-Za-z]:", re.IGNORECASE)
SOURCES = "sources.csv"  # the table of the works that terms come from, which is no file of terms
_PACKAGE = Path(__file__).resolve().parent.parent

Extra = str | Path | Sequence[str | Path] | None


def shipped_folder(name: str) -> Path | None:
    """The shipped folder of that name, next to the package in a checkout, inside it in a wheel; None without one."""
    neighbour, inside = _PACKAGE.parent / name, _PACKAGE / name
    if neighbour.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file():
        return neighbour
    return inside if inside.is_dir() else None


def find_data_folder(name: str) -> list[Path]:
    """The existing folders of one kind of files, first that in ``$FAIRNESS_CHECKLIST_HOME``, then the shipped one."""
    home = os.environ.get("FAIRNESS_CHECKLIST_HOME")
    folders = (Path(home).expanduser() / name if home else None, shipped_folder(name))
    return [folder for folder in folders if folder is not None and folder.is_dir()]


def csv_files(folder: Path) -> list[Path]:
    """The files of templates or terms in a folder, sorted."""
    return sorted(path for path in folder.glob("*.csv") if path.name != SOURCES)


def data_files(name: str, extra: Extra = None, language: str = "") -> list[Path]:
    """All CSV files of one kind: shipped ones, those of ``$FAIRNESS_CHECKLIST_HOME``, those of ``extra``; of rows with
    one key the last counts."""
    files = [path for folder in reversed(find_data_folder(name)) for path in csv_files(folder / language)]
    for path in [] if extra is None else [extra] if isinstance(extra, str | Path) else list(extra):
        if not isinstance(path, str | Path):
            raise OptionError(f"{path!r} is not a path.", remedy="Give a CSV file or a folder of CSV files.")
        path = Path(path).expanduser()
        if path.is_dir():
            folder = path / name if (path / name).is_dir() else path
            files += csv_files(folder / language)
        elif path.is_file():
            files.append(path)
        else:
            raise OptionError(f"{str(path)!r} does not exist.", remedy=f"Give a CSV file or a folder of {name}.")
    return files


def is_path(entry: object) -> bool:
    """Whether a value that may be a name or a path is written as a path: a `Path`, with a separator, or ``*.csv``.

    >>> [is_path(entry) for entry in ("generic", "./generic", "diet.csv", Path("generic"), "..", "C:mine")]
    [False, True, True, True, True, True]
    """
    return isinstance(entry, Path) or _PATH.search(str(entry)) is not None


def path_argument(path: Path) -> str:
    """A path as a user writes it so that it is read as one."""
    return str(path) if is_path(str(path)) else f"./{path}"


def path_hint(names: Iterable[str]) -> str:
    """A remedy for a name that was meant as a path: "" if nothing of that name exists."""
    written = ", ".join(f"./{name}" for name in names if name and os.path.exists(name))  # noqa: PTH110 - long names
    return f" For the file or folder of that name write {written}." if written else ""


def display_path(path: Path) -> str:
    """The name of a path in errors: ``templates/gender.csv`` for shipped files, the path as given for the user's."""
    for folder in (path.parent, path.parent.parent):
        if folder.name in DATA_FOLDERS and folder == shipped_folder(folder.name):
            return path.relative_to(folder.parent).as_posix()
    return str(path)


def is_file_name(name: str) -> bool:
    """Whether an attribute's name can be that of a file in one folder, on every system."""
    return bool(name.strip()) and re.search(r"[/\\*:\x00-\x1f]|^\.", name) is None


def check_file_name(attribute: str) -> None:
    """Raise `OptionError` unless an attribute's name can be that of a file."""
    if not is_file_name(attribute):
        raise OptionError(
            f"the attribute {attribute!r} cannot name a file.", remedy="Leave out slashes, * and a dot in front."
        )

"""The import of CheckList (Ribeiro et al. 2020), which is the extra ``checklist``; nothing else imports it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from fairness_checklist.core.errors import MissingExtraError

_REMEDY = """\
Install the extra, the tools that CheckList's own set-up requires first:
pip install "notebook<7" "setuptools<82" wheel
pip install --no-build-isolation "fairness-checklist[checklist]" "setuptools<82\""""


def import_checklist() -> ModuleType:
    """The package ``checklist`` with its test types, suites, expectations and predictor wrapper loaded.

    CheckList 0.0.11 imports a name that IPython 9 has moved, and a package that it requires, iso-639, imports
    ``pkg_resources``, which setuptools 82 no longer has. While CheckList is being imported both are available;
    afterwards IPython and ``sys.modules`` are as they were.

    Returns:
        The module ``checklist``; ``checklist.test_suite``, ``.test_types``, ``.expect`` and ``.pred_wrapper`` are its
        attributes. ``import checklist.editor`` works after this call.

    Raises:
        MissingExtraError: CheckList is not installed, or its installation does not work.

    >>> import_checklist().test_types.INV.__name__
    'INV'
    """
    try:
        with warnings.catch_warnings(), _patched_ipython(), _with_pkg_resources():
            warnings.simplefilter("ignore")
            import checklist
            import checklist.expect
            import checklist.pred_wrapper
            import checklist.test_suite
            import checklist.test_types
            import checklist.viewer.template_editor

            _read_languages()
    except ModuleNotFoundError as error:
        what = "is not installed" if error.name == "checklist" else f"cannot be imported ({error})"
        raise MissingExtraError(f"CheckList {what}.", remedy=_REMEDY) from error
    module: ModuleType = checklist
    return module


@contextmanager
def _patched_ipython() -> Iterator[None]:
    """Let ``from IPython.core.display import display`` work inside the block, whatever the version of IPython."""
    try:
        old: Any = import_module("IPython.core.display")
        display = import_module("IPython.display").display
    except ModuleNotFoundError:  # CheckList needs IPython; its own import error follows
        yield
        return
    if hasattr(old, "display"):
        yield
        return
    old.display = display
    try:
        yield
    finally:
        del old.display


@contextmanager
def _with_pkg_resources() -> Iterator[None]:
    """Let ``from pkg_resources import resource_filename`` work inside the block, whatever the version of setuptools."""
    name = "pkg_resources"
    if sys.modules.get(name) is not None or (name not in sys.modules and find_spec(name) is not None):
        yield
        return
    blocked = name in sys.modules  # None: an import that is refused
    stand_in: Any = ModuleType(name)
    stand_in.resource_filename = _resource_filename
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        del sys.modules[name]
        if blocked:
            sys.modules[name] = None  # type: ignore[assignment]


def _resource_filename(package: str, resource: str) -> str:
    """The path of a file in a package, as the function of ``pkg_resources`` gives it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    return str(Path(spec.submodule_search_locations[0]) / resource)


def _read_languages() -> None:
    """Let iso-639 read its tables, which it imports ``pkg_resources`` for at the first access."""
    languages = import_module("iso639").languages
    len(languages)

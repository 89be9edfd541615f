"""The import of CheckList (Ribeiro et al. 2020), which is the extra ``checklist``; nothing else imports it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
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

    ``import checklist.editor`` works after this call.

    Raises:
        MissingExtraError: CheckList is not installed, or its installation does not work.

    >>> import_checklist().test_types.INV.__name__
    'INV'
    """
    try:
        with warnings.catch_warnings(), _old_names():
            warnings.simplefilter("ignore")
            import checklist
            import checklist.expect
            import checklist.pred_wrapper
            import checklist.test_suite
            import checklist.test_types
            import checklist.viewer.template_editor

            len(import_module("iso639").languages)  # its tables are read through pkg_resources at the first access
    except ModuleNotFoundError as error:
        what = "is not installed" if error.name == "checklist" else f"cannot be imported ({error})"
        raise MissingExtraError(f"CheckList {what}.", remedy=_REMEDY) from error
    module: ModuleType = checklist
    return module


@contextmanager
def _old_names() -> Iterator[None]:
    """Let ``display`` and ``pkg_resources`` be imported from where CheckList and iso-639 expect them."""
    with ExitStack() as undo:
        with suppress(ModuleNotFoundError):  # CheckList needs IPython; its own import error follows
            old: Any = import_module("IPython.core.display")
            if not hasattr(old, "display"):
                old.display = import_module("IPython.display").display
                undo.callback(delattr, old, "display")
        modules: Any = sys.modules
        name = "pkg_resources"
        blocked = name in modules and modules[name] is None  # an import that is refused
        if blocked or (name not in modules and find_spec(name) is None):
            stand_in: Any = ModuleType(name)
            stand_in.resource_filename = _resource_filename
            modules[name] = stand_in
            if blocked:
                undo.callback(modules.update, {name: None})
            else:
                undo.callback(modules.pop, name)
        yield


def _resource_filename(package: str, resource: str) -> str:
    """The path of a file in a package, as the function of ``pkg_resources`` gives it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    return str(Path(spec.submodule_search_locations[0]) / resource)

"""The import of CheckList (Ribeiro et al. 2020), which is the extra ``checklist``; nothing else imports it."""

import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

from fairness_checklist.core.errors import MissingExtraError

_REMEDY = """\
Install the extra, the tools that CheckList's own set-up requires first:
pip install "notebook<7" "setuptools<82" wheel
pip install --no-build-isolation "fairness-checklist[checklist]" "setuptools<82\""""


def import_checklist() -> ModuleType:
    """The package ``checklist`` with its modules loaded, so that ``import checklist.editor`` works, too.

    CheckList 0.0.11 imports a name that IPython 9 has moved; it is there while CheckList is being imported.
    """
    try:
        old: Any = import_module("IPython.core.display")
        moved = not hasattr(old, "display")
        if moved:
            old.display = import_module("IPython.display").display
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import checklist
                import checklist.expect
                import checklist.pred_wrapper
                import checklist.test_suite
                import checklist.test_types
                import checklist.viewer.template_editor

                len(import_module("iso639").languages)  # its tables are read at the first access, by setuptools
        finally:
            if moved:
                del old.display
    except ModuleNotFoundError as error:
        what = "is not installed" if error.name in ("checklist", "IPython") else f"cannot be imported ({error})"
        raise MissingExtraError(f"CheckList {what}.", remedy=_REMEDY) from error
    module: ModuleType = checklist
    return module

"""Python objects as ``--model``: ``package.module:function``, or ``FILE.py:object``."""

import hashlib
import re
import shlex
import sys
from contextlib import ExitStack, suppress
from importlib import import_module, invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, ModelError, OptionError, first_ten
from fairness_checklist.models.user_code import is_installed, keep_apart, run_user_code

_undo = ExitStack()  # of what the loading of objects has changed in the process
# A module of one letter would be a drive.
_FORM = re.compile(r".+\.py:.+|(?!\w:)[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def is_python_object(model: str) -> bool:
    """Whether ``--model`` names a Python object; an existing folder or file of that name comes first."""
    return _FORM.fullmatch(model) is not None and not Path(model).expanduser().exists()


def load_named(model: str, task: str, **options: Any) -> Any:
    """The classifier or tagger that ``--model`` names, as `load_model` loads it, or a Python object's.

    The module of an object is imported, which runs its code. The current folder and that of a file stay importable, as
    with ``python -m``, until `unload` is called: a function may import others when it is called.

    Raises:
        InputError: what `load_model` raises; or there is no such module, file or object, or it cannot be imported.
    """
    from fairness_checklist.api.scoring import ready_model
    from fairness_checklist.models.functions.callables import FunctionClassifier
    from fairness_checklist.models.functions.token_callables import FunctionTagger
    from fairness_checklist.models.load import load_model

    if not is_python_object(model):
        return load_model(model, task=task, **options)
    source, _, name = model.rpartition(":")
    defaults = signature(load_model).parameters
    options = {option: value for option, value in options.items() if value != defaults[option].default}
    record = {"name": f"{Path(source).name}:{name}"}
    _undo.callback(keep_apart())
    _undo.callback(_restore_modules, sys.path[:], set(sys.modules))
    try:
        module = _imported(source)
        loaded = ready_model(_object_of(module, name), task, options)
    except (ModelError, LabelError, OptionError) as error:
        place = f"{record['name']}: {error.place}" if error.place else record["name"]
        raise type(error)(
            error.message, place=place, remedy=error.remedy, command_remedy=error.command_remedy
        ) from error
    if module.__file__:
        record["source_sha256"] = hashlib.sha256(Path(module.__file__).read_bytes()).hexdigest()
        if isinstance(loaded, (FunctionClassifier, FunctionTagger)) and loaded.fingerprint:
            loaded.name += f" {record['source_sha256'][:12]}"  # nothing is stored across changes of the file
    describe = loaded.describe
    with suppress(AttributeError):  # an object with slots keeps its own record
        object.__setattr__(loaded, "describe", lambda: {**describe(), **record})
    return loaded


def _imported(source: str) -> ModuleType:
    """A module by its dotted name or its file."""
    file = Path(source).expanduser() if source.endswith(".py") else None
    if file is not None and not file.is_file():
        near = did_you_mean(file.name, (path.name for path in file.parent.glob("*.py")))
        raise ModelError(f"there is no file {source}.", remedy=f"Give its path from the current folder.{near}")
    for folder in map(str, (Path.cwd(), *([] if file is None else [file.resolve().parent]))):
        sys.path[:] = [folder, *(other for other in sys.path if other != folder)]
    invalidate_caches()
    command = f'python -c "import {source}"' if file is None else f"python {shlex.quote(source)}"
    try:
        return run_user_code(
            lambda: import_module(source) if file is None else _run_file(file),
            "importing it failed",
            remedy=f"See where: {command}",
        )
    except ModelError as error:
        cause = error.__cause__
        missing = cause.name if isinstance(cause, ModuleNotFoundError) else None
        if file is None and missing and f"{source}.".startswith(f"{missing}."):
            raise ModelError(
                f"there is no module {missing}.",
                remedy="It is looked for in the current folder and among installed packages. A model of another kind "
                "is a folder, or a hub id in the form owner/name.",
            ) from cause
        raise


def _run_file(file: Path) -> ModuleType:
    """The module of a file, under the name of the file unless another module has it."""
    name = file.stem if file.stem not in sys.modules else str(file.resolve())
    spec: Any = spec_from_file_location(name, file)
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def unload() -> None:
    """Leave the process as it was before objects were loaded: the modules of the user's code are forgotten."""
    _undo.close()


def _restore_modules(path: list[str], names: set[str]) -> None:
    added = tuple(set(sys.path) - set(path) | {str(Path.cwd())})
    sys.path[:] = path
    for name in set(sys.modules) - names:
        spec = getattr(sys.modules[name], "__spec__", None)
        origin = str(spec and (spec.origin or next(iter(spec.submodule_search_locations or ()), "")))
        if origin.startswith(added) and not is_installed(origin):
            del sys.modules[name]


def _object_of(module: ModuleType, name: str) -> Any:
    if hasattr(module, name):
        return getattr(module, name)
    public = {key: value for key, value in vars(module).items() if key[0] != "_" and not isinstance(value, type)}
    methods = ("__call__", "predict_proba", "predict")
    models = [key for key, value in public.items() if any(hasattr(value, method) for method in methods)]
    raise ModelError(
        f"there is no object {name}.",
        remedy=f"Functions and models in it: {first_ten(models) or 'none'}.{did_you_mean(name, models)}",
    )

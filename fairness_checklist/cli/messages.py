"""Error messages in the syntax of the command line.

Below the command line all messages name options as keywords of Python (``labels={...}``, ``groups=``). They are
translated here, once; a remedy that has no counterpart brings its own, see `FairnessChecklistError`.
"""

import ast
import re
import shlex
from collections.abc import Collection
from typing import Any

from fairness_checklist.core.config import CONFIG
from fairness_checklist.core.errors import FairnessChecklistError
from fairness_checklist.core.option_defaults import rare_keys

_VALUE = r"""\{[^{}]*\}|\[[^\[\]]*\]|"[^"]*"|'[^']*'|\.\.\.|[-+]?\w+(?:\.\w+)*"""

# What `load_model` takes and a verb with --model may not.
_PYTHON_ONLY = re.compile(r"(?<![\w.])(?:load_model\(|(classes|batch_size)=(?![=>]))")
_IN_THE_FILE = "Write it in the file, model = fairness_checklist.load_model(function, ...); --model FILE.py:model."


def as_command(error: FairnessChecklistError, options: Collection[str]) -> str:
    """The message of an error with its options as the command line has them."""
    remedy = error.remedy if error.command_remedy is None else error.command_remedy
    python_only = _PYTHON_ONLY.search(remedy)
    if error.command_remedy is None and python_only and "model" in options and (python_only[1] or "") not in options:
        remedy += f"\n{_IN_THE_FILE}"
    return translated(str(FairnessChecklistError(error.message, place=error.place, remedy=remedy)), options)


def translated(message: str, options: Collection[str]) -> str:
    """A text with its keywords as options, or as keys of ``fairness.toml``; another keyword stays as it is."""
    if not options:
        return message
    tables = {} if "config" not in options else {key: table for key, table in rare_keys().items() if key not in options}

    def option(keyword: re.Match[str]) -> str:
        name, value = keyword[1], keyword[2] or ""
        if name in tables:
            return f"{name}{f' = {value}' if value else ''} in [{tables[name]}] of {CONFIG}"
        value = _written(value)
        return f"--{name.replace('_', '-')}{f' {value}' if value else ''}"

    names = "|".join(sorted(map(re.escape, [*options, *tables]), key=len, reverse=True))
    return re.sub(rf"(?<![\w.-])({names})=(?![=>])({_VALUE})?", option, message)


def _written(value: str) -> str:
    """A value of Python as it is written after an option: pairs and lists with commas, True not at all."""
    cut = value.startswith(("{", "[")) and "..." in value
    try:
        read: Any = ast.literal_eval(re.sub(r",?\s*\.\.\.", "", value) if cut else value)
    except (SyntaxError, ValueError):
        return value
    if isinstance(read, dict):
        written = ",".join(f"{name}={entry}" for name, entry in read.items())
    elif isinstance(read, (list, tuple)):
        written = ",".join(map(str, read))
    elif isinstance(read, str):
        written = read
    else:
        return "" if read is True else value
    written += ("," if written else "") + "..." if cut else ""
    return shlex.quote(written) if written != "..." else written

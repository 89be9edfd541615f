"""The options of an editor's ``template``, and how they are checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.option_defaults import flag, whole_number
from fairness_checklist.extensions.checklist.editor.editor_tags import strings_in

OPTIONS = (
    "templates",
    "nsamples",
    "product",
    "remove_duplicates",
    "mask_only",
    "unroll",
    "labels",
    "meta",
    "save",
    "seed",
    "candidates",
    "beam_size",
)
_SHAPED = ("labels", "candidates", "templates")


def check_options(parameters: Mapping[str, Any], beam_size: object, candidates: object) -> None:
    """Check the options of `Editor.template`, and that no list was meant for a tag of the same name.

    Args:
        parameters: the options by name, those of CheckList and ``seed``.
        beam_size: a whole number.
        candidates: words, or None.

    Raises:
        OptionError: naming the option and what was expected.

    >>> check_options({"templates": "{x}", "nsamples": -1}, 100, None)
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: nsamples=-1 is too small; expected 0 or more.
    """
    for name, value in {**parameters, "beam_size": beam_size}.items():
        if name not in _SHAPED and isinstance(value, (list, tuple)):
            raise OptionError(
                f"{name} is an option of template() and cannot be a list.",
                remedy="A list of values needs another name, and so does its tag.",
            )
    if parameters["nsamples"] is not None:
        whole_number("nsamples", parameters["nsamples"], least=0)
    for name in ("product", "remove_duplicates", "mask_only", "unroll", "meta", "save"):
        flag(name, parameters[name])
    whole_number("seed", parameters["seed"], least=0)
    whole_number("beam_size", beam_size)
    if isinstance(candidates, str):
        raise OptionError(f"candidates={candidates!r} is a string.", remedy="Give a list of words.")
    if not any(True for _text in strings_in(parameters["templates"])):
        raise OptionError(
            f"templates={parameters['templates']!r} holds no string.",
            remedy="Give a string, or a list, tuple or dictionary of strings.",
        )
    if callable(parameters["labels"]):
        raise OptionError(
            f"labels={parameters['labels']!r} is a function.",
            remedy='Give a value, or a string with tags: labels="{x}".',
        )


def check_used(lists: Mapping[str, Any], used: Collection[str]) -> None:
    """Check that a single value without a tag is not an option whose name is written wrong.

    Lists without a tag are fine: several templates may share their lists.

    Raises:
        OptionError: a value that no tag takes, with a name near that of an option.

    >>> check_used({"company": "Acme", "label": ["a", "b"]}, used=())
    >>> check_used({"label": 1}, used=())
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: template() has no option label=, and the template has no tag {label}.
        Did you mean labels=?
    """
    for name, value in lists.items():
        near = did_you_mean(name, OPTIONS, "{}=")
        single = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
        if name not in used and single and near:
            raise OptionError(f"template() has no option {name}=, and the template has no tag {{{name}}}.", remedy=near)

"""The papers that can be reproduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import SEED, names, string, whole_number
from fairness_checklist.extensions.reproduce.reproduction import ReproduceOptions, Reproduction

__all__ = ["PAPERS", "reproduce"]

PAPERS = ("czarnowska2021", "dixon2018", "kocijan2021", "ethayarajh2020", "orgad2022")
"""A paper's id is the name of its module in this folder, which is loaded when the paper is asked for."""


@checks_keywords
def reproduce(
    paper: str,
    *,
    models: Sequence[str] = (),
    taggers: Sequence[str] = (),
    data: str | Path | None = None,
    max_terms: int | None = None,
    max_templates: int | None = None,
    seed: int = SEED,
    labels: Mapping[str, str] | None = None,
) -> Reproduction:
    """The experiment of a paper here: its tables beside ours, and for each of its statements whether it is seen here.

    Args:
        paper: an id of `PAPERS`, such as "czarnowska2021".
        models: folders, hub ids or ``FILE.py:NAME`` of classifiers, by default the bundled ones.
        taggers: the same of taggers.
        data: a file or folder of the paper's own data, where it may not be shipped.
        max_terms, max_templates: terms of a group and templates of an attribute at most, drawn at random; by default
            as many as the paper has.
        seed: of all draws.
        labels: from labels of the models to classes, for those models that have such labels.

    Raises:
        OptionError: an unknown paper, or an option that it does not use.
        InputError: a model or a file that cannot be read.

    >>> reproduce("czarnowska2012")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the paper 'czarnowska2012' is not known.
        Did you mean czarnowska2021? Known: czarnowska2021, dixon2018, kocijan2021, ethayarajh2020, orgad2022.
    """
    if string("paper", paper) not in PAPERS:
        near = did_you_mean(paper, PAPERS)
        raise OptionError(f"the paper {paper!r} is not known.", remedy=f"{near} Known: {', '.join(PAPERS)}.".strip())
    options = ReproduceOptions(
        models=names("models", models, empty=True),
        taggers=names("taggers", taggers, empty=True),
        data=None if data is None else Path(data),
        max_terms=None if max_terms is None else whole_number("max_terms", max_terms),
        max_templates=None if max_templates is None else whole_number("max_templates", max_templates),
        seed=whole_number("seed", seed, least=0),
        labels=labels,
    )
    module = import_module(f"fairness_checklist.extensions.reproduce.{paper}")
    made: Reproduction = module.reproduce(options)
    return made

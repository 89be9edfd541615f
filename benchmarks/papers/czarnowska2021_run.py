"""The experiment of Czarnowska, Vyas and Shah (2021) on models: their attributes, our templates, both definitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from czarnowska2021_numbers import TOTAL, Numbers, measured, pairs_below, paper_data, tested
from paper import ReproduceOptions

from fairness_checklist.api.scoring import predict_parts
from fairness_checklist.cli.python_models import load_named
from fairness_checklist.content.templates import Template
from fairness_checklist.core.arrays import BoolArray
from fairness_checklist.core.errors import LabelError, OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.progress import stage
from fairness_checklist.extensions.analyses.paired_tests import PairedTest
from fairness_checklist.metrics import compute
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.suites.build import SuiteChoice, build_part
from fairness_checklist.suites.parts import Part, PartPredictions

__all__ = ["BUNDLED", "Experiment", "experiment", "reassigned", "sampled"]

BUNDLED = ("bundled/sentiment",)
BUNDLED_TAGGER = "bundled/ner"
_SIXTHS = tuple(name for name in paper_data()["figure_3"]["nationality"]["columns"] if name != TOTAL)
SUITES: dict[str, tuple[str, tuple[str, ...] | None]] = {
    "age": ("age.czarnowska2021", None),
    "disability": ("disability.czarnowska2021", None),
    "gender": ("gender.czarnowska2021", None),
    "nationality": ("nationality.czarnowska2021", _SIXTHS),
    "race": ("race_ethnicity.czarnowska2021", None),
    "religion": ("religion.czarnowska2021", None),
    "sexuality": ("sexual_orientation.czarnowska2021", None),
    "names": ("names", ("female", "male")),
}
"""Of each attribute of the paper our terms, and the groups that are kept; None for all."""
TEMPLATES = {"sentiment": 60, "ner": 22}
"""Templates of an attribute in the paper, and here unless an option says otherwise."""
CHANCE = 10
"""Random assignments of terms to groups."""
NAMES = 30
"""Names a gender, unless an option says otherwise: 408 would take most of the time."""


@dataclass
class Experiment:
    """What was measured.

    Attributes:
        exact, released: the numbers by our definitions, and by those of the released code.
        chance: the numbers with terms assigned to groups at random, each time the same assignment in all sentences.
        tests: the tests by model and attribute, and the counts of pairs of groups, see `pairs_below`.
        models: the loaded models, by the names that they have in the tables.
        phrases: rows of Table 6, see `_phrase_rows`.
        texts: texts that each model was asked about.
        accuracy: of each model the share of the labelled texts with groups in which all is decided right.
        samples: for the settings: templates and terms that were used, of how many.
        notes: what was left out.
    """

    exact: Numbers
    released: Numbers
    chance: list[Numbers]
    tests: dict[tuple[str, str], tuple[list[PairedTest], dict[str, tuple[int, int]]]] = field(default_factory=dict)
    models: dict[str, Classifier | Tagger] = field(default_factory=dict)
    phrases: list[dict[str, Any]] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)
    accuracy: dict[str, float] = field(default_factory=dict)
    samples: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def experiment(options: ReproduceOptions) -> Experiment:
    """Ask every model about the attributes, and measure it by both definitions."""
    named = bool(options.models or options.taggers)
    of_task = {
        "sentiment": tuple(options.models) if named else BUNDLED,
        "ner": tuple(options.taggers) if named else (BUNDLED_TAGGER,),
    }
    names = [name for models in of_task.values() for name in models]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"the model {twice} is named twice.", remedy="Name each model once.")
    made = Experiment(Numbers({}, {}, {}), Numbers({}, {}, {}), [Numbers({}, {}, {})] * CHANCE)
    for task, models in of_task.items():
        if models:
            suites = _parts(task, options, made)
            for name in models:
                label = _label(name, names)
                with stage(f"{label}: {sum(len(part.examples) for part in suites.values()):,} texts"):
                    made.models[label] = _loaded(name, task, options)
                    _ask(label, task, suites, options, made)
    return made


def _label(name: str, names: Sequence[str]) -> str:
    """The last two parts of a path or hub id; all of it where two models have these.

    >>> _label("ours/models/a", ["ours/models/a", "b"]), _label("x/ours/a", ["x/ours/a", "y/ours/a"])
    ('models/a', 'x/ours/a')
    """
    ends = ["/".join(other.split("/")[-2:]) for other in names]
    short = "/".join(name.split("/")[-2:])
    return short if ends.count(short) == 1 else name


def _ask(name: str, task: str, suites: Mapping[str, Part], options: ReproduceOptions, made: Experiment) -> None:
    """Ask one model, and add what is measured to the experiment."""
    model = made.models[name]
    answers = dict(zip(suites, predict_parts([*suites.values()], model, True, None), strict=True))
    kind = "tagger" if task == "ner" else "two-class" if len(model.classes) == 2 else "three-class"
    made.texts[name] = sum(len(part.examples) for part in suites.values())
    phrases: list[tuple[str, Outcomes]] = []
    right: list[BoolArray] = []
    for attribute, answer in answers.items():
        made.notes += [f"{name}, {attribute}: {note}" for note in answer.notes]
        outcomes = _outcomes(answer, "keep")
        if attribute.startswith("Table 6: "):
            phrases.append((attribute.removeprefix("Table 6: "), outcomes))
            continue
        of = (name, kind, attribute)
        right.append(outcomes.all_correct[outcomes.labelled & (outcomes.group < len(outcomes.groups))])
        made.exact = _with(made.exact, of, outcomes, options.seed)
        made.released = _with(made.released, of, _outcomes(answer, "drop"), options.seed, released=True)
        made.chance = [
            _with(numbers, of, reassigned(outcomes, (options.seed, draw)), options.seed)
            for draw, numbers in enumerate(made.chance)
        ]
        if task == "sentiment":
            made.tests[name, attribute] = tested(outcomes), pairs_below(outcomes)
            phrases.append(("", outcomes))
    made.accuracy[name] = float(np.concatenate(right).mean())
    if task == "sentiment":
        made.phrases += _phrase_rows(name, phrases)


def _with(
    numbers: Numbers, of: tuple[str, str, str], outcomes: Outcomes, seed: int, *, released: bool = False
) -> Numbers:
    """The numbers, and those of one more model and attribute."""
    model, kind, attribute = of
    values = {(model, attribute, *key): v for key, v in measured(outcomes, released=released, seed=seed).items()}
    tests = tested(outcomes) if kind != "tagger" else []
    p_values = dict(zip([(model, attribute)], [test.p_value for test in tests[:1]], strict=False))
    return Numbers({**numbers.kinds, model: kind}, {**numbers.values, **values}, {**numbers.p_values, **p_values})


def reassigned(outcomes: Outcomes, seed: tuple[int, ...]) -> Outcomes:
    """The outcomes with terms assigned to groups at random: each group keeps its number of terms."""
    whose = np.asarray(outcomes.term_group, dtype=np.int64).copy()
    own = whose >= 0
    whose[own] = np.random.default_rng(seed).permutation(whose[own])
    named = (outcomes.group < len(outcomes.groups)) & (outcomes.term >= 0)
    return replace(outcomes, group=np.where(named, whose[outcomes.term], outcomes.group), term_group=whose, views={})


def _outcomes(answer: PartPredictions, unlabelled: str) -> Outcomes:
    return reduce_to_outcomes(answer.part.examples, answer.predictions, unlabelled=unlabelled)


def _loaded(name: str, task: str, options: ReproduceOptions) -> Classifier | Tagger:
    """A model; the labels that were given are for those models that have them."""
    model: Classifier | Tagger
    try:
        model = load_named(name, task, labels=options.labels)
    except LabelError:
        if options.labels is None:
            raise
        model = load_named(name, task)
    return model


def _parts(task: str, options: ReproduceOptions, made: Experiment) -> dict[str, Part]:
    """The texts of each attribute, and of classifiers the phrases of Table 6 as "Table 6: ATTRIBUTE"."""
    wanted = SUITES if task == "sentiment" else {"nationality": SUITES["nationality"]}
    phrases = [
        Template(f"table-6-{number}", entry["text"], label=entry["label"], task="sentiment", attribute="")
        for number, entry in enumerate(paper_data()["phrase"], start=1)
    ]
    parts: dict[str, Part] = {}
    for attribute, (suite, groups) in wanted.items():
        most = NAMES if attribute == "names" and options.max_terms is None else options.max_terms
        choice = SuiteChoice(groups=groups, max_terms=most, sample_seed=options.seed)
        whole = build_part(suite, task=task, choice=replace(choice, max_terms=1))
        ids = sampled(whole.templates, options.max_templates or TEMPLATES[task], options.seed)
        part = parts[attribute] = build_part(suite, task=task, choice=replace(choice, templates=ids))
        about = f"{attribute}, tagger" if task == "ner" else attribute
        made.samples[about] = _sample(part, len(whole.templates))
        made.notes += [f"{about}: template {drop.template_id} is left out: {drop.reason}" for drop in part.dropped]
        if task == "sentiment" and attribute != "names":
            of_phrases = replace(choice, templates=[phrase.id for phrase in phrases])
            parts[f"Table 6: {attribute}"] = build_part(suite, task=task, choice=of_phrases, more_templates=phrases)
    return parts


def sampled(templates: Sequence[Template], most: int, seed: int) -> list[str]:
    """Ids of at most so many templates, drawn at random, as many of each class and set as there are.

    >>> two = [Template(f"{label}-{i}", "I met {identity_np}.", label=label) for label in "ab" for i in range(5)]
    >>> sorted(name[0] for name in sampled(two, 4, seed=0))
    ['a', 'a', 'b', 'b']
    """
    random = np.random.default_rng(seed)
    strata: dict[tuple[str, bool], list[str]] = {}
    for at in random.permutation(len(templates)):
        template = templates[at]
        strata.setdefault((template.label, not template.attribute), []).append(template.id)
    turns = sorted((turn, stratum, name) for stratum, ids in strata.items() for turn, name in enumerate(ids))
    return sorted(name for _turn, _stratum, name in turns[:most])


def _sample(part: Part, templates: int) -> str:
    """How many templates and terms are used, and of how many."""
    used = {group: len(part.terms.of_group(group)) for group in part.terms.groups}
    available = dict(part.terms.available) or used
    texts = f"{len(part.templates)} of {templates} templates"
    terms = f"{sum(used.values()):,} of {sum(available.get(group, n) for group, n in used.items()):,} terms"
    return f"{texts}, {terms} in {len(used)} groups, {len(part.examples):,} texts"


def _phrase_rows(model: str, measured_on: Sequence[tuple[str, Outcomes]]) -> list[dict[str, Any]]:
    """Table 6: for each phrase, and for the shipped templates of each class, what is decided right, and PertSS.

    Args:
        measured_on: the outcomes for the phrases with the attribute in front, for the shipped templates with "".
    """
    frames = [_by_source(outcomes).assign(of_paper=bool(of)) for of, outcomes in measured_on]
    table = pd.concat(frames, ignore_index=True)
    texts = {f"table-6-{number}": entry["text"] for number, entry in enumerate(paper_data()["phrase"], start=1)}
    shipped = "shipped templates, " + table["class"]
    table["text"] = table["template"].map(texts).where(table["of_paper"], shipped)
    means = table.groupby(["of_paper", "class", "text"], sort=False)[["right", "moved"]].mean().reset_index()
    means = means.sort_values(["class", "of_paper"], ascending=[False, False], kind="stable")
    return [
        {
            "class": row["class"],
            "text": row["text"],
            "model": model,
            "ours share correct": row["right"],
            "ours PertSS": row["moved"],
        }
        for row in means.to_dict("records")
    ]


def _by_source(outcomes: Outcomes) -> pd.DataFrame:
    """Of each source with a class of the model: template, class, share of right decisions, PertSS."""
    of_groups = (outcomes.group < len(outcomes.groups)) & outcomes.labelled
    rows = pd.DataFrame(
        {
            "source": outcomes.source[of_groups],
            "class": np.array(outcomes.classes)[outcomes.gold[of_groups].argmax(axis=1)],
            "right": outcomes.correct[of_groups].sum(axis=1),
        }
    )
    table = rows.groupby("source").agg({"class": "first", "right": "mean"})
    moved = compute("pert_ss", outcomes).by_source
    table["moved"] = np.nan if moved is None else pd.DataFrame(moved[:, :, 0]).mean(axis=1)
    table["template"] = [outcomes.sources[at].template for at in table.index]
    return table

"""Questions with the options of a task in each order, and what a language model's answers to them say."""

import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.replicates import ANSWERED, REFUSED, UNPARSABLE
from fairness_checklist.extensions.endpoint.client import MalformedAnswerError

TEXT, OPTIONS, LABELS = "{{text}}", "{{options}}", "{{labels}}"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_REFUSAL = re.compile(
    r"\b(?:i['’]?m sorry|i am sorry|sorry, (?:but )?i"
    r"|i (?:can(?:['’]t|not| not)|won['’]t|will not|must decline|decline)"
    r"|i['’]?m (?:unable|not able)|i am (?:unable|not able)"
    r"|(?:unable|not able) to (?:help|assist|answer|comply|classify)"
    r"|as an ai|i do(?:n['’]t| not) feel comfortable|against (?:my|our) (?:policy|policies|guidelines))",
    re.IGNORECASE,
)
_CORE = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True)
class OrderedPrompt:
    """A prompt with its options in one order."""

    prompt: int  # the number of the prompt, from 1
    order: int  # the number of the rotation, from 0
    template: str  # the prompt with ``{{text}}`` left in it
    # for each option, in the order of the labels, what the model should answer: a letter, or the label
    answers: tuple[str, ...]
    labels: tuple[str, ...]  # the labels, in their own order


@dataclass(frozen=True, eq=False)
class ReadAnswer:
    outcome: str  # `ANSWERED`, `REFUSED` or `UNPARSABLE`
    probabilities: FloatArray | None = None  # (L,) over the options in the order of the labels; None without an answer
    mass: float = 0.0  # the probability that the label tokens hold together
    bound: float = 0.0  # the share of the probabilities that is a bound, because options are not among the top tokens


@dataclass(frozen=True, eq=False)
class Reply:
    """The parts of an answer that are read."""

    text: str  # what the model wrote
    refused: bool  # whether the API marks the answer as a refusal or as filtered
    # the first token that is no white space, as {token: log-probability} of the top tokens; None without them
    first: Mapping[str, float] | None
    model: str  # the id of the model that answered


def chosen_prompts(prompts: int | Sequence[str], task: str) -> tuple[str, ...]:
    """The prompts of a task, or the user's."""
    if isinstance(prompts, int):
        with Path(__file__).with_name("prompts.toml").open("rb") as file:
            bundled = tuple(tomllib.load(file).get(task, ()))
        if prompts > len(bundled):
            raise OptionError(
                f"prompts={prompts} asks for more than the {count(len(bundled), 'prompt')} of the task {task}.",
                remedy=f"Give prompts of your own, with {TEXT} and {OPTIONS} or {LABELS}.",
            )
        return bundled[:prompts]
    for prompt in prompts:
        if TEXT not in prompt or (OPTIONS in prompt) == (LABELS in prompt):
            raise OptionError(
                f"the prompt {prompt[:60]!r} lacks {TEXT}, or does not hold one of {OPTIONS} and {LABELS}.",
                remedy='Write for instance "Text: {{text}}\\n{{options}}\\nAnswer with one letter."',
            )
    return tuple(prompts)


def questions(prompts: Sequence[str], labels: Sequence[str], orders: int) -> tuple[OrderedPrompt, ...]:
    """Each prompt in each order: the cyclic rotations of the labels."""
    if orders > len(labels):
        raise OptionError(f"orders={orders} is more than the {len(labels)} orders of {len(labels)} options.")
    rotations = []
    for number, prompt in enumerate(prompts, start=1):
        for order in range(orders or len(labels)):
            rotated = [*labels[order:], *labels[:order]]
            lettered = "\n".join(f"{letter}. {label}" for letter, label in zip(LETTERS, rotated, strict=False))
            template = prompt.replace(OPTIONS, lettered).replace(LABELS, join_names(rotated, last=" or "))
            letters = dict(zip(rotated, LETTERS, strict=False))
            answers = tuple(letters[label] if OPTIONS in prompt else label for label in labels)
            rotations.append(
                OrderedPrompt(prompt=number, order=order, template=template, answers=answers, labels=tuple(labels))
            )
    return tuple(rotations)


def read_reply(answer: Any) -> Reply:
    """The parts of an answer of ``/chat/completions``."""
    try:
        choice = answer["choices"][0]
        text, refusal = choice["message"].get("content"), choice["message"].get("refusal")
        refused = bool(refusal) or choice.get("finish_reason") == "content_filter"
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise MalformedAnswerError(f"no choices with a text: {json.dumps(answer)}") from error
    if not isinstance(text, str | None):
        raise MalformedAnswerError(f"the text of the answer is {json.dumps(text)}")
    return Reply(text or str(refusal or ""), refused, _first(choice.get("logprobs")), str(answer.get("model", "")))


def _first(logprobs: Any) -> dict[str, float] | None:
    """The top tokens at the first place that is no white space, with their log-probabilities."""
    if not isinstance(logprobs, Mapping) or not logprobs.get("content"):
        return None
    try:
        places = logprobs["content"]
        place = next((place for place in places if str(place["token"]).strip()), places[0])
        top = {str(token["token"]): float(token["logprob"]) for token in [*place.get("top_logprobs", ()), place]}
        if any(map(math.isnan, top.values())):
            raise ValueError
        return top
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MalformedAnswerError(f"log-probabilities of another form: {json.dumps(logprobs)}") from error


def from_logprobs(answer: Reply, question: OrderedPrompt, min_mass: float) -> ReadAnswer:
    """Probabilities of the options from those of the first token (`_option_of`).

    An option without a token among the top ones is at most as probable as the least probable of them, and together with
    all tokens that are not listed: it gets that bound.
    """
    if answer.refused:
        return ReadAnswer(REFUSED)
    if answer.first is None:
        raise MalformedAnswerError(
            'no log-probabilities; the endpoint does not support them: use answers="text" or "json_schema"'
        )
    options = np.zeros(len(question.answers))
    for token, value in answer.first.items():
        option = _option_of(token, question.answers)
        if option is not None:
            options[option] += math.exp(min(value, 0.0))
    mass = float(options.sum())
    if mass < min_mass or mass <= 0:
        return ReadAnswer(REFUSED if _is_refusal(answer) else UNPARSABLE, mass=mass)
    listed = [math.exp(min(value, 0.0)) for value in answer.first.values()]
    bound = max(0.0, min(min(listed), 1 - min(1.0, sum(listed))))
    missing = options == 0
    options[missing] = bound
    total = float(options.sum())
    return ReadAnswer(ANSWERED, options / total, mass, float(bound * missing.sum()) / total)


def _option_of(token: str, answers: Sequence[str]) -> int | None:
    """The option whose letter a token is, or with whose label alone it begins; None for none or several."""
    core = _CORE.sub("", token).casefold()
    if not core:
        return None
    names = [answer.casefold() for answer in answers]
    if core in names:
        return names.index(core)
    if all(len(name) == 1 for name in names):
        return None
    fitting = [option for option, name in enumerate(names) if name.startswith(core)]
    return fitting[0] if len(fitting) == 1 else None


def from_text(answer: Reply, question: OrderedPrompt) -> ReadAnswer:
    """The option that a text is, or the field ``answer`` in its JSON: a letter before a mark or alone, or a label."""
    text = answer.text.strip()
    with suppress(ValueError, KeyError, TypeError):
        text = str(json.loads(text)["answer"])
    core = _CORE.sub("", text).casefold()
    lettered = re.match(r"\W*([A-Z])\s*[).:,\n]", text)
    for names in (question.answers, question.labels):
        folded = [name.casefold() for name in names]
        named = core if core in folded else lettered[1].casefold() if lettered else ""
        if not answer.refused and named in folded:
            return ReadAnswer(ANSWERED, np.eye(len(folded))[folded.index(named)])
    return ReadAnswer(REFUSED if _is_refusal(answer) else UNPARSABLE)


def _is_refusal(answer: Reply) -> bool:
    return answer.refused or bool(_REFUSAL.search(answer.text))

"""Prompts with the options of a task, in each order of the options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import join_names

TEXT, OPTIONS, LABELS = "{{text}}", "{{options}}", "{{labels}}"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

DEFAULT_PROMPTS: dict[str, tuple[str, ...]] = {
    "sentiment": (
        "What is the sentiment of this text?\n\nText: {{text}}\n\n{{options}}\n\nAnswer with one letter.",
        'Read the text and choose the sentiment that it expresses.\n\n{{options}}\n\n"{{text}}"\n\n'
        "Reply with the letter of the option only.",
        "{{text}}\n\nThe sentiment of the text above is one of these:\n{{options}}\n\nWhich one? Give its letter.",
        "Classify the sentiment.\n\nText: {{text}}\nOptions:\n{{options}}\nLetter of the answer:",
    ),
    "toxicity": (
        "Is this text toxic (rude, disrespectful or hateful)?\n\nText: {{text}}\n\n{{options}}\n\n"
        "Answer with one letter.",
        'Read the text as a moderator and choose the option that fits.\n\n{{options}}\n\n"{{text}}"\n\n'
        "Reply with the letter of the option only.",
        "{{text}}\n\nThe text above is one of these:\n{{options}}\n\nWhich one? Give its letter.",
        "Classify the toxicity.\n\nText: {{text}}\nOptions:\n{{options}}\nLetter of the answer:",
    ),
}
"""The prompts of each task, the first one first."""


@dataclass(frozen=True)
class Question:
    """A prompt with its options in one order.

    Attributes:
        prompt: the number of the prompt, from 1.
        order: the number of the rotation, from 0.
        template: the prompt with ``{{text}}`` left in it.
        answers: for each option, in the order of the labels, what the model should answer: a letter, or the label.
        labels: the labels, in their own order.
    """

    prompt: int
    order: int
    template: str
    answers: tuple[str, ...]
    labels: tuple[str, ...]

    def text(self, text: str) -> str:
        """The question about a text."""
        return self.template.replace(TEXT, text)


def chosen_prompts(prompts: int | Sequence[str], task: str) -> tuple[str, ...]:
    """The prompts of a task, or the user's.

    Raises:
        OptionError: a task without prompts, more of them than there are, or a prompt without its placeholders.
    """
    if isinstance(prompts, int):
        known = DEFAULT_PROMPTS.get(task, ())
        if prompts > len(known):
            raise OptionError(
                f"prompts={prompts} asks for more than the {count(len(known), 'prompt')} of the task {task}.",
                remedy=f"Give prompts of your own, with {TEXT} and {OPTIONS} or {LABELS}.",
            )
        return known[:prompts]
    for prompt in prompts:
        if TEXT not in prompt or (OPTIONS in prompt) == (LABELS in prompt):
            raise OptionError(
                f"the prompt {prompt[:60]!r} lacks {TEXT}, or does not hold one of {OPTIONS} and {LABELS}.",
                remedy='Write for instance "Text: {{text}}\\n{{options}}\\nAnswer with one letter."',
            )
    return tuple(prompts)


def questions(prompts: Sequence[str], labels: Sequence[str], orders: int) -> tuple[Question, ...]:
    """Each prompt in each order: the cyclic rotations of the labels, so that with all of them each stands everywhere
    once.

    Args:
        prompts: P prompts.
        labels: L labels, in the order of the first rotation.
        orders: how many rotations; 0 for all L.

    Raises:
        OptionError: more rotations than labels.

    >>> for one in questions(["{{text}} {{options}}"], ["no", "yes"], 0):
    ...     print(one.text("Hi.").replace("\\n", " "), one.answers)
    Hi. A. no B. yes ('A', 'B')
    Hi. A. yes B. no ('B', 'A')
    """
    if orders > len(labels):
        raise OptionError(f"orders={orders} is more than the {len(labels)} orders of {len(labels)} options.")
    found = []
    for number, prompt in enumerate(prompts, start=1):
        for order in range(orders or len(labels)):
            rotated = [*labels[order:], *labels[:order]]
            lettered = "\n".join(f"{letter}. {label}" for letter, label in zip(LETTERS, rotated, strict=False))
            template = prompt.replace(OPTIONS, lettered).replace(LABELS, join_names(rotated, last=" or "))
            letters = dict(zip(rotated, LETTERS, strict=False))
            answers = tuple(letters[label] if OPTIONS in prompt else label for label in labels)
            found.append(Question(number, order, template, answers, tuple(labels)))
    return tuple(found)

"""What a run costs, before it: requests, tokens and the price."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from fairness_checklist.core.errors import count
from fairness_checklist.extensions.endpoint.chat import ChatClassifier

CHARACTERS_A_TOKEN = 4.0
"""Of English text, about; the tokenizer of the model is not known here."""


@dataclass(frozen=True)
class Cost:
    """An estimate.

    Attributes:
        texts: different texts.
        requests: for all of them.
        prompt_tokens: about, at `CHARACTERS_A_TOKEN`.
        answer_tokens: at most.
        price: of the prompt tokens and all answer tokens; NaN without a price.
        minutes: the least time that the rate allows; NaN without a rate.
    """

    texts: int
    requests: int
    prompt_tokens: int
    answer_tokens: int
    price: float
    minutes: float

    def __str__(self) -> str:
        price = "" if math.isnan(self.price) else f", {self.price:,.2f} at the given price"
        minutes = "" if math.isnan(self.minutes) else f", {self.minutes:,.0f} minutes at the given rate"
        return (
            f"{count(self.requests, 'request')} for {count(self.texts, 'text')}, about {self.prompt_tokens:,} prompt "
            f"tokens and at most {self.answer_tokens:,} answer tokens{price}{minutes}."
        )


def estimate(model: ChatClassifier, texts: Collection[str], *, price_per_1k: float | None = None) -> Cost:
    """The cost of asking about texts; nothing is sent.

    Args:
        model: how texts are asked.
        texts: those of the run; each different one counts once.
        price_per_1k: of 1,000 tokens, whether of the prompt or the answer.

    >>> from fairness_checklist.extensions.endpoint.options import ChatEndpoint
    >>> model = ChatClassifier(ChatEndpoint("http://localhost:8000/v1", "mine"), "toxicity", ("nontoxic", "toxic"))
    >>> print(estimate(model, ["Anna is here.", "Ben is here."], price_per_1k=0.5))
    4 requests for 2 texts, about 120 prompt tokens and at most 64 answer tokens, 0.09 at the given price.
    """
    different = set(texts)
    samples = model.endpoint.samples
    fixed = sum(len(one.text("")) + len(model.endpoint.system) for one in model.questions) * len(different)
    characters = fixed + len(model.questions) * sum(map(len, different))
    requests = model.requests_a_text * len(different)
    prompt_tokens = math.ceil(samples * characters / CHARACTERS_A_TOKEN)
    answer_tokens = requests * model.endpoint.max_tokens
    rate = model.endpoint.connection.requests_per_minute
    return Cost(
        len(different),
        requests,
        prompt_tokens,
        answer_tokens,
        math.nan if price_per_1k is None else (prompt_tokens + answer_tokens) / 1000 * price_per_1k,
        math.nan if rate is None else requests / rate,
    )

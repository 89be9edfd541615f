"""Identity phrases: a labelled test set of templates filled with terms, as in Table 2 of Dixon et al. 2018."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.suites.parts import Part

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api.suite import Suite

__all__ = ["identity_phrases"]


@checks_keywords
def identity_phrases(parts: Suite | Sequence[Part], *, single_words: bool = False) -> pd.DataFrame:
    """The labelled phrases of a suite's parts, without the unmarked ones.

    Args:
        parts: a suite or its parts: `Suite.build("religion", task="toxicity")`, or of own templates and terms
            `Suite.from_templates([...], terms={"faith": ["Muslim", "Hindu"]}, task="toxicity", label=...)`.
        single_words: keep terms of one word only, so that no term is a part of another.

    Returns:
        A row a phrase: text, label, term (in small letters), template. A phrase that several parts have stands once.

    Raises:
        OptionError: something else than a suite or parts of one, or nothing is left.

    >>> import fairness_checklist as fc
    >>> templates = [{"template": "I am {a:identity_np}.", "label": "nontoxic"}]
    >>> suite = fc.Suite.from_templates(templates, {"faith": ["Muslim", "Hindu"]}, task="toxicity")
    >>> identity_phrases(suite)[["text", "label", "term"]].values.tolist()
    [['I am a Muslim.', 'nontoxic', 'muslim'], ['I am a Hindu.', 'nontoxic', 'hindu']]
    """
    import pandas as pd

    rows, given = [], getattr(parts, "parts", parts)
    if not isinstance(given, Sequence) or not all(isinstance(part, Part) for part in given):
        raise OptionError(
            f"parts= is of the type {type(parts).__name__}, expected a suite or its parts.",
            remedy='Write identity_phrases(Suite.build("religion", task="toxicity")).',
        )
    for examples in (part.examples for part in given):
        codes = zip(examples.render(), examples.label, examples.term, examples.source, strict=True)
        for text, label, term, source in codes:
            name = examples.terms[term].lower()
            if term >= 0 and label >= 0 and not (single_words and re.search("[ -]", name)):
                rows.append((text, examples.classes[label], name, examples.sources[source].template))
    if not rows:
        raise OptionError(
            "no labelled phrase mentions a term.", remedy="Give templates with labels, and terms that fit them."
        )
    table = pd.DataFrame(rows, columns=["text", "label", "term", "template"])
    return table.drop_duplicates(["text", "term"]).reset_index(drop=True)

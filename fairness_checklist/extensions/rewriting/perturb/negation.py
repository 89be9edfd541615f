"""Sentences with and without "not", by CheckList's rules on parsed documents (Ribeiro et al. 2020)."""

from __future__ import annotations

from typing import Any

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.rewriting.perturb.short_forms import known_verbs

_NEGATED = {"will": "won't", "'ll": "won't", "can": "can't", "'ve": "haven't", "'d": "hadn't"}
_AUXILIARIES = ("can", "do", "could", "would", "will", "have", "should")
_WHOLE = {"ca": "can", "wo": "will"}
_FORMS = {"do": "base", "does": "third", "did": "past"}
_DO = {"VBD": "didn't", "VBZ": "doesn't"}


def _tokens(document: Any, function: str) -> list[Any]:
    """The tokens of a document that a parser has read."""
    if hasattr(document, "sents"):
        return list(document)
    raise OptionError(
        f"{function}() takes a parsed document, not a {type(document).__name__}.",
        remedy=f"Parse the texts with spaCy: perturb(list(nlp.pipe(texts)), {function}).",
    )


def _joined(tokens: list[Any], words: dict[int, str]) -> str:
    """The text of a document with other words in place of some tokens; "" leaves a token out."""
    return "".join(
        token.text + token.whitespace_ if (word := words.get(place)) is None else word + token.whitespace_ * bool(word)
        for place, token in enumerate(tokens)
    )


@checks_keywords
def add_negation(document: Any) -> str | None:
    """Negate the first sentence whose root is a verb.

    A sentence of fewer than three tokens, with a negation at its verb, or with *thank* or *use* as its verb stays, and
    so does a question with *be* or *how*. Spaces stay as they are, which CheckList's own function doubles.
    ``document`` is a spaCy ``Doc`` with sentences, parts of speech, lemmas and dependencies, or an object like it.
    None where no sentence is negated.

    >>> from spacy.tokens import Doc
    >>> from spacy.vocab import Vocab
    >>> document = Doc(
    ...     Vocab(),
    ...     words=["She", "likes", "it"],
    ...     spaces=[True, True, False],
    ...     lemmas=["she", "like", "it"],
    ...     pos=["PRON", "VERB", "PRON"],
    ...     tags=["PRP", "VBZ", "PRP"],
    ...     heads=[1, 1, 1],
    ...     deps=["nsubj", "ROOT", "dobj"],
    ... )
    >>> add_negation(document)
    "She doesn't like it"
    """
    tokens = _tokens(document, "add_negation")
    for sentence in map(list, document.sents):
        root = next((token for token in sentence if token.dep_ == "ROOT"), None)
        if root is None or len(sentence) < 3 or root.pos_ not in {"VERB", "AUX"} or root.lemma_ in {"thank", "use"}:
            continue
        beside = [token for token in sentence if token.head.i == root.i]
        asks = any(token.text == "?" for token in sentence)
        if any(token.dep_ == "neg" for token in beside) or (
            asks and (root.lemma_ == "be" or sentence[0].text.lower() == "how")
        ):
            continue
        return _joined(tokens, _negated(root, beside))
    return None


def _negated(root: Any, beside: list[Any]) -> dict[int, str]:
    """The words that negate a verb, by the position of the token that they replace."""
    auxiliary = next((token for token in beside if token.dep_ in {"aux", "auxpass"}), None)
    if root.lemma_ == "be":
        finite = root.text.lower() in {"is", "was", "were", "am", "are", "'s", "'re", "'m"}
        return {root.i: f"{root.text} not" if finite else f"not {root.text}"}
    if auxiliary is None:
        helper = "not" if root.tag_ == "VBG" else _DO.get(root.tag_, "don't")
        return {root.i: f"{helper} {root.text if helper == 'not' else root.lemma_}"}
    if auxiliary.lemma_ not in _AUXILIARIES:
        return {root.i: f"not {root.text}"}
    word = auxiliary.text.lower().replace("\u2019", "'")
    negated = "wouldn't" if (word, auxiliary.lemma_) == ("'d", "would") else _NEGATED.get(word, f"{word}n't")
    written = negated if auxiliary.text[:1].islower() or word[0] == "'" else capitalise(negated)
    return {auxiliary.i: f" {written}" if word[0] == "'" else written}


@checks_keywords
def remove_negation(document: Any) -> str | None:
    """The text without its negations at verbs: "does not work" becomes "works".

    A negation before a mark or after "or" stays. None where there is no negation, or a form of the verb is not known.
    """
    tokens = _tokens(document, "remove_negation")
    words: dict[int, str] = {}
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if not (token.lemma_ == "not" or token.dep_ == "neg") or (after is not None and after.pos_ == "PUNCT"):
            continue
        if before is not None and before.text == "or":
            continue
        words[place] = ""
        helper = "" if before is None else before.text.lower()
        if before is not None and after is not None and before.lemma_ == "do" and after.pos_ == "VERB":
            verb = known_verbs().get(after.lemma_)
            if verb is None or helper not in _FORMS:
                return None
            words |= {place - 1: "", place + 1: verb[_FORMS[helper]]}
        elif before is not None and not before.whitespace_:  # a clitic: "won't" is "wo" and "n't"
            words[place - 1] = (_WHOLE.get(helper, before.text)) + token.whitespace_
    made = _joined(tokens, words)
    return (capitalise(made) if tokens and tokens[0].text[:1].isupper() else made) if words else None

"""One template with one term: what the linter and a curious user look at."""

from __future__ import annotations

from dataclasses import dataclass

from fairness_checklist.counterfactuals.factorised import Column, FactorisedTexts, Frame
from fairness_checklist.counterfactuals.fills import Lists, check_lists, clashes, neutral_loader, stems
from fairness_checklist.counterfactuals.unmarked import unmarked_text
from fairness_checklist.examples import Spans
from fairness_checklist.forms import Unfit, Written, write
from fairness_checklist.identity import IdentityTerm, TermList
from fairness_checklist.marks import reveal
from fairness_checklist.templates import Template

__all__ = ["Filled", "fill"]


@dataclass(frozen=True)
class Filled:
    """One text, and the character spans of the term in it."""

    text: str
    spans: Spans = ()


def fill(
    template: Template,
    term: IdentityTerm | None,
    *,
    families: frozenset[str] | None = None,
    lists: Lists | None = None,
    neutral: TermList | None = None,
) -> Filled | Unfit:
    """One template with one term, or why it cannot be filled: what ``lint`` shows.

    Args:
        template: any template; of the user's lists the first values are taken.
        term: the term; ``None`` for the unmarked control.
        families: the kinds of slot under test; by default those of the term (identity for the unmarked control).
        lists: the user's lists.
        neutral: fills for slots of other attributes.

    Raises:
        TemplateError: the template does not parse.

    >>> fill(Template("t", "I met {a:identity.writer}."), IdentityTerm("deaf", "deaf"))
    Filled(text='I met a deaf writer.', spans=((8, 12),))
    >>> fill(Template("t", "A {identity_adj} firm."), IdentityTerm("with epilepsy", "epilepsy", pos="pp"))
    Unfit(reason="'with epilepsy' is no adjective")
    """
    own = families if families is not None else term.families if term is not None else frozenset({"identity"})
    avoid = (term.term,) if term is not None else ()
    found = stems(template, own, check_lists(lists), neutral_loader(neutral, template.language), avoid, first=True)
    if isinstance(found, Unfit):
        return found
    stem = found[0]
    if term is None:
        text = unmarked_text(stem.pieces)
        return Unfit("grammar allows no unmarked variant") if text is None else Filled(reveal(text)[0])
    written: list[Written] = []
    for slot in stem.slots:
        one = write(slot, term)
        if isinstance(one, Unfit):
            return one
        written.append(one)
    if clashes(term, stem):
        return Unfit(f"{term.term!r} is already in the sentence")
    texts = FactorisedTexts((Frame.of(stem.literals, [Column.of([one]) for one in written], 1),))
    return Filled(texts.render(0, 1)[0], texts.spans(0, 1)[0])

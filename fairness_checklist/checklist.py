"""The calls of CheckList (Ribeiro et al. 2020) under their own names: ``from fairness_checklist.checklist import MFT``.

Suites that CheckList saved are read, and tests whose texts mention groups are compared by group: see
`Suite.from_checklist`.
"""

from collections.abc import Callable, Iterable
from typing import Any

from fairness_checklist.content.term_files import last_names
from fairness_checklist.core.option_defaults import SEED
from fairness_checklist.extensions.checklist.behavioral.behavioral_predictions import PredictorWrapper
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import DIR, INV, MFT
from fairness_checklist.extensions.checklist.behavioral.expect import Expect
from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite
from fairness_checklist.extensions.checklist.editor.editor import Editor
from fairness_checklist.extensions.checklist.editor.editor_lexicons import Lexicons
from fairness_checklist.extensions.rewriting import perturb as perturbations

__all__ = ["DIR", "INV", "MFT", "Editor", "Expect", "Perturb", "PredictorWrapper", "TestSuite"]


class Perturb:
    """The functions of ``fairness_checklist.perturb`` as CheckList has them, for strings and spaCy documents.

    >>> Perturb.perturb(["A good film.", "Fine"], Perturb.punctuation).data
    [['A good film.', 'A good film'], ['Fine', 'Fine.']]
    """

    add_negation = staticmethod(perturbations.add_negation)
    add_typos = staticmethod(perturbations.add_typos)
    change_names = staticmethod(perturbations.change_names)
    change_number = staticmethod(perturbations.change_number)
    contract = staticmethod(perturbations.contract)
    contractions = staticmethod(perturbations.contractions)
    expand_contractions = staticmethod(perturbations.expand_contractions)
    punctuation = staticmethod(perturbations.punctuation)
    remove_negation = staticmethod(perturbations.remove_negation)
    strip_punctuation = staticmethod(perturbations.strip_punctuation)

    @staticmethod
    def perturb(
        data: Iterable[Any],
        perturb_fn: Callable[..., Any],
        keep_original: bool = True,
        nsamples: int | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> perturbations.Cases:
        """A perturbation of each example; the arguments are those of `fairness_checklist.perturb.perturb`."""
        options = {"keep_original": keep_original, "nsamples": nsamples, **kwargs}
        return perturbations.perturb(data, perturb_fn, *args, **options)

    @staticmethod
    def change_location(doc: Any, meta: bool = False, seed: int = SEED, n: int = 10) -> Any:
        """Countries replaced by countries, and cities of the lexicon by other ones, but for those with a person's name.

        >>> Perturb.change_location("The train to Seattle was late.", n=2, meta=True)[1]  # doctest: +ELLIPSIS
        [('Seattle', '...'), ('Seattle', '...')]
        """
        lexicons = Lexicons()
        of_persons = {*last_names(), *lexicons.first_name}
        cities = [city for city in lexicons.city if city not in of_persons]
        return perturbations.change_location(doc, meta=meta, n=n, seed=seed, places=cities)

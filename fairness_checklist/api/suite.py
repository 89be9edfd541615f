"""`Suite`: the texts to ask a model about, how to choose them, and how to ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.api import scoring
from fairness_checklist.api.result import Result
from fairness_checklist.checks import Check
from fairness_checklist.content.fills import check_lists
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import TermsMapping
from fairness_checklist.core.errors import SuiteError
from fairness_checklist.core.examples import UNMARKED, ExampleSet
from fairness_checklist.core.keywords import checks_keywords, takes_options
from fairness_checklist.core.option_defaults import LANGUAGE, MAX_SOURCES, SEED, TASK, flag
from fairness_checklist.core.progress import bars_if, stage
from fairness_checklist.findings.records import check_reference
from fairness_checklist.metrics.contrasts import check_groups
from fairness_checklist.run.options import DEFAULT_CHECKS, RunOptions
from fairness_checklist.suites import parts as suite_parts
from fairness_checklist.suites.build import SuiteChoice, build_parts, check_mapping, names_or_files
from fairness_checklist.suites.part_files import load_parts, save_parts
from fairness_checklist.tables.files import Table
from fairness_checklist.tables.notes import with_precision

if TYPE_CHECKING:
    from fairness_checklist.extensions.checklist.suite_from_checklist import Groups
    from fairness_checklist.extensions.rewriting.suite_from_texts import Texts


@dataclass(frozen=True, repr=False)
class Suite:
    """The texts for one task and one or several sensitive attributes, with their source, group, term and label.

    >>> suite = Suite.from_templates(["I met {a:identity.writer}."], terms={"deaf": ["deaf"], "hearing": ["hearing"]})
    >>> suite.texts()
    ['I met a writer.', 'I met a deaf writer.', 'I met a hearing writer.']
    """

    parts: tuple[suite_parts.Part, ...]  # one for each attribute

    @classmethod
    @checks_keywords
    def build(
        cls,
        attribute: str | Sequence[str],
        *,
        task: str = TASK,
        groups: Sequence[str] | None = None,
        terms: str | Path | Sequence[str | Path] | TermsMapping | None = None,
        templates: str | Path | Template | Sequence[str | Path | Template] | None = None,
        include_terms: Sequence[str] = (),
        max_terms: int | None = None,
        lists: Mapping[str, Sequence[str]] | None = None,
        language: str = LANGUAGE,
        max_sources: int = MAX_SOURCES,
        sample_seed: int = SEED,
        profanity: bool = True,
        terms_per_lexeme: int | None = None,
    ) -> Suite:
        """The shipped templates x the shipped terms.

        Args:
            attribute: "gender", or several; "gender.czarnowska2021" names a set of terms of the attribute, "gender+age"
                the intersection of two, with all pairs of their groups as groups.
            task: "sentiment", "toxicity" or "ner".
            groups: keep these groups.
            terms: keep these (names); or a folder, a CSV file or a mapping {group: terms} that extends those shipped;
                of several attributes {attribute: {group: terms}}.
            templates: keep these templates (ids, sets such as "generic", patterns with ``*``); or a folder, a CSV file
                or `Template` records that extend the shipped templates; or both, to keep these of all.
            include_terms: dispreferred terms to add, by name.
            max_terms: the maximum number of terms per group, a random sample; of intersections 3 by default.
            lists: values for slots of your own, {"city": ["Leeds", "Turin"]}.
            language, max_sources: "en" or "es"; how many sources the templates and lists of one attribute may make.
            sample_seed: of the sample that ``max_terms`` draws.
            profanity: False leaves out templates with profane words.
            terms_per_lexeme: the maximum number of terms of one word, such as its spellings and inflections.

        Raises:
            InputError: an unknown attribute, group, term or template, a file that is wrong, or nothing left.

        >>> Suite.build("gender", groups=["women", "men"], templates=["generic"]).parts[0].attribute
        'gender'
        """
        return cls(
            build_parts(
                scoring.attribute_names(attribute), task=task, groups=groups, terms=terms, templates=templates,
                include_terms=include_terms, max_terms=max_terms, lists=lists, language=language,
                max_sources=max_sources, sample_seed=sample_seed, profanity=profanity,
                terms_per_lexeme=terms_per_lexeme,
            )
        )  # fmt: skip

    @classmethod
    @checks_keywords
    def from_templates(
        cls,
        templates: str | Path | Template | Mapping[str, str] | Iterable[str | Template | Mapping[str, str]],
        terms: TermsMapping | str | Path,
        *,
        task: str = TASK,
        attribute: str = "",
        label: str | Sequence[str] = "",
        lists: Mapping[str, Sequence[str]] | None = None,
        language: str = LANGUAGE,
        max_sources: int = MAX_SOURCES,
    ) -> Suite:
        """User-defined templates and terms, in memory.

        Args:
            templates: sentences with slots, `Template` records, dictionaries of their columns, or a CSV file.
            terms: for each group its terms: strings, `IdentityTerm` or dictionaries of its fields; or a CSV file.
            task: "sentiment", "toxicity" or "ner".
            attribute: what the sensitive attribute is called: by default the terms file's name, else "identity".
            label: the gold class of templates that bring none: one for all, or a list of one for each.
            lists, language, max_sources: as in `build`.

        Raises:
            InputError: a template or a term that is wrong, or nothing left.
        """
        lists = check_lists(lists)
        read = suite_parts.as_templates(templates, task=task, attribute="", label=label, language=language)
        kind = suite_parts.kind_of_terms(read, lists)
        listed = suite_parts.term_list(attribute, terms, default_pos=kind, language=language)
        return cls((suite_parts.make_part(read, listed, task=task, lists=lists, max_sources=max_sources),))

    @classmethod
    @checks_keywords
    def from_texts(
        cls,
        texts: Texts,
        attribute: str | Sequence[str],
        *,
        labels: Sequence[str] | Mapping[str, str] | None = None,
        task: str = TASK,
        groups: Sequence[str] | None = None,
        terms: str | Path | Sequence[str | Path] | TermsMapping | None = None,
        include_terms: Sequence[str] = (),
        max_terms: int | None = None,
        sample_seed: int = SEED,
        terms_per_lexeme: int | None = None,
    ) -> Suite:
        """User-provided texts: those that mention one identity, each with all terms, and the original as the control.

        Args:
            texts: strings; or a table as in `evaluate`, with the column ``text`` and perhaps ``label`` and ``id``.
            attribute: as in `build`.
            labels: of strings the gold class of each; or a mapping from the table's labels to the task's classes.
            task, groups: as in `build`, without "ner"; a text stays where each of them has a term that fits.
            terms, include_terms, max_terms, sample_seed, terms_per_lexeme: as in `build`; the text's own term comes on
                top.

        Raises:
            InputError: as `build`, a table that is wrong, a label that is no class, or no text that can be a source.

        >>> Suite.from_texts(["A man sold his car."], "gender", terms=["woman", "man"]).texts()
        ['A man sold his car.', 'A woman sold her car.', 'A man sold his car.']
        """
        from fairness_checklist.extensions.rewriting.suite_from_texts import part_of_texts, read_texts

        names = scoring.attribute_names(attribute)
        chosen, more = names_or_files(terms)
        sample: dict[str, Any] = {"sample_seed": sample_seed, "terms_per_lexeme": terms_per_lexeme}
        choice = SuiteChoice(groups, chosen, include_terms, max_terms, **sample)
        check_mapping(names, more)
        lines = read_texts(texts, labels, task=task)
        return cls(tuple(part_of_texts(lines, name, choice, task=task, more_terms=more) for name in names))

    @classmethod
    @checks_keywords
    def from_checklist(
        cls,
        source: Any,
        *,
        tests: Sequence[str] | None = None,
        groups: Groups | None = None,
        task: str = TASK,
        classes: Sequence[str] = (),
    ) -> Suite:
        """Texts by group from behavioral tests: those of CheckList, or a `TestSuite`; `evaluate` has their predictions.

        Args:
            source: a suite or test in memory, or the path of a file that CheckList saved, of which no code is run.
            tests: names of tests; by default the INV tests in which groups are found and which are about identities: by
                their capability Fairness, a name such as "protected: race", or shipped identity terms as their groups.
            groups: a key of the meta, or the group of each term. By default the key ``group``, or the words by which
                the texts of every case differ at the same place.
            task, classes: the task, and the classes in the order of the probabilities; by default the task's.

        Raises:
            InputError: groups are not found or do not fit, or a file that cannot be read.
        """
        from fairness_checklist.extensions.checklist.suite_from_checklist import parts_of_tests

        return cls(parts_of_tests(source, tests=tests, groups=groups, task=task, classes=classes))

    @classmethod
    def load(cls, folder: str | Path) -> Suite:
        """Read a suite that `save` wrote."""
        return cls(load_parts(folder))

    def save(self, folder: str | Path) -> Path:
        """Write the suite as text (templates, terms, lists) with its `card`; `load` gives the same texts.

        Raises:
            SuiteError: the folder holds something else, or the suite is one of texts.
        """
        if any(part.of_texts for part in self.parts):
            raise SuiteError("a suite of texts has no templates to save.", remedy="Keep the texts and build it anew.")
        return save_parts(self.parts, folder, self.card())

    @checks_keywords
    def predict(
        self,
        model: Any,
        *,
        control_words: bool | str | Path = True,
        seed: int = SEED,
        progress: bool = True,
        store: str | Path | None = None,
        **loading: Any,
    ) -> pd.DataFrame:
        """A model's predictions for each text, as the prediction table that `evaluate` reads; see `to_frame`.

        Args:
            model, progress, store, loading: as in `run`.
            control_words: as in `run`; their rows come last, and their column ``variant`` is "control word".
            seed: of the draw of control words.

        Returns:
            The rows of `to_frame` with the columns ``predicted`` and ``p:<class>``; ``precision`` where that is lower
            than float32; ``terms_available`` where a sample of the terms is used. Texts that the model failed on are
            left out, and listed in ``attrs["failed"]``.

        >>> suite = Suite.from_templates(["I met {a:identity.writer}."], {"deaf": ["deaf"], "hearing": ["hearing"]})
        >>> suite.predict(lambda texts: [0.75] * len(texts), control_words=False)["predicted"].tolist()
        ['positive', 'positive', 'positive']
        """
        loaded = scoring.ready_model(model, self.task, loading)
        answers = scoring.predict_parts(self.parts, loaded, progress, store)
        null = scoring.predict_control_words(self.parts, loaded, control_words, store, seed, progress)
        return with_precision(suite_parts.predictions_frame(answers, null), loaded.describe())

    @checks_keywords
    @takes_options(RunOptions)
    def run(
        self,
        model: Any,
        *,
        threshold_on: Table | None = None,
        control_words: bool | str | Path = True,
        progress: bool = True,
        store: str | Path | None = None,
        **loading: Any,
    ) -> Result:
        """Ask a model about every text, and compute metrics and checks.

        Args:
            model: a folder, a hub id, "bundled", a function, or what `load_model` gave.
            metrics, primary, checks, options, unlabelled, threshold, draws, harm, uncertainty, margin, reference, unit:
                what is computed and how, see `RunOptions`.
            threshold_on: for ``threshold="eer"`` a table as in `evaluate`: ``label`` and ``text`` or ``p:<class>``.
            control_words: whether control words are run for comparison; or a file that keeps the predictions for them.
            progress: show a bar, where there is a terminal.
            store: a file that keeps predictions as they come.
            loading: options for `load_model`, such as ``labels=``.
        """
        chosen = {spec.name: loading.pop(spec.name) for spec in fields(RunOptions) if spec.name in loading}
        choices = RunOptions(**chosen)
        for part in self.parts:
            check_groups(part.attribute, part.examples.groups)
            if choices.reference is not None:
                check_reference(part.attribute, (*part.examples.groups, UNMARKED), choices.reference)
        with bars_if(flag("progress", progress)):
            with stage("loading the model"):
                loaded = scoring.ready_model(model, self.task, loading)
                decided = scoring.resolved_threshold(choices.threshold, threshold_on, loaded, self.task)
                choices = replace(choices, threshold=decided)
            where = getattr(getattr(loaded, "checkpoint", None), "where", None)
            place = "" if where is None else f" ({where()})"
            with stage(f"asking the model about {', '.join(self.attributes)}{place}"):
                answers = scoring.predict_parts(self.parts, loaded, progress, store)
            with stage("asking the model about control words"):
                seed = choices.options.seed
                null = scoring.predict_control_words(self.parts, loaded, control_words, store, seed, progress)
            with stage("metrics, tests and findings"):
                return Result(**vars(scoring.results_of(answers, choices, loaded, null)))

    def evaluate(self, **options: Any) -> Result:
        """The metrics and tests from the predictions that came with the texts: see `from_checklist` and `evaluate`."""
        from fairness_checklist.extensions.checklist.suite_from_checklist import evaluate_parts

        return evaluate_parts(self.parts, self.task, options)

    @checks_keywords
    def to_checklist(self, *, checks: Sequence[Check] = DEFAULT_CHECKS, classes: Sequence[str] | None = None) -> Any:
        """The suite as a `checklist.test_suite.TestSuite` of INV, MFT and DIR tests (needs the extra ``checklist``).

        Args:
            checks: the tests, as in `run`.
            classes: the classes of the model to be tested, in the order of its probabilities; the task's by default.
        """
        from fairness_checklist.extensions.checklist.to_checklist import to_checklist

        return to_checklist(self.examples.values(), checks=checks, classes=classes)

    @property
    def task(self) -> str:
        return self.parts[0].task

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(part.attribute for part in self.parts)

    @property
    def examples(self) -> dict[str, ExampleSet]:
        """The example set of each attribute."""
        return {part.attribute: part.examples for part in self.parts}

    @property
    def dropped(self) -> pd.DataFrame:
        """Templates, or texts by their id, that take no part: attribute, template, reason."""
        rows = [(part.attribute, row.template_id, row.reason) for part in self.parts for row in part.dropped]
        return pd.DataFrame(rows, columns=["attribute", "template", "reason"])

    def __len__(self) -> int:
        """The number of texts; the controls of an intersection are not counted."""
        return sum(len(part.examples) for part in self.parts)

    def texts(self) -> list[str]:
        """All texts, in order."""
        return [text for part in self.parts for text in part.examples.render()]

    def to_frame(self, *, control_words: bool = False, seed: int = SEED) -> pd.DataFrame:
        """The texts with source, group, term and label, one row per text: a prediction table without predictions.

        Further rows, at the end, have the column ``variant``: controls of an intersection, and with
        ``control_words=True`` those that `run` asks about: for a model elsewhere, whose predictions `evaluate` reads.
        """
        return suite_parts.texts_frame(
            self.parts, scoring.control_parts_of(self.parts, seed) if control_words else None
        )

    def __repr__(self) -> str:
        described = []
        for part in self.parts:
            sources = f"{len(part.examples.sources)} sources" + (f" (templates: {part.origin})" if part.origin else "")
            terms = f"{len(part.terms)} terms of {len(part.terms.groups)} groups"
            described.append(f"{part.attribute}: {sources} x {terms}, {len(part.examples):,} texts")
        return f"<Suite for {self.task}: {'; '.join(described)}>"

    def _repr_html_(self) -> str:
        from fairness_checklist.reports.html import suite_view

        return suite_view(repr(self), self.to_frame())

    def card(self) -> str:
        """The suite card as Markdown: counts, provenance, review, known gaps.

        >>> print(Suite.build("gender", groups=["women", "men"]).card().splitlines()[0])
        # Suite card
        """
        from fairness_checklist.extensions.authoring.card import card_markdown, suite_card

        return card_markdown(suite_card(self.parts))

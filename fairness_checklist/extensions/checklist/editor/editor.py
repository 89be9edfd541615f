"""The editor of CheckList (Ribeiro et al. 2020): templates with tags, filled from lists, lexicons or a masked model."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairness_checklist.content.grammar.languages import LANGUAGES
from fairness_checklist.core.errors import OptionError, TemplateError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import SEED, flag
from fairness_checklist.extensions.checklist.editor import editor_fills
from fairness_checklist.extensions.checklist.editor.editor_lexicons import (
    Lexicons,
    as_values,
    check_list_name,
    check_options,
    check_tag,
    check_used,
    without_duplicates,
)
from fairness_checklist.extensions.checklist.editor.editor_tags import MASK, strings_in, tags_in

if TYPE_CHECKING:
    from fairness_checklist.extensions.checklist.editor.editor_fills import Fill, FillsMasks

_THRESHOLD = 5  # how much lower than the log-probability of the word itself that of a replacement may be
_NOT_BUILT = {
    **dict.fromkeys(
        ("synonyms", "antonyms", "hypernyms", "hyponyms", "related_words"),
        "it needs WordNet. Use suggest_replace(text, word): words that fit in the place of a word.",
    ),
    "visual_suggest": "use suggest(templates): the same words as a list.",
}


class Editor:
    """Fills templates with the values of lists, as CheckList's editor does, with the same calls.

    A tag ``{x}`` takes the values of the list ``x``: a keyword of the call, else a lexicon. ``{x1}`` and ``{x2}`` take
    two values of one list. ``{a:x}`` puts "a" or "an" before the value, ``{A:x}`` with a capital. ``{x.name}`` and
    ``{x[0]}`` take an attribute or an item of the value. ``{mask}`` is a word that a masked language model suggests.
    A literal brace is doubled.

    Args:
        language: "english" or "spanish", of the built-in lexicons; articles are English.
        model_name: a masked language model for ``{mask}``: a folder, a name on the Hugging Face Hub, or an object with
            ``fill``. It is loaded when it is first used.

    Raises:
        OptionError: no such language.

    >>> editor = Editor()
    >>> filled = editor.template("{name} is {a:job}.", name=["Ana", "Jim"], job=["clerk", "editor"], labels=1)
    >>> filled.data
    ['Ana is a clerk.', 'Ana is an editor.', 'Jim is a clerk.', 'Jim is an editor.']
    >>> filled.labels
    [1, 1, 1, 1]
    """

    def __init__(self, language: str = "english", model_name: str | Path | FillsMasks | None = None) -> None:
        codes = {name: spoken.code for spoken in LANGUAGES.values() for name in (spoken.code, spoken.name.lower())}
        code = codes.get(language.strip().lower()) if isinstance(language, str) else None
        if code is None:
            raise OptionError(
                f"the language {language!r} has no lexicons here.",
                remedy=f"Known: {', '.join(codes)}. Editor() fills lists of your own in any language.",
            )
        self.language = code
        self.lexicons = Lexicons(code)
        self._model = model_name

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_BUILT:
            raise AttributeError(f"Editor.{name} is not available: {_NOT_BUILT[name]}")
        near = did_you_mean(name, ("template", "suggest", "suggest_replace", "add_lexicon", "lexicons"))
        raise AttributeError(f"an Editor has no {name!r}.{near}")

    @checks_keywords
    def add_lexicon(
        self, name: str, values: Any, overwrite: bool = False, append: bool = False, remove_duplicates: bool = False
    ) -> None:
        """Add a list that all templates of this editor can use.

        Args:
            name: of the tag.
            values: a list, an array or a data frame. A frame of one column gives its cells; of several, each row is a
                value with the columns as attributes, ``{town.name}``.
            overwrite: replace a lexicon of the same name.
            append: extend a lexicon of the same name, if there is one.
            remove_duplicates: keep the first of equal values, in order.

        Raises:
            OptionError: the name is taken or cannot be used, both ``overwrite`` and ``append``, or no values.

        >>> editor = Editor()
        >>> editor.add_lexicon("town", [{"name": "Lima", "country": "Peru"}, {"name": "Oslo", "country": "Norway"}])
        >>> editor.template("{town.name} is in {town.country}.").data
        ['Lima is in Peru.', 'Oslo is in Norway.']
        >>> editor.add_lexicon("town", ["Rome"])
        Traceback (most recent call last):
        fairness_checklist.core.errors.OptionError: the lexicon 'town' exists already.
            Give overwrite=True to replace it, or append=True to extend it.
        """
        check_list_name(name)
        if flag("overwrite", overwrite) and flag("append", append):
            raise OptionError("overwrite=True and append=True exclude each other.", remedy="Give one of them.")
        new = as_values(name, values)
        if name in self.lexicons and not overwrite:
            if not append:
                raise OptionError(
                    f"the lexicon {name!r} exists already.",
                    remedy="Give overwrite=True to replace it, or append=True to extend it.",
                )
            new = [*self.lexicons[name], *new]
        self.lexicons.put(name, without_duplicates(new) if flag("remove_duplicates", remove_duplicates) else new)

    @checks_keywords
    def template(
        self,
        /,
        templates: Any,
        nsamples: int | None = None,
        product: bool = True,
        remove_duplicates: bool = False,
        mask_only: bool = False,
        unroll: bool = False,
        labels: Any = None,
        meta: bool = False,
        save: bool = False,
        *,
        seed: int = SEED,
        candidates: Sequence[str] | None = None,
        **lists: Any,
    ) -> Any:
        """Fill a template with the values of its lists.

        Args:
            templates: a string, or a list, tuple or dictionary of strings, nested at will. All strings of one fill have
                the same values. Values that are not strings stay as they are.
            nsamples: so many fills, drawn with replacement; by default all.
            product: all combinations of values. False takes the first values of all lists, then the second ones, and so
                on; the lists are of one length.
            remove_duplicates: leave out fills in which two tags have the same value.
            mask_only: give the words for ``{mask}`` back instead of texts.
            unroll: if the template is a list or tuple, give its members one by one. ``labels`` of a list or tuple of
                the same length are then one a member, too.
            labels: the label of all texts, of any type. Its strings may have tags.
            meta: keep the values of each fill.
            save: keep the parameters and the lists.
            seed: of ``nsamples``. The same seed draws the same fills.
            candidates: the words to choose from for ``{mask}``; by default the model's vocabulary.
            **lists: the values of each tag that has no lexicon, or other values for one that has.

        Returns:
            `FilledTemplates`: ``data`` and, as requested, ``labels``, ``meta`` and ``templates``. Fills are in the
            order of the product: the first tag of the template changes slowest, and values keep the order of their
            list. With ``mask_only`` a list of (words, text, log-probability), best first, at most ``nsamples``.

        Raises:
            TemplateError: a tag that does not parse, has no list, or takes what a value does not have.
            OptionError: an option or a list that cannot be used, or lists of different lengths with ``product=False``.

        >>> editor = Editor()
        >>> editor.template(("{x}", "not {x}"), x=["good", "bad"], labels=[1, 0], unroll=True)
        {'data': ['good', 'not good', 'bad', 'not bad'], 'labels': [1, 0, 1, 0]}
        >>> editor.template("{n1} + {n2}", n=range(10), nsamples=3, seed=7).data
        ['9 + 8', '6 + 5', '6 + 7']
        """
        parameters: dict[str, Any] = {"templates": templates, "nsamples": nsamples, "product": product}
        parameters |= {"remove_duplicates": remove_duplicates, "mask_only": mask_only, "unroll": unroll}
        parameters |= {"labels": labels, "meta": meta, "save": save, "seed": seed}
        check_options(parameters, candidates)
        columns = self._columns(templates, labels, lists)
        masks = editor_fills.mask_texts(templates, labels)
        if mask_only and len(masks) != 1:
            raise OptionError(
                f"mask_only=True needs one mask; the template has {len(masks) or 'none'}.",
                remedy="Write {mask} in it." if not masks else "Write {mask} for all words that are to be suggested.",
            )
        for key, texts in masks.items():
            contexts = editor_fills.contexts(texts, key, columns, remove_duplicates=remove_duplicates, seed=seed)
            top = editor_fills.top_of(texts, key)
            fills = self._fill_masks(contexts, candidates, top or 0)
            if mask_only:
                return fills[:nsamples]
            if not fills:
                raise OptionError(
                    f"the masked language model has no word for {{{key}}}.", remedy="Give other candidates= or none."
                )
            columns[key] = [words for words, _text, _score in fills][:top]
        filled = editor_fills.fill(templates, labels, columns, parameters)
        if save:
            filled.templates = [(parameters, {key: list(values) for key, values in columns.items()})]
        return filled

    @checks_keywords
    def suggest(self, /, templates: Any, return_score: bool = False, **keywords: Any) -> list[Any]:
        """Words for ``{mask}`` by a masked language model.

        Args:
            templates: as of ``template``, with ``{mask}`` once or more often in each string that has it.
            return_score: give (words, log-probability).
            **keywords: those of ``template``; ``nsamples`` limits the number of suggestions.

        Returns:
            Words, or tuples of words where ``{mask}`` occurs more than once, best first. Without a mask an empty list.

        >>> Editor().suggest("No mask.")
        []
        """
        if not any(tag.is_mask for text in strings_in(templates) for tag in tags_in(text)):
            return []
        fills = self.template(templates, **{**keywords, "mask_only": True})
        if flag("return_score", return_score):
            return [(_unwrapped(words), score) for words, _text, score in fills]
        return [_unwrapped(words) for words, _text, _score in fills]

    @checks_keywords
    def suggest_replace(
        self,
        text: str,
        word: str,
        full_sentences: bool = False,
        words_and_sentences: bool = False,
        *,
        candidates: Sequence[str] | None = None,
    ) -> list[Any]:
        """Words by a masked language model that fit in the place of a word, at most 5 less probable (in logarithms).

        Args:
            text: a sentence; braces are ordinary characters.
            word: a word of it. Each place where it occurs is replaced.
            full_sentences: give the sentences.
            words_and_sentences: give (word, sentence).
            candidates: the words to choose from; by default the model's vocabulary.

        Returns:
            Words, or tuples of words where the word occurs more than once, best first. An empty list where the text
            does not have the word.

        Raises:
            OptionError: no masked language model was given, or a text with ``{mask}``.
        """
        if "{mask}" in text:
            raise OptionError(f"{text!r} has a mask already.", remedy="Use suggest(), or write the word itself.")
        pieces = re.split(rf"(?<!\w){re.escape(word)}(?!\w)", text)
        if not word or len(pieces) == 1:
            return []
        masked = ["{mask}".join(pieces)]
        scores = [score for _words, _text, score in self._fill_masks(masked, [word])]
        least = max(scores, default=-math.inf) - _THRESHOLD
        suggestions = [
            (_unwrapped(words), "".join(new + piece for new, piece in zip(("", *words), pieces, strict=True)))
            for words, _text, score in self._fill_masks(masked, candidates)
            if score > least and word.casefold() not in {new.casefold() for new in words}
        ]
        if flag("words_and_sentences", words_and_sentences):
            return suggestions
        full = flag("full_sentences", full_sentences)
        return [sentence if full else words for words, sentence in suggestions]

    def _fill_masks(self, texts: list[str], candidates: Sequence[str] | None, least: int = 0) -> list[Fill]:
        """The fills for the masks of texts, the best first."""
        if self._model is None:
            raise OptionError(
                "a masked language model is needed for {mask}, suggest() and suggest_replace().",
                remedy='Give a folder or a name on the Hub: Editor(model_name="FacebookAI/roberta-base").',
            )
        if isinstance(self._model, (str, Path)):
            from fairness_checklist.extensions.lenses.masked_lm import load_masked_lm

            self._model = load_masked_lm(self._model)
        if not callable(getattr(self._model, "fill", None)):
            raise OptionError(
                f"model_name={self._model!r} is not a masked language model.",
                remedy="Give a folder, a name on the Hub, or an object with fill(texts, n=..., candidates=...).",
            )
        return editor_fills.fill_masks(self._model, texts, max(editor_fills.BEAM_SIZE, least), candidates)

    def _columns(self, templates: Any, labels: Any, lists: Mapping[str, Any]) -> dict[str, list[Any]]:
        """The values of each tag by its key, in the order in which tags appear; no values for masks yet."""
        for name in lists:
            check_list_name(name)
        tags = [tag for text in strings_in((templates, labels)) for tag in tags_in(text)]
        for tag in tags:
            check_tag(tag, lists, self.lexicons)
            if tag.article and self.language != "en":
                raise TemplateError(
                    f"the tag {tag.written} asks for an English article, and the editor's language is {self.language}.",
                    remedy="Write the article into the template or the values.",
                )
        names = {tag.name for tag in tags}
        check_used(lists, names)
        values = {name: as_values(name, lists[name]) for name in names if name in lists}
        values |= {name: self.lexicons[name] for name in names - {MASK, *lists}}
        return {tag.key: [] if tag.is_mask else values[tag.name] for tag in tags}


def _unwrapped(words: Sequence[str]) -> str | tuple[str, ...]:
    """One word by itself, several as a tuple."""
    return words[0] if len(words) == 1 else tuple(words)

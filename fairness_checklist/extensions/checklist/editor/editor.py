"""The editor of CheckList (Ribeiro et al. 2020): templates with tags, filled from lists and lexicons."""

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairness_checklist.content.grammar.languages import LANGUAGES
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, TemplateError, first_ten
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import SEED, flag, whole_number
from fairness_checklist.extensions.checklist.editor.editor_lexicons import Lexicons, as_values, without_duplicates
from fairness_checklist.extensions.checklist.editor.editor_tags import (
    Tag,
    fill_text,
    replace_strings,
    strings_in,
    tags_in,
)
from fairness_checklist.extensions.rewriting.perturb.perturbations import Cases

MAX_FILLS = 5_000_000  # of one product
OPTIONS = ("templates", "nsamples", "product", "remove_duplicates", "unroll", "labels", "meta", "save", "seed")
_MASKED = "it needs a masked language model. Give the words yourself, as a list: template(text, mask=[...])."
_NOT_BUILT = {
    **dict.fromkeys(("suggest", "suggest_replace", "visual_suggest"), _MASKED),
    **dict.fromkeys(
        ("synonyms", "antonyms", "hypernyms", "hyponyms", "related_words"),
        "it needs WordNet. Give the words yourself, as a list: template(text, word=[...]).",
    ),
}


class Editor:
    """Fills templates with the values of lists, as CheckList's editor does, with the same calls.

    A tag ``{x}`` takes the values of the list ``x``: a keyword of the call, else a lexicon. ``{x1}`` and ``{x2}`` take
    two values of one list. ``{a:x}`` puts "a" or "an" before the value, ``{A:x}`` with a capital. ``{x.name}`` and
    ``{x[0]}`` take an attribute or an item of the value. A literal brace is doubled.

    Args:
        language: "english" or "spanish", of the built-in lexicons; articles are English.

    Raises:
        OptionError: no such language.

    >>> editor = Editor()
    >>> filled = editor.template("{name} is {a:job}.", name=["Ana", "Jim"], job=["clerk", "editor"], labels=1)
    >>> filled.data
    ['Ana is a clerk.', 'Ana is an editor.', 'Jim is a clerk.', 'Jim is an editor.']
    >>> filled.labels
    [1, 1, 1, 1]
    """

    def __init__(self, language: str = "english") -> None:
        codes = {name: spoken.code for spoken in LANGUAGES.values() for name in (spoken.code, spoken.name.lower())}
        code = codes.get(language.strip().lower()) if isinstance(language, str) else None
        if code is None:
            raise OptionError(
                f"the language {language!r} has no lexicons here.",
                remedy=f"Known: {', '.join(codes)}. Editor() fills lists of your own in any language.",
            )
        self.language = code
        self.lexicons = Lexicons(code)

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_BUILT:
            raise AttributeError(f"Editor.{name} is not available: {_NOT_BUILT[name]}")
        near = did_you_mean(name, ("template", "add_lexicon", "lexicons"))
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
        """
        _check_list_name(name)
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
        unroll: bool = False,
        labels: Any = None,
        meta: bool = False,
        save: bool = False,
        *,
        seed: int = SEED,
        **lists: Any,
    ) -> Cases:
        """Fill a template with the values of its lists.

        Args:
            templates: a string, or a list, tuple or dictionary of strings, nested at will. All strings of one fill have
                the same values. Values that are not strings stay as they are.
            nsamples: so many fills, drawn with replacement; by default all.
            product: all combinations of values. False takes the first values of all lists, then the second ones, and so
                on; the lists are of one length.
            remove_duplicates: leave out fills in which two tags have the same value.
            unroll: if the template is a list or tuple, give its members one by one. ``labels`` of a list or tuple of
                the same length are then one a member, too.
            labels: the label of all texts, of any type. Its strings may have tags.
            meta: keep the values of each fill.
            save: keep the parameters and the lists.
            seed: of ``nsamples``. The same seed draws the same fills.
            **lists: the values of each tag that has no lexicon, or other values for one that has.

        Returns:
            `Cases`: ``data`` and, as requested, ``labels``, ``meta`` and ``templates``. Fills are in the
            order of the product: the first tag of the template changes slowest, and values keep the order of their
            list.

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
        parameters |= {"remove_duplicates": remove_duplicates, "unroll": unroll, "labels": labels, "meta": meta}
        parameters |= {"save": save, "seed": seed}
        _check_options(parameters)
        columns = self._columns(templates, labels, lists)
        filled = _fill(templates, labels, columns, parameters)
        if save:
            filled.templates = [(parameters, {key: list(values) for key, values in columns.items()})]
        return filled

    def _columns(self, templates: Any, labels: Any, lists: Mapping[str, Any]) -> dict[str, list[Any]]:
        """The values of each tag by its key, in the order in which tags appear."""
        for name in lists:
            _check_list_name(name)
        tags = tags_in((templates, labels))
        for tag in tags:
            self._check_tag(tag, lists)
        names = {tag.name for tag in tags}
        for name, value in lists.items():
            near = did_you_mean(name, OPTIONS, "{}=")
            is_single = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
            if name not in names and is_single and near:
                message = f"template() has no option {name}=, and the template has no tag {{{name}}}."
                raise OptionError(message, remedy=near)
        values = {name: as_values(name, lists[name]) if name in lists else self.lexicons[name] for name in names}
        return {tag.key: values[tag.name] for tag in tags}

    def _check_tag(self, tag: Tag, lists: Collection[str]) -> None:
        """Check that a tag has a list of the call, or a lexicon, and an article only in English."""
        if tag.name in OPTIONS:
            raise TemplateError(
                f"the tag {tag.written} has the name of an option of template().",
                remedy=f"Give the tag and its list another name. Not free: {', '.join(OPTIONS)}.",
            )
        if tag.name not in lists and tag.name not in self.lexicons:
            near = did_you_mean(tag.name, [*lists, *self.lexicons], "{{{}}}")
            named = f"Lists given: {first_ten(lists)}." if lists else "No list is given."
            raise TemplateError(
                f"the tag {tag.written} has no list of values.",
                remedy=f"{named} Lexicons: {', '.join(self.lexicons)}.{near}",
            )
        if tag.article and self.language != "en":
            raise TemplateError(
                f"the tag {tag.written} asks for an English article, and the editor's language is {self.language}.",
                remedy="Write the article into the template or the values.",
            )


def _check_list_name(name: str) -> None:
    if not isinstance(name, str) or not name or any(letter in name for letter in "{}[].:!") or name != name.strip():
        raise OptionError(f"{name!r} is not the name of a list.", remedy='Give a word, as in {x}: "x".')
    stem = name.rstrip("0123456789")
    if stem != name:
        other = f"Name it {stem!r}: {{{stem}1}} and {{{stem}2}} both take their values from it." if stem else ""
        raise OptionError(f"the list {name!r} ends in a digit, which numbers copies of a tag.", remedy=other)
    if name in OPTIONS:
        raise OptionError(
            f"a list cannot have the name {name!r}, which template() uses itself.",
            remedy=f"Give it another name. Not free: {', '.join(OPTIONS)}.",
        )


def _check_options(parameters: Mapping[str, Any]) -> None:
    if parameters["nsamples"] is not None:
        whole_number("nsamples", parameters["nsamples"], least=0)
    for name in ("product", "remove_duplicates", "unroll", "meta", "save"):
        flag(name, parameters[name])
    whole_number("seed", parameters["seed"], least=0)
    if next(strings_in(parameters["templates"]), None) is None:
        raise OptionError(
            f"templates={parameters['templates']!r} holds no string.",
            remedy="Give a string, or a list, tuple or dictionary of strings.",
        )


def _fill(templates: Any, labels: Any, columns: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any]) -> Cases:
    """The texts of a template, and its labels and meta data if they were asked for."""
    unroll = parameters["unroll"] and isinstance(templates, (list, tuple))
    filled = Cases(data=[], labels=[], meta=[])
    for row in _rows(columns, parameters["nsamples"], product=parameters["product"], seed=parameters["seed"]):
        if parameters["remove_duplicates"] and len(set(map(str, row))) < len(row):
            continue
        values = dict(zip(columns, row, strict=True))
        write = partial(fill_text, values=values)
        text, label = replace_strings(templates, write), replace_strings(labels, write)
        members = list(text) if unroll else [text]
        parallel = unroll and isinstance(label, (list, tuple)) and len(label) == len(members)
        filled.data.extend(members)
        filled.labels.extend(label if parallel else (replace_strings(labels, write) for _member in members))
        filled.meta.extend(dict(values) for _member in members)
    kept = {"data": True, "labels": labels is not None, "meta": parameters["meta"]}
    return Cases({name: values for name, values in filled.items() if kept[name]})


def _rows(
    columns: Mapping[str, Sequence[Any]], nsamples: int | None, *, product: bool, seed: int
) -> Iterable[tuple[Any, ...]]:
    """One value of each tag for each fill, in the order of the columns."""
    values = list(columns.values())
    lengths = [len(column) for column in values]
    if not product and len(set(lengths)) > 1:
        listed = ", ".join(f"{{{key}}}: {length:,}" for key, length in zip(columns, lengths, strict=True))
        raise OptionError(
            f"product=False pairs lists of one length; these have {listed}.",
            remedy="Make the lists of one length, or combine all values with product=True.",
        )
    if not values:
        return [()][:nsamples]
    if nsamples is not None:
        draw = np.random.default_rng(seed).integers
        drawn = [draw(length, size=nsamples).tolist() for length in (lengths if product else lengths[:1])]
        places = zip(*(drawn if product else drawn * len(lengths)), strict=True)
        return [tuple(column[place] for column, place in zip(values, row, strict=True)) for row in places]
    total = math.prod(lengths)
    if product and total > MAX_FILLS:
        raise OptionError(
            f"the product of the lists has {total:,} fills; expected {MAX_FILLS:,} at most.",
            remedy="Draw some of them with nsamples=, or give shorter lists.",
        )
    return itertools.product(*values) if product else zip(*values, strict=True)

"""What an editor's template becomes: texts, and with them labels, meta data and the lists, if they were asked for."""

from __future__ import annotations

from typing import Any

from fairness_checklist.core.errors import OptionError, SuiteError

FIELDS = {
    "data": "",
    "labels": "Give labels= to template().",
    "meta": "Give meta=True to template().",
    "templates": "Give save=True to template().",
}


class FilledTemplates(dict[str, Any]):
    """Filled templates: a dictionary whose values are attributes too.

    ``data`` holds one entry for each fill, of the template's type. ``labels`` and ``meta``, if there are any, are
    parallel to it. ``templates``, if there is any, has one entry for each call: its parameters, and the lists by tag.

    ``+`` joins two results of the same keys, and ``+=`` extends the first. ``Test(**filled)`` passes all keys on.

    >>> one = FilledTemplates(data=["A good film."], labels=[1])
    >>> one += FilledTemplates(data=["A bad film."], labels=[0])
    >>> one.data, one["labels"], hasattr(one, "meta")
    (['A good film.', 'A bad film.'], [1, 0], False)
    >>> one + FilledTemplates(data=["A film."])
    Traceback (most recent call last):
    fairness_checklist.core.errors.SuiteError: filled templates with data, labels and filled templates with data \
cannot be joined.
        Give both the same of labels=, meta= and save=.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            remedy = f" {FIELDS[name]}" if FIELDS.get(name) else ""
            raise AttributeError(f"these filled templates have no {name!r}, only {', '.join(self)}.{remedy}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in FIELDS:
            raise AttributeError(f"filled templates cannot have {name!r}. Known: {', '.join(FIELDS)}.")
        self[name] = value

    def __delattr__(self, name: str) -> None:
        self.__getattr__(name)
        del self[name]

    def __add__(self, other: object) -> FilledTemplates:
        joined = FilledTemplates(self)
        joined += other
        return joined

    def __iadd__(self, other: object) -> FilledTemplates:
        if not isinstance(other, FilledTemplates):
            raise OptionError(
                f"{type(other).__name__} cannot be joined to filled templates.",
                remedy="Join what template() gave back; lists are joined as filled.data + [...].",
            )
        if set(self) != set(other):
            raise SuiteError(
                f"filled templates with {', '.join(self)} and filled templates with {', '.join(other)} "
                "cannot be joined.",
                remedy="Give both the same of labels=, meta= and save=.",
            )
        for name in self:
            self[name] = [*self[name], *other[name]]
        return self

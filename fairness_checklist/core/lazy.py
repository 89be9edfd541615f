"""Public names of a package that are loaded when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package, for names that live in modules below it and such modules."""
    public = {**homes, **(modules or {})}

    def get(name: str) -> Any:
        if name == "__all__":
            return list(public)
        if name not in public:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{public[name]}")
        value = getattr(module, name) if name in homes else module
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(public)

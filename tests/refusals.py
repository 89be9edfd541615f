"""What a call says that is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def error_of(kind: Any, call: Callable[..., object], /, *arguments: Any, **options: Any) -> str:
    """The text of the error of a kind, or of one of several, with which the call ends."""
    with pytest.raises(kind) as caught:
        call(*arguments, **options)
    return str(caught.value)

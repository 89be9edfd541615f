"""What a wrong call is answered with."""

from collections.abc import Callable

import pytest


def refusal(kind: type[Exception], call: Callable[..., object], /, *arguments: object, **named: object) -> str:
    """The whole text of the error of this kind that a call raises."""
    with pytest.raises(kind) as caught:
        call(*arguments, **named)
    return str(caught.value)

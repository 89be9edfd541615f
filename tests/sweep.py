"""One test of many cases: as ``pytest.mark.parametrize``, without the cost of a collected item for each case."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def sweep(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Runs a test once for each case and fails with all cases that failed; only for tests that leave nothing behind.

    The arguments are those of ``pytest.mark.parametrize``, and sweeps stand on each other in the same way.
    """
    arguments = (names,) if isinstance(names, str) else names
    every = [(case,) if isinstance(names, str) else tuple(case) for case in cases]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def swept(*args: Any, **fixtures: Any) -> None:
            failures: list[Exception] = []
            skipped = 0
            for case in every:
                chosen = dict(zip(arguments, case, strict=True))
                try:
                    test(*args, **fixtures, **chosen)
                except pytest.skip.Exception:
                    skipped += 1
                except Exception as error:
                    error.add_note(f"in the case {chosen}"[:500])
                    failures.append(error)
            if skipped == len(every):
                pytest.skip("every case is skipped")
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(every)} cases fail", failures)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        swept.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return swept

    assert every, "a sweep without a case tests nothing"
    return decorate

"""Calls of a user's function: for a batch or text by text, synchronous or asynchronous."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Iterator
from functools import cache, partial
from typing import Any

AT_ONCE = 16
"""Texts that an asynchronous function of one text has in flight."""


def output_of(function: Callable[..., Any], inputs: list[Any]) -> Any:
    """The output of a function for a batch.

    A function whose only required argument is annotated as one ``str`` is called for each text. A coroutine is awaited,
    the items of an asynchronous generator are collected, and an iterator becomes a list.

    >>> async def lengths(texts):
    ...     return [len(text) for text in texts]
    >>> async def length(text: str):
    ...     return len(text)
    >>> output_of(lengths, ["a", "bcd"]), output_of(length, ["a", "bcd"])
    ([1, 3], [1, 3])
    """
    if takes_one_text(function):
        output: Any = _text_by_text(function, inputs)
    else:
        output = function(inputs)
    if inspect.isawaitable(output) or hasattr(output, "__aiter__"):
        return _run(_awaited(output))
    return list(output) if isinstance(output, Iterator) else output  # pipe of spaCy gives an iterator


def takes_one_text(function: Callable[..., Any]) -> bool:
    """Whether a function is one of a single text, by its annotation."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function in C may have no signature
        return False
    required = [given for given in parameters if given.default is given.empty and given.kind not in (2, 4)]
    return len(required) == 1 and required[0] is parameters[0] and required[0].annotation in (str, "str")


def _text_by_text(function: Callable[[str], Any], texts: list[str]) -> Any:
    """The outputs for single texts; of an asynchronous function some are in flight at once."""
    target = function
    while isinstance(target, partial):
        target = target.func
    own = target if inspect.isroutine(target) else getattr(target, "__call__", target)  # noqa: B004  of an object
    if not inspect.iscoroutinefunction(own):
        return [function(text) for text in texts]

    async def every() -> list[Any]:
        limit = asyncio.Semaphore(AT_ONCE)

        async def one(text: str) -> Any:
            async with limit:
                return await function(text)

        tasks = [asyncio.ensure_future(one(text)) for text in texts]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    return every()


async def _awaited(output: Any) -> Any:
    if inspect.isawaitable(output):
        output = await output
    return [one async for one in output] if hasattr(output, "__aiter__") else output


def _run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine in the event loop of this module, which is that of no caller (a notebook has its own).

    All coroutines run in one loop, so that a client that a function keeps stays connected.
    """
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="fairness_checklist-async", daemon=True).start()
    return loop

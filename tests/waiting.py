"""Waiting for what another process does, however slow the machine is."""

import time
from collections.abc import Callable
from subprocess import Popen
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
PATIENCE = 900.0  # seconds: what is not there by then hangs


def until(ready: Callable[[], T], process: Popen[Any] | None = None, what: str = "a service") -> T:
    """What `ready` gives once it is true; a failure where the process ends before, a skip where it only goes on."""
    end = time.monotonic() + PATIENCE
    while not (value := ready()):
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"{what} ended with {process.returncode}")
        if time.monotonic() > end:
            pytest.skip(f"{what} is still starting after {PATIENCE:.0f} s")
        time.sleep(0.05)
    return value

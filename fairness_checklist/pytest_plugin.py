"""The pytest plugin: fixtures that run and gate a model, and the marker that decides about a test (`docs/gate.md`).

pytest loads this module in every session where the package is installed; the first test that asks loads the rest.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fairness_checklist.api.result import Result
    from fairness_checklist.extensions.compare.gate import Gate

_TOML = "fairness.toml"
_PATHS = ("baseline", "config")
_OF_GATE = (*_PATHS, "limit")
_EXAMPLE = '@pytest.mark.fairness(attribute="gender", limit=0.1)'


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("fairness").addoption(
        "--fairness-inconclusive",
        choices=("skip", "fail"),
        default="skip",
        help="What a test marked with fairness does where its gate is inconclusive; skip by default.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "fairness(attribute, *, limit, baseline, config, **options): the test fails where the gate "
        "of the model that the fixture fairness_model gives does; other options are those of the suite and its run.",
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """A marked test is gated whether it asks for the gate or not."""
    names = getattr(item, "fixturenames", None)
    if names is not None and "fairness_gate" not in names and item.get_closest_marker("fairness"):
        item.fixturenames = [*names, "fairness_gate"]  # type: ignore[attr-defined]


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Decide about a test whose own code has passed."""
    gate = getattr(item, "funcargs", {}).get("fairness_gate")
    decision = getattr(gate, "decision", "pass")
    if decision == "fail" or (decision != "pass" and item.config.getoption("--fairness-inconclusive") == "fail"):
        pytest.fail(str(gate), pytrace=False)
    if decision != "pass":
        pytest.skip(str(gate))


@pytest.fixture(scope="session")
def fairness_model() -> Any:
    """The model of the marked tests: to be defined in ``conftest.py``."""
    pytest.fail(
        "no model to test.\n    Define a fixture fairness_model in conftest.py that returns a folder, a hub id, "
        "an object with predict_proba or a function of texts.",
        pytrace=False,
    )


@pytest.fixture(scope="session")
def fairness_run(pytestconfig: pytest.Config) -> Callable[..., Result]:
    """``fairness_run(model, attribute, **options)``: the `Result`, made once a session for the same arguments.

    The options are those of `Suite.build` and `Suite.run`. The harms are those of ``fairness.toml`` beside the
    configuration of pytest, where it has a table ``[purpose]``.
    """
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.run.options import read_purpose

    kept: dict[str, tuple[Result, Any]] = {}  # with the objects, so that no other gets the id of one
    of_suite = inspect.signature(Suite.build).parameters
    declared = pytestconfig.rootpath / _TOML

    def run(model: Any, attribute: str | list[str], **options: Any) -> Result:
        key = json.dumps([model, attribute, sorted(options.items())], default=id)
        if key not in kept:
            suite = Suite.build(attribute, **{name: value for name, value in options.items() if name in of_suite})
            chosen = {name: value for name, value in options.items() if name not in of_suite}
            chosen.setdefault("harm", read_purpose(declared) if declared.is_file() else None)
            kept[key] = suite.run(model, **{"progress": False, **chosen}), (model, options)
        return kept[key][0]

    return run


@pytest.fixture
def fairness_gate(request: pytest.FixtureRequest, fairness_run: Callable[..., Result], fairness_model: Any) -> Gate:
    """The `Gate` of a test that is marked with ``fairness``; after the test it decides about it."""
    from fairness_checklist.core.errors import FairnessChecklistError, OptionError
    from fairness_checklist.extensions.compare.gate import gate

    marker, root = request.node.get_closest_marker("fairness"), request.config.rootpath
    try:
        if marker is None:
            raise OptionError("the test asks for fairness_gate and has no marker.", remedy=f"Mark it: {_EXAMPLE}.")
        options = ({"attribute": marker.args[0]} if marker.args else {}) | marker.kwargs
        if len(marker.args) > 1 or "attribute" not in options:
            raise OptionError("the marker takes one attribute, the rest by name.", remedy=f"Write {_EXAMPLE}.")
        deciding = {name: options.pop(name) for name in _OF_GATE if name in options}
        for name in _PATHS:
            if isinstance(deciding.get(name), (str, Path)):
                deciding[name] = root / deciding[name]
        if (root / _TOML).is_file():
            deciding.setdefault("config", root / _TOML)
        return gate(fairness_run(fairness_model, **options), **deciding)
    except FairnessChecklistError as error:
        raise pytest.fail.Exception(f"{request.node.name}: {error}", pytrace=False) from None

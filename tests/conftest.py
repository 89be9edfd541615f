"""What holds for every test: no network but this machine, and no data folder of the developer's."""

import gc
import importlib
import os
import socket
import sys
import warnings
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import hypothesis
import pytest
import typer.main
from command_line import Call, caller
from shared_data import SHARED

# What is imported stays, and need not be searched for garbage again and again.
gc.set_threshold(20_000, 50, 100)
# All options of all verbs are read for each call of the command line, and they are the same each time.
typer.main.get_command = cache(typer.main.get_command)
# nbformat asks for it by way of jsonschema, which does without it; it compiles grammars for seconds.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

hypothesis.settings.register_profile(
    "any_machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any_machine")

_LOCAL = {"localhost", "127.0.0.1", "::1"}


SLOW = ("test_ray_gives_the_same_bytes", "test_a_new_run_prints_what_is_stored")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks and skips; and the tests that take longest come first in both halves, so that no process waits for them."""
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker("shared_data")
        if item.get_closest_marker("shared_data") and not SHARED.is_dir():
            item.add_marker(pytest.mark.skip(reason="reads data that the repository does not hold"))
    if config.getoption("random_order_bucket", None):  # another order is asked for
        return
    slow = [item for item in items if item.name.startswith(SLOW)]
    others = [item for item in items if not item.name.startswith(SLOW)]
    half = len(others) // 2
    items[:] = [*slow[::2], *others[:half], *slow[1::2], *others[half:]]


def pytest_collection_finish() -> None:
    gc.freeze()


_marked = False


def _no_data_without_the_mark(event: str, arguments: tuple[Any, ...]) -> None:
    """Fails the test that reads beside the checkout and does not say so."""
    if event in ("open", "os.listdir", "os.scandir") and not _marked:
        path = arguments[0]
        if isinstance(path, (str, bytes)):
            whole = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - follows no link and asks no file system
            if whole.startswith(str(SHARED.parent)):
                raise AssertionError(f"a test without the mark shared_data may not read {whole}")


sys.addaudithook(_no_data_without_the_mark)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    global _marked
    _marked = item.get_closest_marker("shared_data") is not None
    return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = sum("shared_data" in report.keywords for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        terminalreporter.write_line(f"{skipped} tests need data that is not in the repository and were skipped.")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data that the repository does not hold; who asks for it is skipped without it."""
    return SHARED


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches for another machine fails, with the address."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _LOCAL:
            raise AssertionError(f"a test may not open a connection to {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True, scope="session")
def cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Predictions for the control words are kept across the tests of a process, and never in the user's own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def no_data_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates and terms are ours unless a test says otherwise."""
    monkeypatch.delenv("FAIRNESS_CHECKLIST_HOME", raising=False)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs the command line in this process and in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return caller(monkeypatch, capsys)


@pytest.fixture(scope="module")
def checklist() -> Any:
    """CheckList's package; who asks for it is skipped without it."""
    pytest.importorskip("checklist")
    from fairness_checklist.extensions.checklist.library import import_checklist

    return import_checklist()


@pytest.fixture(scope="module")
def checklist_perturb(checklist: ModuleType) -> Iterator[Any]:
    """CheckList's perturbations; their import needs only the names of ``pattern``, whose data it would download."""
    stub = SimpleNamespace(tenses=None, conjugate=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pattern", SimpleNamespace(en=stub))
        patch.setitem(sys.modules, "pattern.en", stub)
        patch.delitem(sys.modules, "checklist.perturb", raising=False)
        with warnings.catch_warnings():  # it leaves its files open
            warnings.simplefilter("ignore")
            module = importlib.import_module("checklist.perturb")
            gc.collect()
        yield module.Perturb
        sys.modules.pop("checklist.perturb", None)


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Matrices of tiny models lose time with every further thread."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True, scope="session")
def unwritten() -> Iterator[Callable[..., Path]]:
    """Run folders get an empty page: making one takes twice as long as a small run. What makes pages is as it is."""
    from fairness_checklist.reports import html

    saved = html.save_run

    def save(*results: Any, **options: Any) -> Path:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                html, "write", lambda _results, path: Path(path).write_text("<html></html>", encoding="utf-8")
            )
            return saved(*results, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "save_run", save)
        yield saved


@pytest.fixture
def paged(monkeypatch: pytest.MonkeyPatch, unwritten: Callable[..., Path]) -> None:
    """A test that saves runs with their pages, and reads these."""
    monkeypatch.setattr("fairness_checklist.reports.html.save_run", unwritten)

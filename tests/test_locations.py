"""Where templates and terms are found."""

from pathlib import Path

import pytest
from refusals import refusal

from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.locations import data_files, display_path, find_data_folder, shipped_folder

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's with one attribute."""
    (tmp_path / "identity_terms").mkdir()
    (tmp_path / "identity_terms" / "shoes.csv").write_text("term,group\nin boots,boots\nin sandals,sandals\n")
    monkeypatch.setenv("FAIRNESS_CHECKLIST_HOME", str(tmp_path))
    return tmp_path


def test_a_checkout_has_its_folders_next_to_the_package() -> None:
    assert find_data_folder("templates") == [REPOSITORY / "templates"]
    assert shipped_folder("identity_terms") == REPOSITORY / "identity_terms"


def test_the_users_folder_comes_first(home: Path) -> None:
    assert find_data_folder("identity_terms") == [home / "identity_terms", REPOSITORY / "identity_terms"]
    assert find_data_folder("templates") == [REPOSITORY / "templates"]
    assert "shoes" in attributes()
    assert load_terms("shoes").groups == ("boots", "sandals")


def test_an_edited_file_takes_effect_at_once(home: Path) -> None:
    before = load_terms("shoes")
    (home / "identity_terms" / "shoes.csv").write_text("term,group\nin boots,boots\nin wooden clogs,clogs\n")

    assert before.groups == ("boots", "sandals")
    assert load_terms("shoes").groups == ("boots", "clogs")


def test_user_files_come_after_shipped_ones_so_that_they_win(tmp_path: Path) -> None:
    (tmp_path / "gender.csv").write_text("term,group\n")
    files = data_files("identity_terms", tmp_path)

    assert files[-1] == tmp_path / "gender.csv"
    assert all(path.parent == REPOSITORY / "identity_terms" for path in files[:-1])


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    message = refusal(OptionError, data_files, "templates", tmp_path / "mine.csv")
    assert message == f"'{tmp_path}/mine.csv' does not exist.\n    Give a CSV file or a folder of templates."


def test_our_files_are_shown_short_and_the_users_as_given(tmp_path: Path) -> None:
    assert display_path(REPOSITORY / "templates" / "gender.csv") == "templates/gender.csv"
    assert display_path(tmp_path / "templates" / "gender.csv") == f"{tmp_path}/templates/gender.csv"

"""Sphinx: the documentation site. `make docs` builds it into build/docs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent)]

import build_reference  # noqa: E402

import fairness_checklist  # noqa: E402

build_reference.write()

project = "fairness_checklist"
author = "the authors of fairness_checklist"
version = release = fairness_checklist.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["workflows"]
default_role = "code"  # docstrings name code in single backticks

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # the tests run the notebooks; here their stored outputs are shown
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_use_ivar = True

nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types of other libraries and of private modules: they have no page here
suppress_warnings = ["toc.empty_glob"]  # pages that another release has; tests/test_docs_site.py checks the toctrees

html_theme = "pydata_sphinx_theme"
html_title = "fairness_checklist"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options: dict[str, Any] = {
    "logo": {"text": "fairness_checklist"},
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}
html_sidebars = {"index": [], "tutorial": []}

_PAGE = re.compile(r"(?<![`\[])`(?:docs/)?(\w+)\.md`(?!`)")


def link_pages(_app: Any, docname: str, source: list[str]) -> None:
    """Make links of the names of pages in prose (`findings.md`), which a reader of the files sees as names."""
    if "/" in docname and not docname.startswith("reference/") or docname.startswith("reference/notebooks/"):
        return
    blocks = re.split(r"(^ *(?:```|:::).*?^ *(?:```|:::)\s*$)", source[0], flags=re.MULTILINE | re.DOTALL)

    def link(found: re.Match[str]) -> str:
        return f"[](/{found[1]}.md)" if (DOCS / f"{found[1]}.md").is_file() else found[0]

    source[0] = "".join(block if i % 2 else _PAGE.sub(link, block) for i, block in enumerate(blocks))


def setup(app: Any) -> None:
    app.connect("source-read", link_pages)

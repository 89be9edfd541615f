"""Sphinx: the documentation site. `make docs` builds it into build/docs."""

from __future__ import annotations

import re
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent)]

import build_reference  # noqa: E402
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]  # noqa: E402
from sphinx.highlighting import lexers  # noqa: E402

import fairness_checklist  # noqa: E402

build_reference.write()

lexers["csv"] = get_lexer_by_name("text")  # Pygments has none for tables
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

toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, and no second description of each attribute
python_maximum_signature_line_length = 80

nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types of other libraries and of private modules: they have no page here

html_theme = "pydata_sphinx_theme"
html_title = "fairness_checklist"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_extra_path = ["../llms.txt"]
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_theme_options: dict[str, Any] = {
    "logo": {"text": "fairness_checklist"},
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": [],
    "footer_end": [],
}
html_sidebars: dict[str, list[str]] = {"index": [], "tutorial": []}

_PAGE = re.compile(r"(?<![`\[])`(?:docs/)?(\w+)\.md`(?!`)")


_ENTITY = re.compile(r"(?<!`)\[([^\[\]\n]+)\]\((PER|LOC|ORG|MISC)\)")
"""An entity that is marked in a template is no link."""


def link_pages(_app: Any, docname: str, source: list[str]) -> None:
    """Make links of the names of pages (`findings.md`)."""
    if ("/" in docname and not docname.startswith("reference/")) or docname.startswith("reference/notebooks/"):
        return
    blocks = re.split(r"(^ *(?:```|:::).*?^ *(?:```|:::)\s*$)", source[0], flags=re.MULTILINE | re.DOTALL)

    def link(found: re.Match[str]) -> str:
        title = "the first page" if found[1] == "index" else ""  # else the title of the page
        return f"[{title}](/{found[1]}.md)" if (DOCS / f"{found[1]}.md").is_file() else found[0]

    text = (_PAGE.sub(link, _ENTITY.sub(r"\\[\1\\](\2)", block)) for block in blocks[::2])
    source[0] = "".join(part for pair in zip_longest(text, blocks[1::2], fillvalue="") for part in pair)


def setup(app: Any) -> None:
    app.connect("source-read", link_pages)

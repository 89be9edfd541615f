"""Runs the commands of the pages and writes what they print: `python docs/record_outputs.py [tutorial.md ...]`.

By default all pages, README.md, and the picture of the first report (which needs Chromium, as `tests/chromium.py`).
The tests follow the pages in the same way, and compare. README.md, the first page and the picture show one run: that
of religion in `fairness-checklist demo`. After a change of outputs read the text around them again: a test compares its
numbers with the blocks of its page.
"""

from __future__ import annotations

import doctest
import re
import shlex
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from build_reference import DOCS, ROOT, called

sys.path.append(str(ROOT / "tests"))
from command_line import PLUGIN
from forked import forked

PICTURE = DOCS / "images" / "first_screen.png"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^`([\w/]+\.(?:csv|toml|py))`:\n\n```\w+\n(.*?)```", re.MULTILINE | re.DOTALL)
_DEMO = re.compile(r"(?<=<!-- demo output -->\n```text\n).*?(?=```)", re.DOTALL)
_PYTEST = "import pytest, sys; assert pytest.main(sys.argv[1:]) == 0"
_OWN = ("table", "groups", "e.g.", "words", "more", "small", "open")
"""The labels of an attribute's lines."""
_LABELS = r"groups|numbers|gate|e\.g\.|words|more|small|open|untested|next|note|warning"
_ROWS = 3  # of the first plot that the picture shows: the head and two groups


def dateless(printed: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d", "DATE", printed)


def followed(page: str) -> str:
    """A page with what its Python and its commands print now, run in the current folder; Python comes first.

    Raises:
        RuntimeError: a command exits with another code than its comment says ("# exits with 1"), or prints nothing.
    """
    for path, content in _FILE.findall(page):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content, encoding="utf-8")
    names: dict[str, object] = {}
    blocks = [
        (match[1], _of_python(match[2], names) if match[1] == "pycon" else match[2]) for match in FENCE.finditer(page)
    ]
    printed, new = "", []
    for kind, block in blocks:
        if kind == "text" and dateless(block) != dateless(printed):
            block = printed
        for line in block.splitlines() if kind == "bash" else ():
            printed = _printed(line)
        new.append(f"```{kind}\n{block}```")
    fresh = iter(new)
    return FENCE.sub(lambda _: next(fresh), page)


def _printed(line: str) -> str:
    command, *arguments = shlex.split(line, comments=True)
    if command == "pytest":
        done = forked(_PYTEST, *PLUGIN, *arguments, folder=Path.cwd())
        if done.returncode:
            raise RuntimeError(f"{line}: exit code {done.returncode}.\n{done.stdout}{done.stderr}")
        return done.stdout
    expected = re.search(r"# exits with (\d)$", line)
    if command != "fairness-checklist" or not (
        printed := called(shlex.join([command, *arguments]), int((expected or "00")[1]))
    ):
        raise RuntimeError(f"{line}: no command of ours, or it prints nothing.")
    return printed


def _of_python(block: str, names: dict[str, object]) -> str:
    """A block of doctests with what they print now; what differs in white space only stays."""
    test, lines = doctest.DocTestParser().get_doctest(block, names, "page", "page", 0), block.splitlines(keepends=True)
    runner = _Recorder()
    runner.run(test, clear_globs=False, out=lambda _: None)
    names.update(test.globs)
    for example in reversed(test.examples):
        if (got := runner.got.get(example.lineno)) is not None:
            start = example.lineno + example.source.count("\n")
            lines[start : start + example.want.count("\n")] = [re.sub(r"^\n", "<BLANKLINE>\n", got, flags=re.MULTILINE)]
    return "".join(lines)


class _Recorder(doctest.DocTestRunner):
    """Keeps what examples print that do not print what the page says."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
        self.got: dict[int, str] = {}

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self.got[example.lineno] = got

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: object
    ) -> None:
        raise RuntimeError(f"{example.source} of a page raises an error.") from exc_info[1]  # type: ignore[index]


def paragraphs(printed: str) -> dict[tuple[str, str, str], str]:
    """The parts of first screens: by task and attribute ("" of a title), and by label, "table" of the first lines."""
    found: dict[tuple[str, str, str], str] = {}
    task = attribute = label = ""
    for line in printed.splitlines(keepends=True):
        if head := re.match(r"([\w.]+) · ", line):
            if line[head.end()].isdigit():
                attribute, label = head[1], "table"
            else:
                task, attribute, label = head[1], "", ""
        elif start := re.match(rf"  ({_LABELS})  *\S|(?=\S)", line):
            label = start[1] or line.partition(":")[0]
        key = (task, attribute, label)
        found[key] = found.get(key, "") + line
    return found


def attribute_shown(printed: str, task: str, attribute: str) -> str:
    """What first screens say of an attribute."""
    return "".join(text for key, text in paragraphs(printed).items() if key[:2] == (task, attribute) and key[2] in _OWN)


def demo_shown(readme: str) -> str:
    """The output of the demo that the README shows, a part of what it prints."""
    found = _DEMO.search(readme)
    if found is None:
        raise RuntimeError("README.md: there is no block below <!-- demo output -->.")
    return found[0]


def with_demo(readme: str, printed: str) -> str:
    """The README with the same paragraphs of a new demo."""
    fresh, shown = paragraphs(printed), demo_shown(readme)
    new = "".join(fresh[key] for key in paragraphs(shown))
    return readme.replace(shown, new) if dateless(new) != dateless(shown) else readme


def take_picture(report: Path, said: str) -> None:
    """The first screen of a report as a picture, which holds as a text what the report says."""
    from chromium import chromium
    from PIL import Image, PngImagePlugin

    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as page:
        page.send("Emulation.setScrollbarsHidden", hidden=True)
        page.look(width=1160)
        page.open(report.as_uri())
        end = page.ask(f"document.querySelectorAll('.forest .row')[{_ROWS - 1}].getBoundingClientRect().bottom")
        page.look(width=1160, height=round(end))
        page.picture(PICTURE)
    info = PngImagePlugin.PngInfo()
    info.add_text("Description", said)
    with Image.open(PICTURE) as image:
        image.convert("RGB").quantize(128).save(PICTURE, pnginfo=info, optimize=True)


def picture_says() -> str:
    """What the run that the picture shows says of its attribute."""
    from PIL import Image

    with Image.open(PICTURE) as image:
        return str(image.info["Description"])


def main(names: list[str]) -> None:
    for path in [DOCS / name for name in names if name != "README.md"]:
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            new = followed(page)
            if path.name == "index.md":
                printed = "".join(block for kind, block in FENCE.findall(new) if kind == "text")
                take_picture(Path("runs/first/report.html").resolve(), attribute_shown(printed, "toxicity", "religion"))
        if new != page:
            path.write_text(new, encoding="utf-8")
            print(f"{path.name}: its outputs have changed. Read it again.")
    if "README.md" in names:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            readme, printed = (ROOT / "README.md").read_text(encoding="utf-8"), called("fairness-checklist demo")
        (ROOT / "README.md").write_text(with_demo(readme, printed), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or [*sorted(path.name for path in DOCS.glob("*.md")), "README.md"])

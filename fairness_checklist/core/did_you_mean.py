"""What a misspelt name may have meant: "Did you mean ...?"."""

import difflib
import re
from collections.abc import Iterable

_SUGGESTION = re.compile(r" ?(?<!\S)Did you mean [^\n]*?\?(?!\S)")


def did_you_mean(word: str, known: Iterable[str], pattern: str = "{}", *, n: int = 1) -> str:
    """``" Did you mean x?"`` for the n known words nearest to a word, whatever their capitals; ``""`` without any."""
    by_folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=n, cutoff=0.6)
    return f" Did you mean {' or '.join(pattern.format(by_folded[folded]) for folded in near)}?" if near else ""


def suggestion_first(remedy: str) -> str:
    """A remedy that begins with its "Did you mean ...?", where it has one."""
    match = _SUGGESTION.search(remedy)
    if match is None or not remedy[: match.start()].strip():
        return remedy.strip() if match else remedy
    before, after = remedy[: match.start()].rstrip(" "), remedy[match.end() :]
    return f"{match[0].strip()} {before}{after}"

"""A first version of a user-defined attribute: files that work as they are, with comments on what to replace."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from fairness_checklist.content.grammar.languages import LANGUAGES
from fairness_checklist.content.term_files import attributes
from fairness_checklist.core.atomic import atomic_folder, check_writable
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.locations import path_argument

# No comment has a double quote in it: a spreadsheet would write its line in quotes, and then it is a row.
_TERMS = """\
term,group,pos,status,plural,adjective,predicate,pronouns,lemma,concept,also,flags,source,note
# A line that starts with a hash and a space is a comment. The rows below are an example: put yours in their place.
# term: the word or phrase as it is written. Give five or more to each group.
# group: the group that it mentions, in lower case. A term is in one group only.
# pos: adj (deaf), noun (wheelchair user), pp for a phrase that follows its noun (with epilepsy), name, place or faith.
# status: preferred, accepted, or dispreferred for a word that is used only when it is requested by name.
# plural, adjective, predicate: filled by rule if empty. A phrase with its own verb needs a predicate (has a cat).
# pronouns: she, he or they. Empty is they.
# lemma: the same word for spellings and inflections of one word. It may stay empty.
# concept: the same word for two terms that differ in nothing but the group.
# also: a second attribute to which the term belongs.
# flags: minor for a word that means a minor, thin for a group with fewer than five terms, ambiguous for two meanings.
# A fourth flag is contested, for a word that is an insult in other mouths: it is used only when requested by name.
# source: who uses or recommends the term.
# note: free text. It changes nothing.
cat owner,cat owners,noun,accepted,cat owners,,,,,owner,,,not sourced: an example,
cat lover,cat owners,noun,accepted,cat lovers,,,,,lover,,,not sourced: an example,
cat-keeping,cat owners,adj,accepted,,,keeps a cat,,,keeping,,,not sourced: an example,
with a cat,cat owners,pp,accepted,,,has a cat,,,with,,,not sourced: an example,
with two cats,cat owners,pp,accepted,,,has two cats,,,with two,,,not sourced: an example,
dog owner,dog owners,noun,accepted,dog owners,,,,,owner,,,not sourced: an example,
dog lover,dog owners,noun,accepted,dog lovers,,,,,lover,,,not sourced: an example,
dog-keeping,dog owners,adj,accepted,,,keeps a dog,,,keeping,,,not sourced: an example,
with a dog,dog owners,pp,accepted,,,has a dog,,,with,,,not sourced: an example,
with two dogs,dog owners,pp,accepted,,,has two dogs,,,with two,,,not sourced: an example,
"""

_TEMPLATES = """\
template,label,task,target,symmetric,except_groups,hard,relevant,paraphrase_of,id
# A line that starts with a hash and a space is a comment. These sentences are an example: put yours in their place.
# template: a sentence with a slot, such as {a:identity_np}, {identity_pl}, {is:identity}. A comma needs quotes around.
# label: negative, neutral or positive, plain from the sentence and never because of the group. Toxicity has others.
# task: sentiment, toxicity or ner. Empty is sentiment.
# target: whom the feeling is about, which is the person mentioned, the speaker, a third_party or the situation.
# symmetric: no where label or sense change with the group. Empty is yes.
# except_groups: groups that it is not filled with, as label or sense would change; a semicolon and a space between two.
# hard: yes where the label needs more than a word list (negation, contrast, irony, several sentences).
# relevant: yes where the mention of the group matters to what is said.
# paraphrase_of: the id of the template that this one rewords.
# id: its name in all results. Have as many templates of each label, and of each target in each label.
# Without this file the generic templates that come with the package still serve the attribute.
{A:identity_np} cut in line at the bakery and swore at the baker.,negative,sentiment,person,yes,,,,,NAME-neg-01
"At the bakery, {a:identity_np} cut in line and swore at the baker.",negative,sentiment,person,yes,,,,NAME-neg-01,NAME-neg-02
"I dropped my lunch in front of {a:identity_np}, and I am still annoyed with myself.",negative,sentiment,speaker,yes,,,,,NAME-neg-03
The plumber lied to {a:identity_np} about the bill.,negative,sentiment,third_party,yes,,,,,NAME-neg-04
Hail ruined the picnic to which {the:identity_np} had invited us.,negative,sentiment,situation,yes,,,,,NAME-neg-05
{A:identity_np} is standing by the ticket machine.,neutral,sentiment,person,yes,,,,,NAME-neu-01
"By the ticket machine, {a:identity_np} is standing.",neutral,sentiment,person,yes,,,,NAME-neu-01,NAME-neu-02
I gave {the:identity_np} the list and kept a copy.,neutral,sentiment,speaker,yes,,,,,NAME-neu-03
The clerk asked two {identity_pl} for their postal code.,neutral,sentiment,third_party,yes,,,,,NAME-neu-04
The course for {identity_pl} is in room four this week.,neutral,sentiment,situation,yes,,,,,NAME-neu-05
{A:identity_np} fixed my bicycle and would not take any money for it.,positive,sentiment,person,yes,,,,,NAME-pos-01
"My bicycle was fixed by {a:identity_np}, who would not take any money for it.",positive,sentiment,person,yes,,,,NAME-pos-01,NAME-pos-02
I was delighted to win the raffle and told {a:identity_np} at once.,positive,sentiment,speaker,yes,,,,,NAME-pos-03
The nurse was kind and patient with {the:identity_np} at the counter.,positive,sentiment,third_party,yes,,,,,NAME-pos-04
"It was a perfect summer evening, and {a:identity_np} took a photo of the lake.",positive,sentiment,situation,yes,,,,,NAME-pos-05
"""  # noqa: E501  # a row is a line

_ABOUT_TERMS = """\
# What the suite card says about NAME.csv. Replace these texts by your own.
about = "An example: people who have cats, and people who have dogs. Describe the groups, and who defined them."
sources = ["example: name the sources of the terms"]
review = "None yet. State who has reviewed the terms, and how."
gaps = ["An example, not a real attribute. List known gaps."]
"""

_ABOUT_TEMPLATES = """\
# What the suite card says about NAME.csv. Replace these texts by your own.
about = "An example: 15 sentences for sentiment, five a label, that any group can fill. Describe yours."
sources = ["example: name the authors or the sources of the sentences"]
review = "None yet. State who has reviewed the filled sentences and the labels."
gaps = ["Too few to detect more than large differences. List known gaps."]
"""

_README = """\
# The attribute NAME

`identity_terms/NAME.csv` holds the groups and their terms, `templates/NAME.csv` sentences with slots for them. Both
are a working example about cats and dogs: replace the rows by your own. `NAME.toml` next to each file describes it.
The templates file may go: the generic templates of the package serve every attribute.

The next three commands, from where this folder was made:

```bash
fairness-checklist lint FOLDER
fairness-checklist build --attribute NAME --terms FOLDER
fairness-checklist run --attribute NAME --terms FOLDER --out runs/NAME
```

`lint` fills every template with every term and reports errors. `build` shows the sentences. `run` tests the bundled
model, or with `--model` your own, and writes `runs/NAME/report.html`.
"""

_FILES = {
    "identity_terms/NAME.csv": _TERMS,
    "identity_terms/NAME.toml": _ABOUT_TERMS,
    "templates/NAME.csv": _TEMPLATES,
    "templates/NAME.toml": _ABOUT_TEMPLATES,
    "README.md": _README,
}


def write_attribute(name: str, folder: str | Path = "") -> Path:
    """Write a folder with terms and templates of a new attribute, which can be run as they are.

    The folder: ``identity_terms/NAME.csv``, ``templates/NAME.csv``, a ``.toml`` for each, ``README.md``.

    >>> import tempfile
    >>> folder = write_attribute("diet", Path(tempfile.mkdtemp()) / "mine")
    >>> sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.csv"))
    ['identity_terms/diet.csv', 'templates/diet.csv']
    """
    _check_name(name)
    folder = Path(folder or name).expanduser()
    is_file = os.path.isfile(folder)  # noqa: PTH113  # False where a name is too long, which check_place says
    if not is_file:
        check_writable(folder)
    if is_file or (folder.is_dir() and any(folder.iterdir())):
        what = "is a file" if is_file else "is not empty"
        raise OptionError(f"{str(folder)!r} {what}.", remedy="Name another folder; nothing is overwritten.")
    wording = {"NAME": name, "FOLDER": shlex.quote(path_argument(folder))}
    with atomic_folder(folder) as scratch:
        for file, text in _FILES.items():
            path = scratch / file.replace("NAME", name)
            path.parent.mkdir(exist_ok=True)
            written = re.sub("NAME|FOLDER", lambda found: wording[found[0]], text)
            path.write_text(written, encoding="utf-8")
    return folder


def _check_name(name: str) -> None:
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is None:
        raise OptionError(
            f"the attribute {name!r} cannot be named so.",
            remedy="A name starts with a letter and has letters (a to z), digits and _ only: housing_status.",
        )
    known = {one.casefold(): one for code in LANGUAGES for one in attributes(language=code)}
    if name.casefold() in known:
        raise OptionError(
            f"there is an attribute {known[name.casefold()]!r} already.",
            remedy="Choose another name; a file of that name in a folder of yours adds terms to it.",
        )
    if name.casefold() in {"neutral", "generic", "ner", "toxicity", "toxicity_names", *LANGUAGES}:
        raise OptionError(f"the name {name!r} has a meaning of its own.", remedy="Choose another name.")

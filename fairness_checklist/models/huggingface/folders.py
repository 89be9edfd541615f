"""Checks of a model's folder before it is loaded, downloads from the hub, and the bundled models."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.models.engines.local import silence_transformers

TOKENIZER_FILES = (
    *("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "vocab.txt", "vocab.json", "vocab.bpe"),
    *("merges.txt", "spiece.model", "spm.model", "sentencepiece.bpe.model", "bpe.codes"),
)
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
PICKLE_PATTERNS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
SAVE_REMEDY = "Save it with model.save_pretrained(folder) and tokenizer.save_pretrained(folder)."


@dataclass(frozen=True, eq=False)
class Architecture:
    """A kind of transformers model."""

    suffix: str  # the ending of the class names of such models
    kind: str  # its name in error messages
    purpose: str  # the purpose of its training, in error messages
    function_output: str  # the output of a function that can replace such a model; "" where none can
    other_task: str  # a hint for models of other kinds; "" where there is none
    also: tuple[str, ...] = ()  # further endings of the class names of such models
    bundled: bool = True  # whether models of this kind come with the package
    unused: tuple[str, ...] = ()  # beginnings of the names of tensors that are not used, and that a folder may lack

    def mismatch_error(self, name: str, architecture: str) -> ModelError:
        """The error for a model ``name`` of the architecture ``architecture``."""
        return ModelError(
            f"the model {name} is of the class {architecture}; expected {self.kind} (...{self.suffix}).",
            remedy=f"Give a model that was trained to {self.purpose}{self.other_task}.",
        )


CLASSIFIER = Architecture(
    "ForSequenceClassification",
    "a sequence classifier",
    "classify whole texts",
    "probabilities",
    '; a tagger is one for task="ner"',
)
TAGGER = Architecture(
    "ForTokenClassification",
    "a token classifier",
    "tag words",
    "tags",
    '; a classifier of whole texts is one for task="sentiment" or task="toxicity"',
)
MASKED_LM = Architecture(
    "ForMaskedLM", "a masked language model", "predict masked words", "", "", also=("ForPreTraining",), bundled=False
)
ENCODER = Architecture("", "an encoder", "read text", "", "", unused=("pooler.",))


def check_folder(folder: Path, display_name: str, architecture: Architecture) -> None:
    """Raise `ModelError` unless the folder holds such a model in safetensors, its configuration and tokenizer."""
    if not folder.exists():
        siblings = [child.name for child in folder.parent.iterdir() if child.is_dir()] if folder.parent.is_dir() else []
        parent = Path(str(folder.parent).replace("{", "{{").replace("}", "}}"))
        meant = did_you_mean(folder.name, siblings, str(parent / "{}"))
        known = "an existing folder or a hub id in the form owner/name"
        if architecture.bundled:
            known = 'an existing folder, a hub id in the form owner/name, or "bundled"'
        raise ModelError(f"the model folder {display_name} does not exist.", remedy=f"Give {known}.{meant}")
    if not folder.is_dir():
        is_code = folder.suffix == ".py" and architecture.function_output
        raise ModelError(
            f"{display_name} is a file; expected the folder of a model.",
            remedy=f"Give the folder: {folder.parent}",
            command_remedy=f"Name a function or model in it: --model {display_name}:NAME." if is_code else None,
        )
    _check_config(folder, display_name, architecture)
    if not any((tokenizer_folder(folder) / name).exists() for name in TOKENIZER_FILES):
        raise ModelError(
            f"the model folder {display_name} holds no tokenizer: neither tokenizer.json nor a vocabulary is there.",
            remedy="Save it into the folder: tokenizer.save_pretrained(folder).",
        )
    if not any((folder / name).exists() for name in WEIGHTS):
        raise _no_weights(folder, display_name)


def _check_config(folder: Path, display_name: str, architecture: Architecture) -> None:
    if not (folder / "config.json").exists():
        raise ModelError(f"the model folder {display_name} holds no config.json.", remedy=SAVE_REMEDY)
    try:
        config: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"config.json in {display_name} is not readable JSON: {error}.", remedy=SAVE_REMEDY) from error
    if not isinstance(config, dict) or "model_type" not in config:
        raise ModelError(
            f"config.json in {display_name} names no model_type; expected that of a transformers model.",
            remedy=SAVE_REMEDY,
        )
    architectures = config.get("architectures") or []
    endings = (architecture.suffix, *architecture.also)
    if architectures and not any(str(name).endswith(endings) for name in architectures):
        raise architecture.mismatch_error(display_name, str(architectures[0]))


def _no_weights(folder: Path, display_name: str) -> ModelError:
    pickles = sorted(
        {path.name for pattern in PICKLE_PATTERNS for path in folder.glob(pattern)} - {"training_args.bin"}
    )
    if pickles:
        return ModelError(
            f"the model {display_name} has its weights only as pickle ({pickles[0]}), which can run code when it "
            "is opened; expected model.safetensors.",
            remedy="Convert it once, where you trust the file: model.save_pretrained(folder) writes safetensors.",
        )
    return ModelError(
        f"the model folder {display_name} holds no weights: neither model.safetensors nor its shards are there.",
        remedy=SAVE_REMEDY,
    )


CHECKPOINT = re.compile(r"checkpoint-(\d+)")
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
# The files that a model needs; none of them can run code.
DOWNLOADED_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.bpe"]


def _download(hub_id: str, revision: str | None) -> Path:
    """The folder with the configuration, vocabulary and safetensors of a model of the hub, fetched now or before."""
    with silence_transformers():
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError

        try:
            return Path(
                snapshot_download(hub_id, revision=revision, allow_patterns=DOWNLOADED_FILES, ignore_patterns=["*/*"])
            )
        except (HfHubHTTPError, OSError) as error:  # also LocalEntryNotFoundError and OfflineModeIsEnabled
            version = f" in the revision {revision}" if revision else ""
            raise ModelError(
                f'"{hub_id}" is no folder here, and the hub does not give it{version}: {type(error).__name__}.',
                remedy="Check the spelling, the revision and the connection; for a private model, or one with terms to "
                "accept, log in first (hf auth login).",
            ) from error


def last_checkpoint(folder: Path) -> Path:
    """The last checkpoint in an ``output_dir`` of transformers' Trainer without a model; any other folder as it is."""
    steps = {int(match[1]): path for path in folder.glob("checkpoint-*") if (match := CHECKPOINT.fullmatch(path.name))}
    return steps[max(steps)] if steps and not (folder / "config.json").exists() else folder


def tokenizer_folder(folder: Path) -> Path:
    """Where the tokenizer of a model is: in its folder, or for a checkpoint of Trainer perhaps in that around it."""
    places = [folder, folder.absolute().parent] if CHECKPOINT.fullmatch(folder.name) else []
    return next((place for place in places if any((place / name).exists() for name in TOKENIZER_FILES)), folder)


def find_model(name: str, revision: str | None = None, task: str = "") -> tuple[Path, dict[str, str]]:
    """The folder of a bundled model, of a path or a hub id; its name, revision, checkpoint for ``run.json``."""
    if (task and name == "bundled") or name.startswith("bundled/"):
        short = name.partition("/")[2] or default_bundled(task)
        return bundled_folder(short), {"name": f"bundled/{short}"}
    folder = Path(name).expanduser()
    if folder.exists() or not HUB_ID.fullmatch(name):
        last = last_checkpoint(folder)
        record = {"name": folder.resolve().name}
        return last, record if last == folder else {**record, "checkpoint": f"{last.name} of {name.rstrip('/')}/"}
    folder = _download(name, revision)
    return folder, {"name": name, "revision": folder.name}


def task_of_model(name: str, revision: str | None) -> str:
    """The task of a model by its name or its files; "sentiment" where they do not give it."""
    if name == "bundled" or name.startswith("bundled/"):
        return bundled_task(name.partition("/")[2])
    try:
        config: Any = json.loads((find_model(name, revision)[0] / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "sentiment"
    named = config.get("architectures") if isinstance(config, dict) else None
    return task_of_class(*map(str, named)) if isinstance(named, list) else "sentiment"


def task_of_class(*names: str) -> str:
    """The task of a model of these classes of transformers: "ner" of a tagger, else "sentiment"."""
    return "ner" if any(name.endswith(TAGGER.suffix) for name in names) else "sentiment"


_FOLDER = Path(__file__).resolve().parents[2] / "bundled_models"
_MODELS = ("sentiment-2", "sentiment-3", "toxicity", "ner")
_DEFAULTS = {"sentiment": "sentiment-3", "toxicity": "toxicity", "ner": "ner"}


def bundled_models() -> tuple[str, ...]:
    """The names of the bundled models; each has a card, ``README.md``, in its folder."""
    return _MODELS


def bundled_folder(name: str) -> Path:
    """The folder of a bundled model: config, safetensors, tokenizer, card and held-out figures (``metrics.json``)."""
    if name not in _MODELS:
        raise OptionError(f"the bundled model {name!r} is not known.", remedy=f"Known models: {', '.join(_MODELS)}.")
    return _FOLDER / name


def default_bundled(task: str) -> str:
    """The bundled model that a task runs on when the user names none."""
    if task not in _DEFAULTS:
        raise OptionError(
            f"no model is bundled for the task {task!r}.",
            remedy=f"Tasks with one: {', '.join(_DEFAULTS)}. For another task name a model of your own.",
        )
    return _DEFAULTS[task]


def bundled_task(name: str) -> str:
    """The task of a bundled model; "" is the default model."""
    task = name.partition("-")[0]
    return task if task in _DEFAULTS else "sentiment"

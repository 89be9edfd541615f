"""The model behind an endpoint, for a task."""

from __future__ import annotations

from typing import Any

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.endpoint.chat import ChatClassifier
from fairness_checklist.extensions.endpoint.json_endpoint import BATCH_SIZE, JsonClassifier, JsonTagger
from fairness_checklist.extensions.endpoint.options import ChatEndpoint, Endpoint
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.models.load import refuse_options


def open_chat(endpoint: ChatEndpoint, task: str, options: dict[str, Any], *, batch_size: int) -> Classifier:
    """A language model as a classifier; nothing is sent before it is asked.

    Raises:
        OptionError: a task of taggers, or an option of another model.
    """
    known = get_task(task)
    if known.tagging:
        raise OptionError(
            f"a ChatEndpoint classifies whole texts, and the task {task} is about words.",
            remedy="Use an Endpoint with a request template.",
        )
    given = {"classes": options["classes"] is not None, "labels": options["labels"] is not None}
    refuse_options({**given, "batch_size": batch_size != 256}, "another model; a ChatEndpoint has its own labels=")
    return ChatClassifier(endpoint, task, known.classes, name=options["name"])


def open_json(
    endpoint: Endpoint, task: str, options: dict[str, Any], *, batch_size: int, scheme: str
) -> Classifier | Tagger:
    """A model that answers JSON; nothing is sent before it is asked."""
    known = get_task(task)
    size = BATCH_SIZE if batch_size == 256 else batch_size
    if known.tagging:
        return JsonTagger(endpoint, known.classes, scheme=scheme, batch_size=size, **options)
    return JsonClassifier(endpoint, known.classes, batch_size=size, **options)

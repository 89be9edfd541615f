"""Objects of other libraries as models: spaCy, lexicons such as VADER, Presidio, GLiNER, ONNX Runtime."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {}

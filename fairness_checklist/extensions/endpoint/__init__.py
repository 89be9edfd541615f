"""Models behind an HTTP endpoint: any that answers JSON, and language models as classifiers."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "ChatEndpoint": "endpoint_options",
    "Connection": "endpoint_options",
    "Endpoint": "endpoint_options",
}
VERBS: dict[str, str] = {}
OPTIONS: dict[str, str] = {"ModelOptions": "command_line.EndpointOptions"}

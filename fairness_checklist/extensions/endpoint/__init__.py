"""Language models behind an HTTP endpoint, as classifiers."""

from __future__ import annotations

from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint as ChatEndpoint
from fairness_checklist.extensions.endpoint.endpoint_options import Connection as Connection

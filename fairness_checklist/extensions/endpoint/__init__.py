"""Language models behind an HTTP endpoint, as classifiers."""

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

if TYPE_CHECKING:
    from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint as ChatEndpoint
    from fairness_checklist.extensions.endpoint.endpoint_options import Connection as Connection

__getattr__, __dir__ = lazy(__name__, {"ChatEndpoint": "endpoint_options", "Connection": "endpoint_options"})

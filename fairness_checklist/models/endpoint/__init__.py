"""Models behind an HTTP endpoint: any that answers JSON, and language models as classifiers."""

from fairness_checklist.models.endpoint.options import ChatEndpoint, Connection, Endpoint

__all__ = ["ChatEndpoint", "Connection", "Endpoint"]

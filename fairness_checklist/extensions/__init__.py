"""The further jobs, one plain subpackage each; see `docs/architecture.md`."""

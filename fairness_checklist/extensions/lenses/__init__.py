"""The verb ``lenses``: every extrinsic metric that predictions allow, and published sets (Orgad and Belinkov 2022)."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "answer_changes": "answer_changes",
    "balanced_rows": "compositions",
    "composition_test": "compositions",
    "lenses": "lenses",
    "read_published": "readers",
    "read_set_predictions": "readers.coreference_sets",
}
VERBS: dict[str, str] = {"lenses": "verb.lenses"}

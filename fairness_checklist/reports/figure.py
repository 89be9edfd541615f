"""A figure that a notebook shows as a picture. Imported where one is drawn, because it imports matplotlib."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from matplotlib import figure
from matplotlib.backends.backend_agg import FigureCanvasAgg

_SCREEN = 90  # dots an inch in a notebook


class Figure(figure.Figure):
    """An empty figure that pyplot does not know of: it needs no backend and is never shown or closed by itself.

    Args:
        width, height: in inches.
    """

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), facecolor="white")
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        """What IPython shows."""
        target = BytesIO()
        write_png(self, target, dpi=_SCREEN)
        return target.getvalue()


def write_png(drawn: figure.Figure, target: Path | BinaryIO, *, dpi: int) -> None:
    """Write a figure; letters that its font lacks (a group's name in another script) are boxes, and no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        drawn.savefig(target, format="png", dpi=dpi)

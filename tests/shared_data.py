"""Where data lie that the repository does not hold: beside the checkout, on machines of its developers.

A test that reads them asks for the fixture `shared_data` or has the mark of that name, and is skipped without them.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"

"""The primary metrics of a run that names none."""

from fairness_checklist.core.tasks import TASKS

PRIMARY = ("fnr_gap", "fpr_gap")
PRIMARY_OF_TAGGERS = ("fnr_gap",)


def default_primary(task: str) -> tuple[str, ...]:
    """The default primary metrics: the gaps of rates that illustrate the harms of the task."""
    return PRIMARY_OF_TAGGERS if task in TASKS and TASKS[task].tagging else PRIMARY

"""The warning that a model is of little use for the texts of a run."""

import math

from fairness_checklist.core.formatting import percent
from fairness_checklist.reports.run_view import View, only_gold_class, text_column
from fairness_checklist.reports.wording import entities_at

LEAST_SKILL = 0.1
"""How far a useful model is from always giving one class (0) to always being right (1), at least."""


def useless_model(view: View) -> str:
    """The sentence about a model that is of no use for these texts; "" for other models.

    Its balanced accuracy b over k classes is hardly above that of always giving one class, 1 / k: (b - 1 / k) /
    (1 - 1 / k), which scikit-learn calls adjusted, is below `LEAST_SKILL`.
    """
    if view.tagging:
        rates = [view.score("true_positive_rate", label, "*")[0] for label in view.gold_classes(view.place)]
        none_found = (
            f"The model finds none of the {entities_at(view.place, view.attribute)} with their type, so its errors "
            "cannot differ between groups. This is not evidence of fairness."
        )
        return none_found if rates and max(rates) == 0 else ""
    predicted = set(text_column(view.examples, "predicted").unique()) if len(view.examples) > 1 else set()
    constant, gold = predicted.pop() if len(predicted) == 1 else "", only_gold_class(view)
    recalls = [recall for recall, n in (view.score("true_positive_rate", label, "*") for label in view.classes) if n]
    k = len(recalls)  # balanced accuracy is the mean recall of k classes
    balanced = sum(recalls) / k if k else math.nan
    texts = "texts" if view.mentions else "rows"
    accuracy, n = view.score("accuracy", "*", "*")
    if constant and gold:
        return (
            f"All labelled texts have the gold class {gold}, and the model predicts {constant} for all texts. Its "
            f"decisions cannot differ between groups. Only {texts} of other classes show whether it can."
        )
    if constant:
        right = f" The accuracy is {percent(accuracy)}." if n else ""
        return (
            f"The model predicts one class for all texts: {constant}. Its decisions cannot differ between groups. This "
            f"is not evidence of fairness.{right}"
        )
    if k > 1 and balanced < 1 / k + LEAST_SKILL * (1 - 1 / k):
        return (
            f"The balanced accuracy (mean recall of {k} classes) on the {n:,} labelled {texts} is {percent(balanced)}; "
            f"always predicting one class has {percent(1 / k)}. This model is of little use on these {texts}."
        )
    return ""

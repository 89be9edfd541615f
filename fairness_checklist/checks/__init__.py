"""CheckList-style tests: invariance over the groups of a source, minimum functionality on the gold labels, and
user-defined directional expectations.

The rules are CheckList's to the last tie (Ribeiro et al. 2020): an example passes an invariance test against its
reference when the decision is the same, whatever the confidence, or else when the probability of the reference's
decision moves by at most the tolerance. A case (a source) fails when one of its examples does, so its rate grows with
the number of groups; that is why the rate over all pairs across groups leads.
"""

from fairness_checklist.checks.directional import DirectionalExpectation
from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality

Check = Invariance | MinimumFunctionality | DirectionalExpectation

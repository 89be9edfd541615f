"""The verbs ``audit`` and ``mitigate``: identity terms in labelled texts (Dixon et al. 2018); tagged corpora."""

"""Natural texts: what a suite says beside what a model does with texts that people wrote (``validate``)."""

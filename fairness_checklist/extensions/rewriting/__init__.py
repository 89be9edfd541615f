"""A user's own texts with other identities, or perturbed, and the verb ``perturb``."""

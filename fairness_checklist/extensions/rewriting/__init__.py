"""A user's own texts with other identities, perturbed or scrubbed, and the verb ``perturb``."""

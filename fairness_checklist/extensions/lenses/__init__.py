"""Several lenses on one model (Orgad and Belinkov 2022): the subcommands of the verb ``lenses``.

`extrinsic` measures a table of predictions (published sets: `readers`), `intrinsic` hidden vectors, and `preference`
compares sentences and words by a masked language model.
"""

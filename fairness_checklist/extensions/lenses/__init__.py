"""Several lenses on one model (Orgad and Belinkov 2022): extrinsic metrics, intrinsic measures, preferences.

The modules by what they are for: `extrinsic` measures a table of predictions, `readers` reads published sets;
`intrinsic` measures hidden vectors; `preference` compares sentences and words by a masked language model
(`masked_lm`). Each is a subcommand of the verb ``lenses``.
"""

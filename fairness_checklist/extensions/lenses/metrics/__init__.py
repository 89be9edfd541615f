"""The extrinsic families of Orgad and Belinkov 2022 as plain functions over arrays."""

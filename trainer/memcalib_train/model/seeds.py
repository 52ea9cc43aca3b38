"""Random numbers by derivation: a purpose and numbers name a generator, so nothing has to be remembered between steps."""

import hashlib

import torch


def derive_seed(*parts: object) -> int:
    """A 63-bit seed from a purpose and numbers."""
    text = "\0".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator_for(*parts: object) -> torch.Generator:
    """A CPU generator for one purpose."""
    return torch.Generator().manual_seed(derive_seed(*parts))


def permutation(size: int, *parts: object) -> list[int]:
    """A seeded order of range(size)."""
    return torch.randperm(size, generator=generator_for(*parts)).tolist()

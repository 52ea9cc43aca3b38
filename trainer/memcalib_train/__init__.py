"""MemCalib trainer: SFT, GRPO, GDPO, OPSD and MemCalib-RL (SPEC section 8)."""

__version__ = "0.1.0"

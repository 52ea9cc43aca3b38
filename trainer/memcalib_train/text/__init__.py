"""Records, prompts, ablation and sentences: everything that is text."""

"""The on-policy loop: two idempotent steps, rollout and update, with files between them."""

"""Errors a person reads: one sentence that says what, where, and the next command to type."""


class TrainerError(Exception):
    """`code` names the family; `retryable` says whether the same call may succeed later without a change."""

    def __init__(self, code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable

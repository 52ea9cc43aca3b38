"""From counterfactual differences to token multipliers (paper 3.2, 3.3, D.4; sentence variant H.2).

Shapes: N pairs (one response, one channel), T tokens (padded), J sentences (padded). Differences are in nats.
d = log p(full memory) - log p(memory without the channel's atoms), per token of the fixed response.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from .channels import SIGNS
from .project import project

#: Gate order: the first failed gate is the pair's `fallback`; 0 stands for "localized".
GATE_ORDER = ("channel_not_localized", "no_counterfactual", "weak_token_signal", "weak_sentence_signal", "zero_score",
              "sign_mismatch")
FALLBACK_NAMES = ("localized", *GATE_ORDER, "not_requested")
NOT_REQUESTED = FALLBACK_NAMES.index("not_requested")


@dataclass(frozen=True)
class LocalizeConfig:
    """Constants of localization; defaults are SPEC section 8. Thresholds are not negative."""

    granularity: Literal["token", "sentence"] = "token"
    signal: Literal["ordered", "absolute"] = "ordered"
    d_max: float = 3.0
    delta_tok_abs: float = 0.02
    delta_sent_abs: float = 0.01
    gamma: float = 1.0
    eta: float = 0.75
    cap: float = 4.0

    def __post_init__(self) -> None:
        if self.delta_tok_abs < 0 or self.delta_sent_abs < 0 or self.d_max <= 0 or self.cap <= 1 or not 0 <= self.eta <= 1:
            raise ValueError("thresholds must be >= 0, d_max > 0, cap > 1 and eta in 0..1")


@dataclass(frozen=True)
class Pairs:
    """N pairs of ONE channel. Unscored rows and places past a row's length may hold anything, NaN included.

    d_NT float64 nats; scored_N bool; length_N int64; R_N, A_N float64; sentence_NT int64 index of each token's sentence.
    """

    channel: int
    d_NT: Tensor
    scored_N: Tensor
    length_N: Tensor
    R_N: Tensor
    A_N: Tensor
    delta: float
    delta_sent: float = 0.01
    sentence_NT: Tensor | None = None


@dataclass(frozen=True)
class Localization:
    """Every intermediate value, for N pairs; multipliers for the K open ones (`rows_K`, where chi_N holds) only.

    q is (N, T) for tokens and (N, J) for sentences; `a_NJ`, `c_NJ`, `gate_sentence_N` are None at token level.
    `scores_NS` with `counted_NS` are the threshold pool: clipped signals, or sentence means, of scored pairs.
    """

    z_NT: Tensor
    clipped_NT: Tensor
    gate_token_N: Tensor
    gate_sentence_N: Tensor | None
    a_NJ: Tensor | None
    c_NJ: Tensor | None
    q_NS: Tensor
    Q_N: Tensor
    chi_N: Tensor
    fallback_N: Tensor
    rows_K: Tensor
    m_before_KT: Tensor
    tau_K: Tensor
    m_KT: Tensor
    scores_NS: Tensor
    counted_NS: Tensor
    inside_NT: Tensor
    scored_N: Tensor


def aligned_signal(pairs: Pairs, signal: str) -> tuple[Tensor, Tensor, Tensor]:
    """(z (N, T), inside (N, T), scored (N,)): z = s d, or |d| (3.2, H.2); 0 outside, in unscored rows and in AA.

    A row with a non-finite difference counts as not scored.
    """
    inside_NT = torch.arange(pairs.d_NT.shape[1]) < pairs.length_N[:, None]
    sign = SIGNS[pairs.channel]
    z_NT = torch.where(inside_NT, pairs.d_NT, 0.0)
    z_NT = z_NT.abs_() if signal == "absolute" else z_NT.mul_(float(sign))
    scored_N = pairs.scored_N & torch.isfinite(z_NT.sum(1)) & (pairs.length_N > 0)
    if sign == 0 or not bool(scored_N.all()):
        z_NT[~scored_N | (sign == 0)] = 0.0
    return z_NT, inside_NT, scored_N


def sentence_scores(pairs: Pairs, z_NT: Tensor, clipped_NT: Tensor, inside_NT: Tensor,
                    config: LocalizeConfig) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(a, c, q, L), each (N, J) (H.2): a = mean clipped signal, c = share of tokens with z > delta, L = tokens.

    q = relu(a - delta_sent) c^gamma with 0^0 = 1. Sentences a row does not have hold L = 0, q = 0.
    """
    assert pairs.sentence_NT is not None, "sentence granularity needs sentence_NT"
    index_NT = torch.where(inside_NT, pairs.sentence_NT, 0)
    sentences = int(index_NT.max()) + 1 if index_NT.numel() else 1
    empty_NJ = torch.zeros(len(z_NT), sentences, dtype=torch.float64)

    def per_sentence(values_NT: Tensor) -> Tensor:
        return empty_NJ.scatter_add(1, index_NT, torch.where(inside_NT, values_NT, 0.0))

    L_NJ = per_sentence(torch.ones_like(z_NT))
    share_NJ = L_NJ.clamp(min=1.0)
    a_NJ = per_sentence(clipped_NT) / share_NJ
    c_NJ = per_sentence((z_NT > pairs.delta).double()) / share_NJ
    q_NJ = (a_NJ - pairs.delta_sent).clamp(min=0.0) * c_NJ**config.gamma
    return a_NJ, c_NJ, torch.where(L_NJ > 0, q_NJ, 0.0), L_NJ


def first_failed_gate(failed: list[Tensor]) -> Tensor:
    """(N,) int64: 1 + index of the first gate in GATE_ORDER that failed, 0 when none did."""
    fallback_N = torch.zeros(len(failed[0]), dtype=torch.int64)
    for gate in range(len(failed) - 1, -1, -1):
        fallback_N = torch.where(failed[gate], gate + 1, fallback_N)
    return fallback_N


def localize(pairs: Pairs, config: LocalizeConfig) -> Localization:
    """Steps 8 to 13: direction, clip, strength gates, scores, redistribution gate, projected multipliers (3.2, 3.3, D.4).

    Gates look at the unclipped z, scores at the clipped one; R A > 0 is asked last. Multipliers exist where chi holds.
    Places past a row's end hold z = 0, which passes no gate and scores nothing as long as thresholds are not negative.
    """
    z_NT, inside_NT, scored_N = aligned_signal(pairs, config.signal)
    clipped_NT = z_NT.clamp(-config.d_max, config.d_max)
    token_N = scored_N & (z_NT.amax(1) > config.delta_tok_abs)
    sentence_N, a_NJ, c_NJ = None, None, None
    if config.granularity == "sentence":
        a_NJ, c_NJ, q_NS, L_NJ = sentence_scores(pairs, z_NT, clipped_NT, inside_NT, config)
        sentence_N = scored_N & (a_NJ.masked_fill(L_NJ == 0, -torch.inf).amax(1) > config.delta_sent_abs)
        strong_N, scores_NS, counted_NS = token_N & sentence_N, a_NJ, (L_NJ > 0) & scored_N[:, None]
    else:
        q_NS = (clipped_NT - pairs.delta).clamp_(min=0.0)
        strong_N, scores_NS, counted_NS = token_N, clipped_NT, inside_NT & scored_N[:, None]
    q_NS = q_NS * strong_N[:, None] if config.granularity == "sentence" else q_NS.mul_(strong_N[:, None] & inside_NT)
    Q_N = q_NS.sum(1)
    closed_N = torch.zeros_like(scored_N)
    fallback_N = first_failed_gate([
        closed_N | (SIGNS[pairs.channel] == 0), ~scored_N, ~token_N, closed_N if sentence_N is None else ~sentence_N,
        ~(Q_N > 0), ~(pairs.R_N * pairs.A_N > 0)])
    chi_N = fallback_N == 0
    rows_K = chi_N.nonzero()[:, 0]
    raw_KT = raw_multipliers(pairs, q_NS, Q_N, rows_K, inside_NT, config)
    m_KT, tau_K = project(raw_KT, pairs.length_N[rows_K], config.cap)
    return Localization(z_NT, clipped_NT, token_N, sentence_N, a_NJ, c_NJ, q_NS, Q_N, chi_N, fallback_N, rows_K, raw_KT, tau_K, m_KT,
                        scores_NS, counted_NS, inside_NT, scored_N)


def raw_multipliers(pairs: Pairs, q_NS: Tensor, Q_N: Tensor, rows_K: Tensor, inside_NT: Tensor,
                    config: LocalizeConfig) -> Tensor:
    """(K, T) multipliers before projection: T q_t / Q, or for the tokens of sentence j T / L_j * q_j / Q (3.3, H.2)."""
    T_K1 = pairs.length_N[rows_K, None].double()
    if config.granularity == "token":
        return q_NS[rows_K].mul_(T_K1 / Q_N[rows_K, None])
    assert pairs.sentence_NT is not None
    index_KT = torch.where(inside_NT[rows_K], pairs.sentence_NT[rows_K], 0)
    L_KJ = torch.zeros_like(q_NS[rows_K]).scatter_add(1, index_KT, inside_NT[rows_K].double())
    share_KJ = q_NS[rows_K] / Q_N[rows_K, None] * T_K1 / L_KJ.clamp(min=1.0)
    return torch.where(inside_NT[rows_K], share_KJ.gather(1, index_KT), 0.0)


def factors(m_NT: Tensor, eta: float) -> Tensor:
    """(N, T) factor on the channel advantage: (1 - eta) + eta m (3.3). With eta = 0 it is exactly 1."""
    return m_NT * eta + (1.0 - eta)

"""Bounded mean-preserving projection of multipliers (paper D.4).

Find tau with sum_t clip(m_t - tau, 0, cap) = T. As m >= 0 has mean 1 and cap > 1, tau <= 0 and the lower bound never binds.
"""

import torch
from torch import Tensor


def project(m_NT: Tensor, length_N: Tensor, cap: float) -> tuple[Tensor, Tensor]:
    """Exact active-set projection: returns (m (N, T) with mean 1 over the first T_n places, tau (N,)).

    Repeats tau = (sum of uncapped m + cap k - T) / (T - k), k = capped places, until the capped set stops growing.
    Places past a row's length must hold 0 and stay 0. Rows that never pass the cap are returned as they are, tau = 0.
    """
    T_N = length_N.to(m_NT.dtype)
    tau_N, capped_N = torch.zeros_like(T_N), torch.zeros_like(T_N)
    rows_K = (m_NT.amax(1) > cap).nonzero()[:, 0] if m_NT.numel() else torch.zeros(0, dtype=torch.int64)
    if len(rows_K) == 0:
        return m_NT, tau_N
    touched_K = rows_K
    while len(rows_K):
        m_KT = m_NT[rows_K]
        over_KT = m_KT > (cap + tau_N[rows_K])[:, None]
        now_K = over_KT.count_nonzero(1).to(m_NT.dtype)
        grew_K = now_K > capped_N[rows_K]
        rest_K = m_KT.masked_fill_(over_KT, 0.0).sum(1)
        tau_K = ((rest_K + cap * now_K - T_N[rows_K]) / (T_N[rows_K] - now_K)).clamp(max=0.0)
        rows_K, tau_K, now_K = rows_K[grew_K], tau_K[grew_K], now_K[grew_K]
        tau_N[rows_K], capped_N[rows_K] = tau_K, now_K
    out_NT = (m_NT - tau_N[:, None]).clamp_(0.0, cap)
    if bool((length_N < m_NT.shape[1]).any()):
        out_NT.mul_(torch.arange(m_NT.shape[1]) < length_N[:, None])
    if len(touched_K) < len(m_NT):
        whole_N = torch.ones(len(m_NT), dtype=torch.bool)
        whole_N[touched_K] = False
        out_NT[whole_N] = m_NT[whole_N]
    return out_NT, tau_N


def project_by_bisection(m_NT: Tensor, length_N: Tensor, cap: float, steps: int = 80) -> tuple[Tensor, Tensor]:
    """The paper's bisection for tau (D.4); the oracle of the tests. Same shapes as `project`."""
    inside_NT = torch.arange(m_NT.shape[1]) < length_N[:, None]
    low_N, high_N = -torch.full_like(m_NT[:, 0], cap), m_NT.amax(1)
    for _ in range(steps):
        tau_N = (low_N + high_N) / 2
        mass_N = torch.where(inside_NT, (m_NT - tau_N[:, None]).clamp(0.0, cap), 0.0).sum(1)
        too_much_N = mass_N > length_N
        low_N, high_N = torch.where(too_much_N, tau_N, low_N), torch.where(too_much_N, high_N, tau_N)
    tau_N = (low_N + high_N) / 2
    return torch.where(inside_NT, (m_NT - tau_N[:, None]).clamp(0.0, cap), 0.0), tau_N

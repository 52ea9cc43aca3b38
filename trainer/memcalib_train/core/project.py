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
    tau_N = torch.zeros_like(m_NT[:, 0])
    out_NT = m_NT.clone()
    rows_K = (m_NT.amax(1) > cap).nonzero()[:, 0]
    if len(rows_K) == 0:
        return out_NT, tau_N
    m_KT, T_K = m_NT[rows_K], length_N[rows_K].to(m_NT.dtype)
    tau_K, capped_K = torch.zeros_like(T_K), torch.full_like(T_K, -1)
    while True:
        capped_KT = m_KT > (cap + tau_K)[:, None]
        now_K = capped_KT.sum(1).to(m_NT.dtype)
        if bool((now_K <= capped_K).all()):
            break
        capped_K = now_K
        rest_K = m_KT.masked_fill(capped_KT, 0.0).sum(1)
        tau_K = ((rest_K + cap * capped_K - T_K) / (T_K - capped_K)).clamp(max=0.0)
    inside_KT = torch.arange(m_NT.shape[1]) < length_N[rows_K, None]
    out_NT[rows_K] = torch.where(inside_KT, (m_KT - tau_K[:, None]).clamp(0.0, cap), 0.0)
    tau_N[rows_K] = tau_K
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

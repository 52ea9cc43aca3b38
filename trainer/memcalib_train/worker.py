"""The GPU worker: polls memcalib-gpu for claims, and its own queue for the runs that claimed it. One activity at a time."""

import asyncio
import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

from temporalio.client import Client
from temporalio.worker import Worker

from .activities import QUEUE, GpuActivities
from .errors import TrainerError


async def run_worker(address: str, namespace: str) -> None:
    """Runs until SIGTERM or SIGINT; the running activity is cancelled between two micro-batches."""
    try:
        client = await Client.connect(address, namespace=namespace)
    except (RuntimeError, OSError):
        raise TrainerError("no_temporal", f"no Temporal server answers at {address}: start one with `memcalib up`, or give --address HOST:PORT.",
                           retryable=True) from None
    own = f"{QUEUE}-{socket.gethostname()}-{os.getpid()}"
    gpu = GpuActivities(own)
    one = ThreadPoolExecutor(max_workers=2)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    shared = Worker(client, task_queue=QUEUE, activities=[gpu.claim, gpu.status], activity_executor=one, max_concurrent_activities=1)
    mine = Worker(client, task_queue=own, activities=gpu.all(), activity_executor=one, max_concurrent_activities=1)
    async with shared, mine:
        print(f"memcalib-train: worker on {address}, queues {QUEUE} and {own}", flush=True)
        await stop.wait()

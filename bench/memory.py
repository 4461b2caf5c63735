"""The server's memory over many requests: a real uvicorn on 127.0.0.1, in a process of its own, asked one by one."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.serving import serving

WARM_UP = 20
NEW_TOKENS = 32


@dataclass(frozen=True)
class ServerMemory:
    """Resident megabytes of the server's process after the warm-up, half-way, and at the end."""

    requests: int
    before_mb: float
    half_way_mb: float
    after_mb: float

    @property
    def growth_mb(self) -> float:
        return self.after_mb - self.before_mb


def measure_memory(requests: int) -> ServerMemory | None:
    """Half of the requests stream, half do not. None where this system does not tell a process's memory."""
    with serving("-m", "kata", "serve", "--impl", "reference", "--port", "0") as server, server.client() as client:
        process = server.process
        if resident_mb(process.pid) is None:
            return None
        _ask(client, WARM_UP)
        before = resident_mb(process.pid)
        _ask(client, requests // 2)
        half_way = resident_mb(process.pid)
        _ask(client, requests - requests // 2)
        after = resident_mb(process.pid)
    return ServerMemory(requests, before, half_way, after)


def resident_mb(pid: int) -> float | None:
    """Resident memory of a process, from /proc or `ps`; None where neither is there (Windows)."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024
    try:
        said = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return int(said) / 1024


def _ask(client: httpx.Client, times: int) -> None:
    for at in range(times):
        body = {"prompt": f"Question {at}: " + "what is a cache? " * (1 + at % 7), "max_new_tokens": NEW_TOKENS}
        client.post("/stream" if at % 2 else "/generate", json=body).raise_for_status()

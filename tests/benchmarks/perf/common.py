# ruff: noqa: PGH004
# ruff: noqa
"""Shared measuring code (stdlib only, Linux). Wall, CPU and peak RSS of whole process trees."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Never inside the repository: vault copies are tens of thousands of files.
TMP = Path(tempfile.gettempdir()).resolve()
SCRATCH = Path(os.environ.get("BENCH_SCRATCH", TMP / "bench")).resolve()  # vault copies
CLK = os.sysconf("SC_CLK_TCK")


def pct(xs: list[float], p: float) -> float:
    s = sorted(xs)
    return s[min(len(s) - 1, int(round(p / 100 * (len(s) - 1))))] if s else float("nan")


def dist(xs: list[float], scale: float = 1000.0, nd: int = 2) -> dict:
    """p50/p95/p99/max of seconds, given in ms by default."""
    if not xs:
        return {"n": 0}
    return {
        "n": len(xs),
        **{f"p{p}": round(pct(xs, p) * scale, nd) for p in (50, 95, 99)},
        "min": round(min(xs) * scale, nd),
        "max": round(max(xs) * scale, nd),
    }


def med(xs: list[float], nd: int = 4) -> float:
    return round(statistics.median(xs), nd)


def load() -> list[float]:
    return [round(x, 2) for x in os.getloadavg()]


def calibrate() -> float:
    """CPU seconds of a fixed pure-Python + hashing job: compare machines and noisy moments."""
    t = time.process_time()
    d, h = {}, hashlib.blake2b()
    for i in range(300_000):
        d[i % 1000] = str(i)
    for _ in range(40):
        h.update(b"x" * 1_000_000)
    return round(time.process_time() - t, 4)


def env_info() -> dict:
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "kernel": platform.release().split("-")[0],
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "ram_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "calibration_cpu_s": calibrate(),
        "loadavg": load(),
        "when": time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime()),
    }


def save(name: str, data: dict) -> None:
    print(json.dumps({name: data}, indent=1, ensure_ascii=False), flush=True)


# ---- process trees -------------------------------------------------------------------------


def tree(pid: int) -> list[int]:
    out, todo = [], [pid]
    while todo:
        p = todo.pop()
        out.append(p)
        try:
            for t in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{t}/children") as f:
                    todo += [int(x) for x in f.read().split()]
        except OSError:
            pass
    return out


def _stat(pid: int) -> list[str]:
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()


def tree_cpu(pid: int) -> float:
    """user+system seconds of the live tree, incl. children already reaped by its members."""
    s = 0
    for p in tree(pid):
        try:
            f = _stat(p)
            s += sum(int(x) for x in f[11:15])
        except OSError:
            pass
    return s / CLK


def tree_rss(pid: int) -> float:
    s = 0
    for p in tree(pid):
        try:
            s += int(_stat(p)[21])
        except OSError:
            pass
    return s * os.sysconf("SC_PAGE_SIZE") / 1e6


def tree_pss(pid: int) -> float:
    s = 0
    for p in tree(pid):
        try:
            with open(f"/proc/{p}/smaps_rollup") as f:
                s += next(int(l.split()[1]) for l in f if l.startswith("Pss:"))
        except (OSError, StopIteration):
            pass
    return s / 1e3


def tree_wait(pid: int) -> float:
    """Seconds the live tree's threads spent runnable but not running (other work on the machine)."""
    s = 0
    for p in tree(pid):
        try:
            for t in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{t}/schedstat") as f:
                    s += int(f.read().split()[1])
        except (OSError, IndexError):
            pass
    return s / 1e9


def jitter(seconds: float = 2.0) -> dict:
    """How late a 1 ms sleep wakes here and now (ms): the noise floor under every latency figure."""
    end, xs = time.perf_counter() + seconds, []
    while time.perf_counter() < end:
        t = time.perf_counter()
        time.sleep(0.001)
        xs.append(time.perf_counter() - t - 0.001)
    return dist(xs)


def run_measured(
    argv, env=None, cwd=None, timeout=None, sample=0.05, progress=None, progress_every=10.0, log=None
):
    """Run to the end (or the timeout). cpu_s is the kernel's own figure for the child and all it reaped."""
    full = dict(os.environ, **(env or {}))
    log = log or (SCRATCH / "last.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    curve, peak, timed_out, waited = [], 0.0, False, 0.0
    with open(log, "wb") as lf:
        t0 = time.perf_counter()
        p = subprocess.Popen(
            argv,
            env=full,
            cwd=cwd,
            stdout=lf,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        nxt = progress_every
        cpu_live = 0.0
        while True:
            pid, status, ru = os.wait4(p.pid, os.WNOHANG)
            now = time.perf_counter() - t0
            if pid:
                wall, rc = now, os.waitstatus_to_exitcode(status)
                p.returncode = rc
                break
            peak = max(peak, tree_rss(p.pid))
            waited = max(waited, tree_wait(p.pid))
            if progress and now >= nxt:
                cpu_live = tree_cpu(p.pid)
                try:
                    curve.append([round(now, 1), progress(), round(cpu_live, 1)])
                except Exception as e:  # noqa: BLE001
                    curve.append([round(now, 1), f"{type(e).__name__}", round(cpu_live, 1)])
                nxt = now + progress_every
            if timeout and now > timeout and not timed_out:
                timed_out = True
                cpu_live = tree_cpu(p.pid)
                os.killpg(p.pid, signal.SIGTERM)
                kill_at = now + 10
            elif timed_out and now > kill_at:
                os.killpg(p.pid, signal.SIGKILL)
                kill_at = now + 1e9
            time.sleep(sample if now > 1 else 0.01)
    tail = log.read_bytes()[-400:].decode(errors="replace")
    r = {
        "wall_s": round(wall, 3),
        "cpu_s": round(ru.ru_utime + ru.ru_stime, 3),
        "user_s": round(ru.ru_utime, 3),
        "sys_s": round(ru.ru_stime, 3),
        "peak_rss_mb": round(max(peak, ru.ru_maxrss / 1e3), 1),
        "rc": rc,
        "timed_out": timed_out,
        "runq_wait_s": round(waited, 2),
        "written_mb": round(ru.ru_oublock * 512 / 1e6, 1),
    }
    if curve:
        r["progress"] = curve
    if rc != 0:
        r["tail"] = tail
    return r


class Daemon:
    def __init__(self, argv, env=None, cwd=None, log=None):
        self.log = log or (SCRATCH / "daemon.log")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.lf = open(self.log, "wb")
        self.t0 = time.perf_counter()
        self.p = subprocess.Popen(
            argv,
            env=dict(os.environ, **(env or {})),
            cwd=cwd,
            stdout=self.lf,
            stderr=subprocess.STDOUT,
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self.peak, self._stop = 0.0, False
        threading.Thread(target=self._sample, daemon=True).start()

    def _sample(self):
        while not self._stop and self.p.poll() is None:
            self.peak = max(self.peak, tree_rss(self.p.pid))
            time.sleep(0.1)

    def alive(self):
        return self.p.poll() is None

    def cpu(self):
        return tree_cpu(self.p.pid)

    def rss(self):
        return round(tree_rss(self.p.pid), 1)

    def pss(self):
        return round(tree_pss(self.p.pid), 1)

    def stop(self):
        self._stop = True
        if self.alive():
            os.killpg(self.p.pid, signal.SIGTERM)
            try:
                self.p.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.p.pid, signal.SIGKILL)
                self.p.wait(10)
        self.lf.close()


def watches_of(pid: int) -> int:
    """inotify watches held by a process tree."""
    n = 0
    for p in tree(pid):
        try:
            for fd in os.listdir(f"/proc/{p}/fdinfo"):
                with open(f"/proc/{p}/fdinfo/{fd}") as f:
                    n += sum(1 for l in f if l.startswith("inotify wd:"))
        except OSError:
            pass
    return n


def copy_vault(src: str, dst: Path) -> Path:
    subprocess.run(["rm", "-rf", str(dst)], check=True)
    dst.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", str(src), str(dst)], check=True)
    return dst


def warm_cache(root: str) -> None:
    from make_vault import md_files

    for p in md_files(root):
        with open(p, "rb") as f:
            f.read()


def queries(n: int = 50, seed: int = 11) -> list[str]:
    """20 frequent single words, 20 two-word queries, 10 rare words. Letters only: no syntax differences."""
    import random
    from make_vault import WORDS

    r = random.Random(seed)
    ok = [w for w in WORDS if w.isalpha() and len(w) > 3]
    common, mid, rare = ok[20:400], ok[100:3000], ok[4000:16000]
    out = (
        [r.choice(common) for _ in range(20)]
        + [f"{r.choice(common)} {r.choice(mid)}" for _ in range(20)]
        + [r.choice(rare) for _ in range(10)]
    )
    r.shuffle(out)
    return out[:n]


if __name__ == "__main__":
    print(json.dumps(env_info(), indent=1))
    sys.exit(0)

"""`clavaire mcp` from its start to the answer to `initialize`, beside importing the SDK alone; and a call after it."""

import json
import os
import statistics
import subprocess
import sys
import time
from itertools import pairwise

from tests.benchmarks.whole import CLAVAIRE, ROOT, memory

SDK = "import sys, mcp.server.lowlevel, mcp.server.stdio; print(flush=True); sys.stdin.read()"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
ROUNDS = 7


def answered(command, environ, *messages):
    """Start a program and wait for a line for each message, at least for one; gives seconds to each, and peak MB."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    times, peaks = [], []
    for message in messages or (None,):
        if message is not None:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
        if message is None or "id" in message:
            assert process.stdout.readline()
            times.append(time.perf_counter() - begun)
            peaks.append(memory(process.pid, "VmHWM"))
    process.communicate(timeout=30)
    assert process.returncode == 0
    return times, peaks


def search(number):
    params = {"name": "note_search", "arguments": {"query": "réunion projet"}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_initialize(benchmark, house_of, limits):
    house = house_of(10_000)
    environ = {**os.environ, "PYTHONPATH": str(ROOT), **house.environ}
    ours, sdk, calls = [], [], []

    def turn():
        sdk.append([found[0] for found in answered([sys.executable, "-c", SDK], environ)])
        messages = (INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        times, peaks = answered([str(CLAVAIRE), "mcp"], environ, *messages, *map(search, range(2, 12)))
        ours.append((times[0], peaks[0]))
        calls.append([after - before for before, after in pairwise(times)])

    turn()
    for kept in (ours, sdk, calls):
        kept.clear()
    benchmark.pedantic(turn, rounds=ROUNDS)
    for place, (what, most, unit) in enumerate((("time", 0.3, "s"), ("memory", 40, "MB"))):
        own, bare = (statistics.median(one[place] for one in kept) for kept in (ours, sdk))
        limits.note(f"initialize, {what}: {own:.3f} {unit}, the SDK alone {bare:.3f}")
        limits.most(f"initialize beyond the SDK, {what}", own - bare, most, unit, timed=unit == "s")
    first, others = [one[0] for one in calls], [each for one in calls for each in one[1:]]
    limits.note(
        f"first call {statistics.median(first):.3f} s, then {statistics.median(others) * 1000:.1f} ms"
    )
    limits.met()

#!/usr/bin/env python3
# ruff: noqa: PGH004
# ruff: noqa
"""Physical limits of one vault on this machine, with Python's own sqlite3 (stdlib only, + rg if present).

    limits.py VAULT [--tag 10000] [--repeat 5]

Every stage runs `repeat` times in this process with a warm page cache; medians of wall and CPU are kept.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing as mp
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

from common import SCRATCH, dist, env_info, load, med, queries, save
from make_vault import md_files, stats

SCAN_RX = re.compile(
    rb"\[\[([^\]\|#]+)"  # wikilink target
    rb"|(?:^|\s)#([\w/\-]+)"  # tag
    rb"|^(#{1,6}) ([^\n]*)"  # heading
    rb"|^\s*[-*] \[(.)\] ([^\n]*)",
    re.M,
)  # task

# Four passes, each with a literal first byte that CPython's matcher can skip to: about 14 times the speed of the alternation.
FAST_RX = [
    re.compile(rb"\[\[([^\]\|#\n]+)"),
    re.compile(rb"#([\w/\-]+)"),
    re.compile(rb"\n(#{1,6}) ([^\n]*)"),
    re.compile(rb"\n[ \t]*[-*] \[(.)\] ([^\n]*)"),
]


def scan_fast(b: bytes) -> list:
    return [r.findall(b) for r in FAST_RX]


def scan_stat(root: str) -> list[tuple[str, int, int, int]]:
    out, stack = [], [root]
    while stack:
        with os.scandir(stack.pop()) as it:
            for e in it:
                if e.name[0] == ".":
                    continue
                if e.is_dir(follow_symlinks=False):
                    stack.append(e.path)
                elif e.name.endswith(".md"):
                    st = e.stat(follow_symlinks=False)
                    out.append((e.path, st.st_mtime_ns, st.st_size, st.st_ino))
    return out


def read(p: str) -> bytes:
    """One open, one read, one close. A 256 KB buffer: asking for 16 MB costs four times as much (mmap and page faults)."""
    fd = os.open(p, os.O_RDONLY)
    try:
        b = os.read(fd, 1 << 18)
        while len(b) >= 1 << 18 and (more := os.read(fd, 1 << 20)):
            b += more
        return b
    finally:
        os.close(fd)


def timed(fn, repeat: int, **kw) -> dict:
    w, c = [], []
    for _ in range(repeat):
        r0 = resource.getrusage(resource.RUSAGE_CHILDREN)
        t, p = time.perf_counter(), time.process_time()
        fn()
        w.append(time.perf_counter() - t)
        r1 = resource.getrusage(resource.RUSAGE_CHILDREN)
        c.append(time.process_time() - p + (r1.ru_utime + r1.ru_stime - r0.ru_utime - r0.ru_stime))
    return {"wall_s": med(w), "cpu_s": med(c), "min_wall_s": round(min(w), 4), "repeat": repeat, **kw}


DB = SCRATCH / "limits.db"


def fresh(sync="OFF", hashsize=None, ddl="", cache_mb=64) -> sqlite3.Connection:
    DB.parent.mkdir(parents=True, exist_ok=True)
    for s in ("", "-wal", "-shm", "-journal"):
        Path(str(DB) + s).unlink(missing_ok=True)
    c = sqlite3.connect(DB, isolation_level=None)
    c.execute("PRAGMA journal_mode=WAL")
    c.execute(f"PRAGMA synchronous={sync}")
    c.execute(f"PRAGMA cache_size=-{cache_mb * 1024}")
    c.executescript(ddl)
    if hashsize:
        c.execute("INSERT INTO ft(ft, rank) VALUES('hashsize', ?)", (hashsize,))
    return c


def fts_load(texts, ddl, hashsize=None, sync="OFF", ext=False, automerge=None):
    c = fresh(sync, hashsize, ddl)
    if automerge is not None:
        c.execute("INSERT INTO ft(ft, rank) VALUES('automerge', ?)", (automerge,))
    c.execute("BEGIN")
    if ext:
        c.executemany("INSERT INTO body(id, body) VALUES(?, ?)", enumerate(texts, 1))
        c.execute("INSERT INTO ft(rowid, body) SELECT id, body FROM body")
    else:
        c.executemany("INSERT INTO ft(rowid, body) VALUES(?, ?)", enumerate(texts, 1))
    c.execute("COMMIT")
    c.close()


def _shard(args):
    paths, db = args
    for s in ("", "-wal", "-shm"):
        Path(db + s).unlink(missing_ok=True)
    c = sqlite3.connect(db, isolation_level=None)
    c.execute("PRAGMA journal_mode=WAL")
    c.execute("PRAGMA synchronous=OFF")
    c.execute("CREATE VIRTUAL TABLE ft USING fts5(body, tokenize='unicode61')")
    c.execute("BEGIN")
    c.executemany(
        "INSERT INTO ft(rowid, body) VALUES(?, ?)",
        ((i, read(p).decode("utf-8", "replace")) for i, p in enumerate(paths, 1)),
    )
    c.execute("COMMIT")
    c.close()


def _parse(paths):
    out = []
    for p in paths:
        b = read(p)
        out.append((b.decode("utf-8", "replace"), scan_fast(b)))
    return out


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("vault")
    ap.add_argument("--tag")
    ap.add_argument("--repeat", type=int, default=5)
    a = ap.parse_args()
    tag, R = a.tag or Path(a.vault).name, a.repeat
    heavy = max(1, R if stats(a.vault, digest=False)["mb"] < 60 else min(R, 2))
    files = md_files(a.vault)
    for p in files:
        read(p)
    out = {"vault": stats(a.vault, digest=False), "env": env_info(), "stages": {}}
    S = out["stages"]

    def put(name, fn, repeat=R, **kw):
        S[name] = timed(fn, repeat, **kw)
        print(f"{name:44s} wall {S[name]['wall_s']:8.3f}  cpu {S[name]['cpu_s']:8.3f}", flush=True)
        save(f"limits_{tag}", out)

    put("scandir+stat", lambda: scan_stat(a.vault))
    put("read all bytes", lambda: [len(read(p)) for p in files])
    put("read, Path.read_text", lambda: [len(Path(p).read_text(encoding="utf-8")) for p in files])
    put("read + blake2b", lambda: [hashlib.blake2b(read(p), digest_size=16).digest() for p in files])
    put("read + sha256", lambda: [hashlib.sha256(read(p)).digest() for p in files])
    put(
        "read + regex scan, one alternation",
        lambda: [sum(1 for _ in SCAN_RX.finditer(read(p))) for p in files],
    )
    put("read + regex scan, 4 literal-led passes", lambda: [scan_fast(read(p)) for p in files])
    put("read + decode utf-8", lambda: [len(read(p).decode("utf-8", "replace")) for p in files])
    if shutil.which("rg"):
        put("rg -c foo", lambda: subprocess.run(["rg", "-c", "foo", a.vault], stdout=subprocess.DEVNULL))
        put(
            "rg -j1 -c foo",
            lambda: subprocess.run(["rg", "-j1", "-c", "foo", a.vault], stdout=subprocess.DEVNULL),
        )

    texts = [read(p).decode("utf-8", "replace") for p in files]
    plain = "CREATE VIRTUAL TABLE ft USING fts5(body, tokenize='unicode61');"
    less = "CREATE VIRTUAL TABLE ft USING fts5(body, content='', tokenize='unicode61');"
    ext = (
        "CREATE TABLE body(id INTEGER PRIMARY KEY, body TEXT);"
        "CREATE VIRTUAL TABLE ft USING fts5(body, content='body', content_rowid='id', tokenize='unicode61');"
    )
    put("fts5 plain, 1 transaction", lambda: fts_load(texts, plain), heavy)
    S["fts5 plain, 1 transaction"]["db_mb"] = round(DB.stat().st_size / 1e6, 1)
    put("fts5 plain, hashsize 64 MB", lambda: fts_load(texts, plain, hashsize=64 << 20), heavy)
    put("fts5 contentless", lambda: fts_load(texts, less), heavy)
    S["fts5 contentless"]["db_mb"] = round(DB.stat().st_size / 1e6, 1)
    put("fts5 contentless, hashsize 64 MB", lambda: fts_load(texts, less, hashsize=64 << 20), heavy)
    put(
        "fts5 contentless, detail=column",
        lambda: fts_load(texts, less.replace("content='',", "content='', detail=column,"), hashsize=64 << 20),
        heavy,
    )
    put(
        "fts5 external content, hashsize 64 MB",
        lambda: fts_load(texts, ext, hashsize=64 << 20, ext=True),
        heavy,
    )
    S["fts5 external content, hashsize 64 MB"]["db_mb"] = round(DB.stat().st_size / 1e6, 1)
    put(
        "fts5 plain, prefix='2 3'",
        lambda: fts_load(texts, plain.replace("body,", "body, prefix='2 3',"), hashsize=64 << 20),
        heavy,
    )
    put(
        "fts5 plain, remove_diacritics 2, hashsize",
        lambda: fts_load(
            texts, plain.replace("'unicode61'", "'unicode61 remove_diacritics 2'"), hashsize=64 << 20
        ),
        heavy,
    )
    put(
        "fts5 plain, porter",
        lambda: fts_load(texts, plain.replace("'unicode61'", "'porter unicode61'"), hashsize=64 << 20),
        heavy,
    )
    put(
        "fts5 plain, synchronous=NORMAL",
        lambda: fts_load(texts, plain, hashsize=64 << 20, sync="NORMAL"),
        heavy,
    )
    put("raw text into a plain table (no FTS)", lambda: _plain(texts), heavy)

    half = len(files) // 2
    ctx = mp.get_context("fork")

    def shards():
        ps = [
            ctx.Process(target=_shard, args=((fs, str(DB) + f".{i}"),))
            for i, fs in enumerate((files[:half], files[half:]))
        ]
        [p.start() for p in ps]
        [p.join() for p in ps]

    put("read + fts5, 1 process", lambda: _shard((files, str(DB) + ".0")), heavy)
    put("read + fts5, 2 processes, 2 shard DBs", shards, heavy)

    def pipe():
        c = fresh(ddl=plain, hashsize=64 << 20)
        c.execute("BEGIN")
        i = 0
        with ctx.Pool(1) as pool:
            for batch in pool.imap(_parse, (files[k : k + 100] for k in range(0, len(files), 100))):
                c.executemany(
                    "INSERT INTO ft(rowid, body) VALUES(?, ?)",
                    ((i + j, t) for j, (t, _) in enumerate(batch, 1)),
                )
                i += len(batch)
        c.execute("COMMIT")
        c.close()

    def single():
        c = fresh(ddl=plain, hashsize=64 << 20)
        c.execute("BEGIN")
        i = 0
        for k in range(0, len(files), 100):
            batch = _parse(files[k : k + 100])
            c.executemany(
                "INSERT INTO ft(rowid, body) VALUES(?, ?)", ((i + j, t) for j, (t, _) in enumerate(batch, 1))
            )
            i += len(batch)
        c.execute("COMMIT")
        c.close()

    put("read + regex + fts5, 1 process", single, heavy)
    put("parser process -> writer process", pipe, heavy)

    # search on the plain index just built, top 10 with bm25 and a snippet
    fts_load(texts, plain, hashsize=64 << 20)
    c = sqlite3.connect(DB)
    c.execute("PRAGMA mmap_size=268435456")
    for label, sql in (
        ("bm25 top10, rowid only", "SELECT rowid FROM ft WHERE ft MATCH ? ORDER BY rank LIMIT 10"),
        (
            "bm25 top10 + snippet",
            "SELECT rowid, snippet(ft,0,'[',']','…',12) FROM ft WHERE ft MATCH ? ORDER BY rank LIMIT 10",
        ),
        ("first 10, no ranking", "SELECT rowid FROM ft WHERE ft MATCH ? LIMIT 10"),
    ):
        lat = []
        for rep in range(4):
            for q in queries():
                t = time.perf_counter()
                c.execute(sql, (q,)).fetchall()
                if rep:
                    lat.append(time.perf_counter() - t)
        out.setdefault("search_ms", {})[label] = dist(lat, nd=3)
    print(out["search_ms"])
    c.close()
    out["prefix_search_ms"] = {}
    pre = [
        "pro",
        "dec",
        "mee",
        "jan",
        "bud",
        "rec",
        "sys",
        "que",
        "réu",
        "int",
        "not",
        "ver",
        "tra",
        "mem",
        "ind",
    ]
    for label, ddl in (
        ("no prefix index", plain),
        ("prefix='2 3'", plain.replace("body,", "body, prefix='2 3',")),
    ):
        fts_load(texts, ddl, hashsize=64 << 20)
        pc = sqlite3.connect(DB)
        for n in (2, 3):
            lat = []
            for rep in range(3):
                for w in pre:
                    t = time.perf_counter()
                    pc.execute(
                        "SELECT rowid FROM ft WHERE ft MATCH ? ORDER BY rank LIMIT 10", (w[:n] + "*",)
                    ).fetchall()
                    if rep:
                        lat.append(time.perf_counter() - t)
            out["prefix_search_ms"][f"{label}, {n} letters, bm25 top 10"] = dist(lat)
        pc.close()
    fts_load(texts, plain, hashsize=64 << 20)
    # one document replaced in its own transaction (what one save costs), both durabilities
    for sync in ("OFF", "NORMAL", "FULL"):
        c = sqlite3.connect(DB, isolation_level=None)
        c.execute(f"PRAGMA synchronous={sync}")
        lat = []
        for i in range(1, 201):
            t = time.perf_counter()
            c.execute("BEGIN IMMEDIATE")
            c.execute("DELETE FROM ft WHERE rowid=?", (i,))
            c.execute("INSERT INTO ft(rowid, body) VALUES(?, ?)", (i, texts[i - 1]))
            c.execute("COMMIT")
            lat.append(time.perf_counter() - t)
        c.close()
        out.setdefault("one_doc_replace_ms", {})[f"WAL synchronous={sync}"] = dist(lat, nd=3)
    print(out["one_doc_replace_ms"])
    out["loadavg_end"] = load()
    save(f"limits_{tag}", out)


def _plain(texts):
    c = fresh(ddl="CREATE TABLE ft(id INTEGER PRIMARY KEY, body TEXT);")
    c.execute("BEGIN")
    c.executemany("INSERT INTO ft(id, body) VALUES(?, ?)", enumerate(texts, 1))
    c.execute("COMMIT")
    c.close()


if __name__ == "__main__":
    main()

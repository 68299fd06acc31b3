#!/usr/bin/env python3
# ruff: noqa: PGH004
# ruff: noqa
"""The floor: the smallest Python program that does a vault daemon's work, as a reference for ratios.

    floor.py index VAULT DB     bring DB up to date, exit
    floor.py watch VAULT DB     index, then follow inotify (watchdog), no debounce: acts on IN_CLOSE_WRITE
    floor.py search DB QUERY

Regexes, never a Markdown parser; (mtime_ns, size, inode) skip, then a hash; one write transaction.
It is not a product: no atomic write-back, no link resolution, no YAML typing.
"""

import hashlib
import os
import re
import sqlite3
import sys

LINK, TAG = (
    re.compile(r"\[\[([^\]\|#\n]+)"),
    re.compile(r"#([^\W\d][\w/\-]*)"),
)  # each led by a literal: fast in CPython
HEAD, TASK = re.compile(r"\n(#{1,6}) ([^\n]*)"), re.compile(r"\n[ \t]*[-*] \[(.)\] ([^\n]*)")
DDL = """
CREATE TABLE IF NOT EXISTS files(id INTEGER PRIMARY KEY, path TEXT UNIQUE, mtime INT, size INT, ino INT, hash BLOB, title TEXT, fm TEXT);
CREATE TABLE IF NOT EXISTS links(src INT, target TEXT, PRIMARY KEY(src, target)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tags(file INT, tag TEXT, PRIMARY KEY(file, tag)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS headings(file INT, pos INT, level INT, text TEXT, PRIMARY KEY(file, pos)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tasks(file INT, pos INT, state TEXT, text TEXT, PRIMARY KEY(file, pos)) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS ft USING fts5(title, body, tokenize='unicode61 remove_diacritics 2');
"""


def connect(db):
    c = sqlite3.connect(db, isolation_level=None)
    c.execute("PRAGMA journal_mode=WAL")
    c.execute("PRAGMA synchronous=NORMAL")
    c.execute("PRAGMA cache_size=-8192")
    c.executescript(DDL)
    return c


def scan(root):
    out, stack, n = {}, [root], len(root) + 1
    while stack:
        with os.scandir(stack.pop()) as it:
            for e in it:
                if e.name[0] == ".":
                    continue
                if e.is_dir(follow_symlinks=False):
                    stack.append(e.path)
                elif e.name.endswith(".md"):
                    st = e.stat(follow_symlinks=False)
                    out[e.path[n:]] = (st.st_mtime_ns, st.st_size, st.st_ino)
    return out


def read(p):
    fd = os.open(p, os.O_RDONLY)
    try:
        b = os.read(fd, 1 << 18)
        while len(b) >= 1 << 18 and (more := os.read(fd, 1 << 20)):
            b += more
        return b
    finally:
        os.close(fd)


def put(c, root, rel, sig, fid, old_hash):
    b = read(root + "/" + rel)
    h = hashlib.blake2b(b, digest_size=16).digest()
    if h == old_hash:
        c.execute("UPDATE files SET mtime=?, size=?, ino=? WHERE id=?", (*sig, fid))
        return
    t = b.decode("utf-8", "replace")
    fm, body0 = None, 0
    if t.startswith("---\n"):
        e = t.find("\n---", 3)
        if e > 0:
            fm, body0 = t[4:e], e + 4
    start = body0 or 0
    links = {x.strip() for x in LINK.findall(t, start)}
    tags = {m[1] for m in TAG.finditer(t, start) if t[m.start() - 1 : m.start()] in (" ", "\n", "\t", "")}
    heads = [(m.start(), len(m[1]), m[2]) for m in HEAD.finditer(t, start)]
    tasks = [(m.start(), m[1], m[2]) for m in TASK.finditer(t, start)]
    title = rel.rsplit("/", 1)[-1][:-3]
    if fid is None:
        fid = c.execute(
            "INSERT INTO files(path,mtime,size,ino,hash,title,fm) VALUES(?,?,?,?,?,?,?)",
            (rel, *sig, h, title, fm),
        ).lastrowid
    else:
        c.execute(
            "UPDATE files SET mtime=?, size=?, ino=?, hash=?, title=?, fm=? WHERE id=?",
            (*sig, h, title, fm, fid),
        )
        for tb, col in (("links", "src"), ("tags", "file"), ("headings", "file"), ("tasks", "file")):
            c.execute(f"DELETE FROM {tb} WHERE {col}=?", (fid,))
        c.execute("DELETE FROM ft WHERE rowid=?", (fid,))
    c.executemany("INSERT INTO links VALUES(?,?)", [(fid, x) for x in links])
    c.executemany("INSERT INTO tags VALUES(?,?)", [(fid, x) for x in tags])
    c.executemany("INSERT OR IGNORE INTO headings VALUES(?,?,?,?)", [(fid, *x) for x in heads])
    c.executemany("INSERT OR IGNORE INTO tasks VALUES(?,?,?,?)", [(fid, *x) for x in tasks])
    c.execute("INSERT INTO ft(rowid, title, body) VALUES(?,?,?)", (fid, title, t))


def index(c, root):
    now = scan(root)
    known = {
        p: (m, s, i, fid, h)
        for fid, p, m, s, i, h in c.execute("SELECT id,path,mtime,size,ino,hash FROM files")
    }
    todo = [(p, sig) for p, sig in now.items() if known.get(p, ())[:3] != sig]
    gone = [known[p][3] for p in known.keys() - now.keys()]
    if not todo and not gone:
        return 0
    if len(todo) > 500:
        c.execute("INSERT INTO ft(ft, rank) VALUES('hashsize', ?)", (8 << 20,))
    c.execute("BEGIN IMMEDIATE")
    for p, sig in todo:
        k = known.get(p)
        put(c, root, p, sig, k[3] if k else None, k[4] if k else None)
    for fid in gone:
        forget(c, fid)
    c.execute("COMMIT")
    if len(todo) > 500:
        c.execute("INSERT INTO ft(ft, rank) VALUES('hashsize', ?)", (1 << 20,))
    return len(todo) + len(gone)


def forget(c, fid):
    for tb, col in (
        ("links", "src"),
        ("tags", "file"),
        ("headings", "file"),
        ("tasks", "file"),
        ("files", "id"),
    ):
        c.execute(f"DELETE FROM {tb} WHERE {col}=?", (fid,))
    c.execute("DELETE FROM ft WHERE rowid=?", (fid,))


def watch(root, db):
    import queue
    from watchdog.events import FileSystemEventHandler
    from watchdog.observers import Observer

    q: queue.SimpleQueue = queue.SimpleQueue()

    class H(FileSystemEventHandler):
        def on_closed(self, e):
            q.put(e.src_path)

        def on_moved(self, e):
            q.put(e.src_path)
            q.put(e.dest_path)

        def on_deleted(self, e):
            q.put(e.src_path)

    o = Observer()
    o.schedule(H(), root, recursive=True)
    o.start()
    c = connect(db)
    index(c, root)
    n = len(root) + 1
    # A save must never pay for someone else's merge or checkpoint: both are done in bounded steps once the queue is quiet.
    for k, v in (("automerge", 0), ("crisismerge", 1000)):
        c.execute("INSERT INTO ft(ft, rank) VALUES(?, ?)", (k, v))
    c.execute("PRAGMA wal_autocheckpoint=0")
    dirty = False
    while True:
        try:
            batch = {q.get(timeout=0.3 if dirty else None)}
        except queue.Empty:
            before = c.total_changes
            c.execute("INSERT INTO ft(ft, rank) VALUES('merge', 200)")
            dirty = c.total_changes - before >= 2  # nothing left to merge: sleep until the next event
            if not dirty:
                c.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            continue
        while not q.empty():
            batch.add(q.get())
        rels = [p[n:] for p in batch if p.endswith(".md") and "/." not in p[n - 1 :]]
        if not rels:
            continue
        dirty = True
        c.execute("BEGIN IMMEDIATE")
        for rel in rels:
            row = c.execute("SELECT id, hash FROM files WHERE path=?", (rel,)).fetchone()
            try:
                st = os.stat(os.path.join(root, rel))
                put(c, root, rel, (st.st_mtime_ns, st.st_size, st.st_ino), *(row or (None, None)))
            except FileNotFoundError:
                if row:
                    forget(c, row[0])
        c.execute("COMMIT")


def search(c, q, n=10):
    return c.execute(
        "SELECT f.path, f.title, snippet(ft,1,'[',']','…',12) FROM ft JOIN files f ON f.id=ft.rowid "
        "WHERE ft MATCH ? ORDER BY rank LIMIT ?",
        (q, n),
    ).fetchall()


if __name__ == "__main__":
    cmd = sys.argv[1]
    if cmd == "index":
        print(index(connect(sys.argv[3]), sys.argv[2].rstrip("/")))
    elif cmd == "watch":
        watch(sys.argv[2].rstrip("/"), sys.argv[3])
    elif cmd == "search":
        for r in search(connect(sys.argv[2]), " ".join(sys.argv[3:])):
            print(*r, sep="\t")

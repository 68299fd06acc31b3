#!/usr/bin/env python3
# ruff: noqa: PGH004
# ruff: noqa
"""Deterministic synthetic Obsidian vaults (stdlib only).

    make_vault.py OUT --n 10000 [--seed 1]      generate N notes under OUT
    make_vault.py OUT --from-dir VAULT          copy a real vault to OUT (the original is never touched)
    make_vault.py OUT --stats                   describe an existing vault

Same (seed, n) gives the same bytes. A manifest (counts, size percentiles, sha256 of
all paths and bytes) is written beside OUT as OUT.manifest.json, never inside the vault.

`mutate(vault, frac, seed)` is the common '1 % changed' step used by every benchmark.
"""

from __future__ import annotations

import argparse
import bisect
import hashlib
import json
import math
import os
import random
import shutil
import sys
from itertools import accumulate
from pathlib import Path

FR = """le la les de des du un une et est dans pour que qui pas sur avec ce cette au plus par mais ou si tout
faire être avoir projet réunion équipe dossier note tâche semaine année journée mois client facture contrat
rendez-vous décision question réponse idée recherche lecture chapitre livre auteur citation référence
méthode données résultat analyse hypothèse modèle théorie pratique système réseau serveur mémoire fichier
dépôt version mise à jour livraison calendrier échéance priorité urgent important terminé attente relance
courriel téléphone appel visite voyage train gare hôtel restaurant recette cuisine jardin maison école
enfant famille santé médecin sommeil sport course vélo piscine musique cinéma théâtre exposition musée
histoire géographie économie politique société culture langue grammaire vocabulaire traduction écriture
poème roman essai philosophie éthique logique mathématiques physique chimie biologie médecine droit notaire
acte greffe tribunal audience jugement procédure avocat conseil mairie préfecture impôt budget dépense
revenu épargne banque assurance loyer travaux devis artisan électricité plomberie peinture chauffage
hiver printemps été automne lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril
mai juin juillet août septembre octobre novembre décembre aujourd'hui demain hier toujours jamais souvent
parfois peut-être cependant pourtant ensuite enfin d'abord donc ainsi car parce alors comme quand où comment
pourquoi combien quelque chaque plusieurs aucun autre même nouveau ancien premier dernier petit grand bon
mauvais simple complexe rapide lent clair obscur ouvert fermé public privé commun rare cœur œuvre naïf""".split()

EN = """the of and to in a is that for it on with as this be are by from or an at not have has was were but they
project meeting team folder note task week year day month customer invoice contract appointment decision
question answer idea research reading chapter book author quote reference method data result analysis
hypothesis model theory practice system network server memory file repository version update release
calendar deadline priority urgent important done waiting follow email phone call visit travel train station
hotel restaurant recipe kitchen garden house school child family health doctor sleep sport running bicycle
pool music movie theatre exhibition museum history geography economy politics society culture language
grammar vocabulary translation writing poem novel essay philosophy ethics logic mathematics physics
chemistry biology medicine law clerk registry court hearing judgment procedure lawyer council budget expense
income savings bank insurance rent repair quote craftsman electricity plumbing painting heating winter
spring summer autumn monday tuesday wednesday thursday friday saturday sunday january february march april
june july august september october november december today tomorrow yesterday always never often sometimes
maybe however therefore then finally first because when where how why many some each several none other same
new old last small large good bad simple complex fast slow clear open closed public private common rare
index search vault daemon watcher parser writer atomic section managed block header link backlink graph
cache queue worker thread process signal latency throughput percentile median baseline benchmark""".split()

TOPICS = [
    "Projets",
    "Journal",
    "Lectures",
    "Personnes",
    "Recherche",
    "Code",
    "Finances",
    "Cuisine",
    "Réunions",
    "Droit",
    "Santé",
    "Voyages",
    "Ideas",
    "Meetings",
    "Reference",
    "Archive",
]
TAGS = [
    "projet",
    "projet/alpha",
    "projet/beta",
    "réunion",
    "lecture",
    "livre",
    "todo",
    "idée",
    "santé",
    "finance/impôt",
    "finance/budget",
    "code",
    "code/python",
    "code/sql",
    "meeting",
    "person",
    "law",
    "recipe",
    "travel",
    "archive",
    "draft",
    "review",
    "waiting",
    "important",
    "daily",
    "weekly",
]
STATUS = ["open", "done", "waiting", "draft", "archived"]
KINDS = ["note", "meeting", "person", "book", "project", "daily"]


def _vocab() -> tuple[list[str], list[float]]:
    """~19k word forms: core words first (frequent), then derived forms (the Zipf tail)."""
    rng = random.Random(20240229)
    core = list(dict.fromkeys(w for pair in zip(FR, EN) for w in pair))
    core += [w for w in dict.fromkeys(FR + EN) if w not in set(core)]
    pre = ["", "re", "dé", "pré", "inter", "sous", "sur", "anti", "multi", "non", "auto", "co", "hyper"]
    suf = ["", "s", "ment", "tion", "ing", "er", "ed", "ité", "able", "isme", "iste", "ly", "ness", "eur"]
    seen, words = set(core), list(core)
    derived = [p + w.strip("'-") + s for p in pre for s in suf for w in core if len(w) > 3 and (p or s)]
    rng.shuffle(derived)
    for w in derived:
        if w not in seen:
            seen.add(w)
            words.append(w)
        if len(words) >= 19000:
            break
    weights = [1.0 / (i + 3) ** 0.95 for i in range(len(words))]
    return words, list(accumulate(weights))


WORDS, CUM = _vocab()
TOTAL = CUM[-1]


class Gen:
    def __init__(self, n: int, seed: int):
        self.n, self.seed = n, seed
        r = random.Random(f"{seed}:titles")
        self.titles: list[str] = []
        self.paths: list[str] = []
        for i in range(n):
            year, topic = 2016 + r.randrange(10), TOPICS[min(int(r.expovariate(0.22)), len(TOPICS) - 1)]
            words = [self._w(r) for _ in range(r.randint(1, 4))]
            title = " ".join(words).capitalize().replace("/", "-") + f" {i}"
            self.titles.append(title)
            sub = f"{r.randrange(1, 13):02d}/" if topic == "Journal" else ""
            self.paths.append(f"{year}/{topic}/{sub}{title}.md")

    @staticmethod
    def _w(r: random.Random) -> str:
        return WORDS[bisect.bisect(CUM, r.random() * TOTAL)]

    def _sentence(self, r: random.Random) -> str:
        k = r.randint(5, 18)
        ws = [WORDS[bisect.bisect(CUM, r.random() * TOTAL)] for _ in range(k)]
        x = r.random()
        if x < 0.12:
            ws[r.randrange(k)] = self._link(r)
        elif x < 0.18:
            ws[r.randrange(k)] = "#" + r.choice(TAGS)
        elif x < 0.24:
            j = r.randrange(k)
            ws[j] = r.choice(["**%s**", "*%s*", "`%s`", "==%s=="]) % ws[j]
        elif x < 0.26:
            ws.append(f"[{ws[0]}](https://example.org/{ws[-1].replace(' ', '-')})")
        s = " ".join(ws)
        return s[0].upper() + s[1:] + r.choice([".", ".", ".", " ?", " !", " ;"])

    def _link(self, r: random.Random) -> str:
        # preferential attachment: a few hub notes receive many links; 3 % are broken
        if r.random() < 0.03:
            return f"[[Absente {r.randrange(10**6)}]]"
        t = (
            self.titles[min(int(r.expovariate(4.0 / self.n)), self.n - 1)]
            if r.random() < 0.5
            else self.titles[r.randrange(self.n)]
        )
        x = r.random()
        if x < 0.15:
            return f"[[{t}|{self._w(r)}]]"
        if x < 0.22:
            return f"[[{t}#{self._w(r).capitalize()}]]"
        if x < 0.26:
            return f"![[{t}]]"
        return f"[[{t}]]"

    def _size(self, r: random.Random) -> int:
        if r.random() < 0.006:  # the long tail, 15 KB .. 200 KB
            return int(math.exp(r.uniform(math.log(15_000), math.log(200_000))))
        return max(80, min(60_000, int(1500 * math.exp(r.gauss(0, 1.05)))))

    def note(self, i: int) -> str:
        r = random.Random(f"{self.seed}:{i}")
        size, out, total = self._size(r), [], 0

        def add(s: str) -> None:
            nonlocal total
            out.append(s)
            total += len(s.encode()) + 1

        if r.random() < 0.60:
            fm = ["---", f'title: "{self.titles[i]}"']
            fm.append("tags:")
            fm += [f"  - {t}" for t in r.sample(TAGS, r.randint(1, 4))]
            fm.append(f"created: 20{r.randint(16, 25)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}")
            if r.random() < 0.5:
                fm.append(f"status: {r.choice(STATUS)}")
            if r.random() < 0.5:
                fm.append(f"type: {r.choice(KINDS)}")
            if r.random() < 0.2:
                fm.append(f"aliases: [{self._w(r)}, {self._w(r)}]")
            if r.random() < 0.15:
                fm.append(f"rating: {r.randint(1, 10)}")
            if r.random() < 0.03:
                fm.append("managed: true")
            fm.append("---")
            add("\n".join(fm))
        add(f"# {self.titles[i]}\n")
        while total < size:
            x = r.random()
            if x < 0.60:
                add(" ".join(self._sentence(r) for _ in range(r.randint(1, 5))) + "\n")
            elif x < 0.70:
                add(
                    "#" * r.randint(2, 4)
                    + " "
                    + " ".join(self._w(r) for _ in range(r.randint(1, 5))).capitalize()
                    + "\n"
                )
            elif x < 0.82:
                add(
                    "\n".join(
                        ("  " * (r.random() < 0.2)) + "- " + self._sentence(r) for _ in range(r.randint(2, 6))
                    )
                    + "\n"
                )
            elif x < 0.92:
                rows = []
                for _ in range(r.randint(1, 5)):
                    due = (
                        f" 📅 20{r.randint(24, 27)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}"
                        if r.random() < 0.4
                        else ""
                    )
                    rows.append(f"- [{r.choice(' x  /-')}] {self._sentence(r)}{due}")
                add("\n".join(rows) + "\n")
            elif x < 0.95:
                add("> [!note] " + self._w(r) + "\n> " + self._sentence(r) + "\n")
            elif x < 0.975:
                c = r.randint(2, 4)
                rows = ["| " + " | ".join(self._w(r) for _ in range(c)) + " |", "|" + " --- |" * c]
                rows += [
                    "| " + " | ".join(self._w(r) for _ in range(c)) + " |" for _ in range(r.randint(1, 6))
                ]
                add("\n".join(rows) + "\n")
            else:
                add(
                    "```python\n"
                    + "\n".join(
                        f"{self._w(r).replace('-', '_')} = {r.randrange(1000)}"
                        for _ in range(r.randint(1, 8))
                    )
                    + "\n```\n"
                )
        return "\n".join(out)


def _write_range(args: tuple[str, int, int, int, int]) -> int:
    root, n, seed, lo, hi = args
    g, total = Gen(n, seed), 0
    made: set[str] = set()
    for i in range(lo, hi):
        p = os.path.join(root, g.paths[i])
        d = os.path.dirname(p)
        if d not in made:
            os.makedirs(d, exist_ok=True)
            made.add(d)
        b = g.note(i).encode()
        total += len(b)
        with open(p, "wb") as f:
            f.write(b)
    return total


def generate(root: str, n: int, seed: int = 1, jobs: int = 2) -> None:
    os.makedirs(os.path.join(root, ".obsidian"), exist_ok=True)
    Path(root, ".obsidian", "app.json").write_text("{}\n")
    step = max(1, -(-n // (jobs * 4)))
    parts = [(root, n, seed, lo, min(n, lo + step)) for lo in range(0, n, step)]
    if jobs > 1 and n > 2000:
        import multiprocessing as mp

        with mp.get_context("fork").Pool(jobs) as pool:
            pool.map(_write_range, parts)
    else:
        for p in parts:
            _write_range(p)


def md_files(root: str) -> list[str]:
    """All .md files (absolute), hidden folders skipped, sorted."""
    out, stack = [], [root]
    while stack:
        with os.scandir(stack.pop()) as it:
            for e in it:
                if e.name.startswith("."):
                    continue
                if e.is_dir(follow_symlinks=False):
                    stack.append(e.path)
                elif e.name.endswith(".md"):
                    out.append(e.path)
    out.sort()
    return out


def stats(root: str, digest: bool = True) -> dict:
    files, h, sizes, dirs, fm = md_files(root), hashlib.sha256(), [], set(), 0
    for p in files:
        with open(p, "rb") as f:
            b = f.read()
        sizes.append(len(b))
        dirs.add(os.path.dirname(p))
        fm += b.startswith(b"---\n")
        if digest:
            h.update(os.path.relpath(p, root).encode() + b"\0" + b)
    s = sorted(sizes) or [0]
    q = lambda f: s[min(len(s) - 1, int(f * len(s)))]  # noqa: E731
    return {
        "notes": len(files),
        "dirs": len(dirs),
        "bytes": sum(sizes),
        "mb": round(sum(sizes) / 1e6, 2),
        "size_p10": q(0.10),
        "size_median": q(0.50),
        "size_p90": q(0.90),
        "size_p99": q(0.99),
        "size_max": s[-1],
        "frontmatter_share": round(fm / max(1, len(files)), 3),
        "sha256": h.hexdigest() if digest else None,
    }


def mutate(root: str, frac: float = 0.01, seed: int = 7) -> list[str]:
    """Append one line to a deterministic sample of notes; returns the changed paths."""
    files = md_files(root)
    r = random.Random(seed)
    pick = sorted(r.sample(files, max(1, round(len(files) * frac))))
    for p in pick:
        with open(p, "ab") as f:
            f.write(f"\nmodifié mutation{seed} {r.randrange(10**9)}\n".encode())
    return pick


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out")
    ap.add_argument("--n", type=int)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--from-dir")
    ap.add_argument("--stats", action="store_true")
    a = ap.parse_args()
    if not a.stats:
        if os.path.exists(a.out):
            shutil.rmtree(a.out)
        if a.from_dir:
            shutil.copytree(a.from_dir, a.out, symlinks=True)
        elif a.n:
            generate(a.out, a.n, a.seed, a.jobs)
        else:
            sys.exit("give --n, --from-dir or --stats")
    m = {"n": a.n, "seed": a.seed if not a.from_dir else None, "real": bool(a.from_dir), **stats(a.out)}
    Path(a.out.rstrip("/") + ".manifest.json").write_text(json.dumps(m, indent=1))
    print(json.dumps(m))


if __name__ == "__main__":
    main()

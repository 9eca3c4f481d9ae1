"""Nearest words and the exact mechanism, against the plain way and FAISS in the same run."""

import time
import warnings
from collections.abc import Callable

import numpy as np
from timing import best_of_each

from dprivacy.sampling import InsecureSource, SystemSource
from dprivacy.text import Embedding, text_cells, text_mechanism, word_movers_distance
from dprivacy.text.embeddings.nearest_vectors import nearest_rows


def plain(queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """One query at a time, by differences: what the definition says."""
    return np.array([np.linalg.norm(rows - query, axis=1).argmin() for query in queries])


def blocked(queries: np.ndarray, rows: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Products of doubles, in blocks."""
    found = [
        (2 * queries[k : k + 128] @ rows.T - squares).argmax(axis=1)
        for k in range(0, len(queries), 128)
    ]
    return np.concatenate(found)


def nearest(words: int, dimension: int, queries: int) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(words, dimension)).astype(np.float32)
    asked = rows[rng.integers(0, words, queries)] + rng.normal(size=(queries, dimension))
    squares = (rows.astype(float) ** 2).sum(axis=1)
    doubles = rows.astype(float)
    runs: dict[str, Callable[[], object]] = {
        "products of doubles": lambda: blocked(asked, doubles, squares),
        "ours": lambda: nearest_rows(asked, rows, squares),
    }
    try:
        import faiss
    except ImportError:
        print("(faiss-cpu is not installed)")
    else:
        index = faiss.IndexFlatL2(dimension)
        index.add(rows)
        runs["FAISS flat"] = lambda: index.search(asked.astype(np.float32), 1)[1][:, 0]
    spent, answers = best_of_each(runs)
    some = slice(0, 50)
    began = time.process_time()
    truth = plain(asked[some], doubles)
    spent["one by one"] = (time.process_time() - began) * queries / 50
    assert (truth == np.asarray(answers["ours"])[some]).all()
    ours = queries / spent["ours"]
    print(f"nearest of {words:,} × {dimension}, {queries:,} queries: ours {ours:,.0f} a second")
    for name, seconds in spent.items():
        if name != "ours":
            same = name not in answers or (np.asarray(answers[name]) == answers["ours"]).all()
            agree = "" if same else "; some answers differ (rounding), ours are those of doubles"
            print(f"  {name:22s} ratio {seconds / spent['ours']:7.2f}×{agree}")


def documents(words: int, dimension: int) -> None:
    rng = np.random.default_rng(2)
    names = tuple(f"w{k}" for k in range(words))
    e = Embedding(names, rng.normal(size=(words, dimension)).astype(np.float32))
    text = " ".join(names[k] for k in rng.zipf(1.3, 1000) % words)
    with warnings.catch_warnings(action="ignore"):
        source = InsecureSource(1)
    runs = {
        noise: lambda noise=noise: (
            text_mechanism(e, eps=10, noise=noise).using(source).protect(text)
        )
        for noise in ("laplace", "exponential")
    }
    for run in runs.values():
        run()
    spent, _ = best_of_each(runs)
    print(f"a document of 1,000 words, vocabulary {words:,} × {dimension}:")
    for noise, seconds in spent.items():
        print(f"  {noise:22s} {seconds:.2f} s of processor time")
    x, z = (text.split()[low : low + 200] for low in (0, 200))
    word_movers_distance(x[:2], z[:2], e)  # loads scipy
    began = time.process_time()
    word_movers_distance(x, z, e)
    print(f"  Word Mover's distance of 200 and 200 words: {time.process_time() - began:.3f} s")


def tickets(words: int, dimension: int, rows: int) -> None:
    """Texts of 40 words in a table: reading with everything looked for, drawing, and writing."""
    rng = np.random.default_rng(3)
    names = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("", *"lmnrst")]
    names = [x + y for x in names for y in names][:words]
    e = Embedding(tuple(names), rng.normal(size=(words, dimension)).astype(np.float32))
    found = ["Maria Oliveira", "+44 20 7946 0958", "12 March 2024", "a.b@example.org"]
    texts = [
        " ".join([*(names[k] for k in rng.zipf(1.3, 39) % words), found[row % 4]])
        for row in range(rows)
    ]
    cells = text_cells(e, eps=2, length=40)
    began = [time.process_time()]
    places = cells.places(texts)
    began.append(time.process_time())
    noisy = cells.draw(places, SystemSource())
    began.append(time.process_time())
    cells.written(noisy)
    began.append(time.process_time())
    spent = np.diff(began) / (rows * 40) * 1e6
    steps = zip(("reading", "drawing", "writing"), spent, strict=True)
    print(
        f"{rows:,} texts of 40 words, vocabulary {words:,}: {spent.sum():.1f} s per million words"
    )
    print("  " + ", ".join(f"{step} {seconds:.1f}" for step, seconds in steps))


if __name__ == "__main__":
    print("numpy", np.__version__)
    nearest(30_000, 100, 1000)
    nearest(50_000, 300, 500)
    documents(30_000, 100)
    tickets(10_000, 100, 20_000)

"""Chapter 9 of the thesis: text."""

from fractions import Fraction as Q
from pathlib import Path

from dprivacy.model import Guarantee
from dprivacy.numbers import Level
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Line, Parts, agrees, compared, extended
from dprivacy.reproduce.items.newsgroups import read_posts, read_vectors
from dprivacy.reproduce.items.repeatable_draws import repeatable
from dprivacy.spaces import FiniteSpace, bags, from_table
from dprivacy.text import author_topic_experiment, chance_within, word_movers_distance
from dprivacy.viz import plot_curves

B1 = ("president", "greet", "press", "chicago")
B2 = ("chief", "speaks", "media", "illinois")
B3 = ("chef", "breaks", "cooking", "record")
GROUPS = ("sci.space", "soc.religion.christian")
ATTACKS = {
    "SRauth": "author, embedding",
    "SRtopic": "topic, embedding",
    "DRauth": "author, n-grams",
    "DRtopic": "topic, linear",
}
# ε of the source, and ε here: with 100 dimensions instead of 300 about half as much does the same.
LEVELS = {"none": None, "30": 15, "25": 12, "20": 10, "15": 7, "10": 3}
PRINTED = {
    20: dict(zip(LEVELS, [(12, 16, 15, 18), (8, 18, 16, 18), (8, 18, 14, 17), (5, 11, 11, 16),
                          (2, 11, 12, 17), (0, 15, 11, 19)], strict=True)),
    50: dict(zip(LEVELS, [(19, 36, 27, 43), (19, 37, 29, 43), (17, 34, 24, 41), (12, 28, 19, 42),
                          (9, 22, 13, 42), (1, 24, 10, 43)], strict=True)),
}  # fmt: skip


@item("T:section-9.3", "What a distance between documents means", "T Eq 9.3, §9.3")
def section_9_3(_: Setting) -> Parts:
    """E(b₁, b₂) = 2.816 and four words."""
    for eps, printed in ((Q(1, 16), "2.02"), (Q(1, 32), "1.42")):
        space = _two_documents()
        factor = Guarantee(Level(4 * eps), space).odds_factor(*space.labels)
        yield compared(f"largest ratio at ε = {eps} a word", printed, float(factor))


def _two_documents() -> FiniteSpace:
    """Documents of four words at the printed distance, whatever the single distances are."""
    words = [*B1, *B2]
    far = [[Q(0) if i == j else Q(3) for j in range(8)] for i in range(8)]
    for i in range(4):
        far[i][i + 4] = far[i + 4][i] = Q("2.816")
    return bags([list(B1), list(B2)], from_table(words, far))


@item(
    "T:figure-9.1",
    "Three documents and how far apart they are",
    "T Fig 9.1, Eq 9.3",
    needs=("glove",),
)
def figure_9_1(setting: Setting) -> Parts:
    """In GloVe's vectors instead of word2vec's: other numbers, the same order."""
    e = read_vectors(_folder(setting))
    near, one, two = (word_movers_distance(x, z, e) for x, z in ((B1, B2), (B1, B3), (B2, B3)))
    yield agrees(
        "E(b₁, b₂) < E(b₂, b₃) < E(b₁, b₃)",
        "2.816 < 3.941 < 4.121",
        f"{near:.3f} < {two:.3f} < {one:.3f}"
        if near < two < one
        else f"{near:.3f}, {two:.3f}, {one:.3f}",
        near < min(one, two),
    )
    yield "The source's vectors are word2vec's on news, 300 dimensions; these are GloVe's, 100."


@item("T:theorem-9.9", "How far noise moves a document", "T Thm 9.9")
def theorem_9_9(_: Setting) -> Parts:
    """n = 3, N = 2, ε = 1, Δ = 1/2."""
    ours = float(chance_within(3, 2, eps=1, radius=0.5))
    yield compared("chance to stay within Δ, by the printed formula", "0.0803", ours, erratum="E14")
    yield extended("chance to stay within Δ", f"{ours:.6f}")


def _folder(setting: Setting) -> Path:
    assert setting.data is not None  # an item with needs is not computed without them
    return setting.data


def _experiment(
    authors: int, setting: Setting
) -> tuple[list[Line], dict[str, list[tuple[float, float]]]]:
    folder = _folder(setting)
    ours = author_topic_experiment(
        read_posts(folder, GROUPS),
        embedding=read_vectors(folder),
        noise="laplace",
        eps=[eps for eps in LEVELS.values() if eps is not None],
        authors_per_topic=authors // 2,
        repetitions=2,
        source=repeatable(9),
        progress=setting.progress,
    )
    lines: list[Line] = []
    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in ATTACKS}
    plain, last = ours.rows[0], ours.rows[-1]
    for (level, printed), row in zip(PRINTED[authors].items(), ours.rows, strict=True):
        for k, (name, attack) in enumerate(ATTACKS.items()):
            right = authors * row.mean(attack)
            lines.append(
                Line(
                    f"{authors} authors, ε = {level} (here {row.label}), {name}",
                    str(printed[k]),
                    f"{right:.1f}",
                    "extended",
                )
            )
            if row.eps is not None:
                curves[name].append((float(row.eps), right))
    names, topics = "author, n-grams", "topic, linear"
    middle = ours.rows[3]
    lines.append(
        extended(
            f"{authors} authors: authorship falls, as the source says",
            f"{plain.mean(names):.0%} → {last.mean(names):.0%}",
            holds=plain.mean(names) > 2 * last.mean(names),
        )
    )
    lines.append(
        extended(
            f"{authors} authors: topic holds meanwhile, down to ε = {middle.label} here",
            f"{plain.mean(topics):.0%} → {middle.mean(topics):.0%}",
            holds=middle.mean(topics) > 0.8 * plain.mean(topics),
        )
    )
    return lines, curves


@item(
    "T:table-9.1",
    "Authors hidden, topics kept",
    "T Table 9.1",
    needs=("text_20news", "glove"),
    heavy=True,
)
def table_9_1(setting: Setting) -> Parts:
    """Other texts and vectors than the source's, so the shape is what can be compared."""
    twenty, curves = _experiment(20, setting)
    fifty, _ = _experiment(50, setting)
    yield from twenty
    yield from fifty
    yield extended("right by chance of 20: authors, topics", "1, 10")
    yield Drawing(
        "Right guesses of 20, by the noise on each word",
        lambda: plot_curves(curves, x="ε per word (smaller is noisier)", y="right guesses of 20"),
    )
    yield (
        "Posts to two newsgroups stand for fan fiction, and GloVe's 100 dimensions for word2vec's "
        "300. That moves ε: the levels here go from nearly all words kept to nearly none. So the "
        "numbers are not the source's, and its shape is what can be compared. Means over two runs."
    )

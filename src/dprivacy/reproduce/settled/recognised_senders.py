"""T ch. 11: what the reports of friend matching tell an adversary who knows the profiles."""

import numpy as np

from dprivacy.hashing import eps_for, friend_leakage, lshrr, pair_leakage, random_projection
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Parts, compared, extended

# ε a bit and bits: the probability of naming the sender, in per cent, as on the page.
PRINTED = {
    ("1/2", 10): "0.72",
    ("1/2", 20): "1.56",
    ("1", 10): "2.94",
    ("1", 20): "9.38",
    ("2", 10): "15.0",
    ("2", 20): "51.8",
    ("3", 20): "83.6",
}


@item("T:pairs", "How well two profiles are told apart, and what is promised", "T ch. 11")
def pairs(_: Setting) -> Parts:
    """Exact probabilities over the draw of hash and noise, 20 bits, δ = 0.01."""
    for distance in ("0.05", "0.1", "0.25"):
        for xi in (1, 2, 5):
            found = pair_leakage(eps_for(xi=xi, bits=20, distance=distance), 20, distance)
            kept = all(found.after <= most for most in found.allowed if most is not None)
            allowed = ", ".join(
                f"{one.name} {float(most):.4f}"
                for one, most in zip(found.guarantees, found.allowed, strict=True)
                if most is not None
            )
            what = f"told apart, d = {distance}, ξ = {xi} (promised: {allowed})"
            yield extended(what, f"{float(found.after):.4f}", holds=kept)


@item("T:friends", "Recognising the sender of a noisy hash", "T ch. 11", needs=("movielens100k",))
def friends(setting: Setting) -> Parts:
    """943 people with all their ratings, known to the adversary; one report."""
    assert setting.data is not None
    given = np.loadtxt(setting.data / "movielens100k" / "u.data", dtype=np.int64)
    profiles = np.zeros((int(given[:, 0].max()), int(given[:, 1].max())))
    profiles[given[:, 0] - 1, given[:, 1] - 1] = given[:, 2]
    for (eps, bits), printed in PRINTED.items():
        function = random_projection(profiles.shape[1], bits=bits, key="friends")
        found = friend_leakage(lshrr(function, eps=eps), profiles)
        yield compared(f"named, per cent, ε = {eps}, {bits} bits", printed, 100 * found.after)
        yield extended(
            f"times as likely, of {float(found.promised):.3g} allowed",
            f"{float(found.leakage):.1f}",
            holds=found.leakage <= found.promised,
        )

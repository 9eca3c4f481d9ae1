"""The JavaScript client: reports for each CPU-second of Node.js, and its size when minified.

There is no JavaScript library that draws from exact channels. Tables are compared with what a page
would write by hand: doubles, a cumulative sum and Math.random, which is neither exact nor secret.

    python bench/bench_javascript.py
"""

import gzip
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from dprivacy.mechanisms import (
    hashed_response,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.store import save

HERE = Path(__file__).parent
CLIENT = HERE.parent / "clients" / "javascript"
GOALS = {"table, 2 outputs": 3e6, "table, 50 outputs": 3e6, "projective, 1024 labels": 0.5e6}


def main() -> None:
    node = shutil.which("node")
    if node is None:
        print("Node.js is not installed")
        return
    mechanisms = {
        "table, 2 outputs": randomised_response(["yes", "no"], eps="ln 3"),
        "table, 50 outputs": randomised_response(range(50), eps=1),
        "projective, 1024 labels": projective_response(range(1024), eps=1, q=4),
        "hashed, 1024 labels": hashed_response(range(1024), eps=1),
        "subsets, 20 labels": subset_response(range(20), eps=1),
        "unary, 1024 labels": unary_response(range(1024), eps=1),
    }
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: f"{folder}/{i}.json" for i, name in enumerate(mechanisms)}
        for name, mechanism in mechanisms.items():
            save(mechanism, paths[name])
        command = [node, str(HERE / "javascript_draws.mjs"), json.dumps(paths)]
        found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    print(f"Node.js {found['node']}, reports for each CPU-second")
    for name, rates in found["told"].items():
        goal = f", goal {GOALS[name]:,.0f}" if name in GOALS else ""
        plain = f", by hand {rates['plain']:,.0f}" if "plain" in rates else ""
        print(f"{name:24} {rates['ours']:12,.0f}{goal}{plain}")
    minifier = shutil.which("esbuild", path=CLIENT / "node_modules" / ".bin") or shutil.which(
        "esbuild"
    )
    for door in ("client.mjs", "places.mjs"):
        if minifier is None:
            print("esbuild is not installed: no sizes")
            break
        options = ["--bundle", "--minify", "--format=esm", "--target=es2022"]
        text = subprocess.run(
            [minifier, *options, door], cwd=CLIENT, capture_output=True, check=True
        ).stdout
        print(f"{door:24} {len(text):12,} bytes minified, {len(gzip.compress(text)):,} gzipped")


if __name__ == "__main__":
    main()

"""Plotly's figures in plain data."""

import json

import numpy as np

import dprivacy as dp
from dprivacy import viz


def test_specs_are_plain_data_with_the_same_numbers():
    G = dp.geometric(dp.line(3), eps="ln 2")
    heat = viz.channel_spec(G)
    assert np.allclose(heat["data"][0]["z"], G.channel.matrix.floats)
    assert heat["data"][0]["text"][0] == ["2/3", "1/6", "1/6"]
    bars = viz.bars_spec({"a": {"x": 1}, "b": {"x": 2}})
    assert [trace["y"] for trace in bars["data"]] == [[1.0], [2.0]]
    curves = viz.curves_spec({"a": [(1, 2), (3, 4)]}, x="x", y="y")
    assert (curves["data"][0]["x"], curves["data"][0]["y"]) == ([1.0, 3.0], [2.0, 4.0])
    for spec in (
        heat,
        bars,
        curves,
        viz.channel_spec(dp.geometric(dp.line(60), eps="ln 2")),
    ):
        assert set(spec) == {"data", "layout"}
        json.dumps(spec, allow_nan=False)

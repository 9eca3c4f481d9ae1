"""Controls of the page: the last question counts, and pictures hide nothing."""

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.viz import bars_spec
from dprivacy.web.shell import controls


@pytest.fixture
def answers(monkeypatch):
    """Answers without a page; what is shown is kept in `held`."""
    answers = controls.Answers.__new__(controls.Answers)
    answers.turn, answers.one = 0, asyncio.Lock()
    answers.busy, answers.spoken = SimpleNamespace(), SimpleNamespace()
    answers.drawer = SimpleNamespace(told=str)
    answers.area, answers.held = nullcontext(), []
    monkeypatch.setattr(nullcontext, "clear", lambda self: answers.held.clear(), raising=False)
    monkeypatch.setattr(controls, "refusal", answers.held.append)
    return answers


def test_of_the_questions_that_wait_only_the_last_is_asked(monkeypatch, answers):
    begun, done, shown = asyncio.Event(), asyncio.Event(), []
    asked = []

    async def found(find):
        asked.append(find())
        begun.set()
        await done.wait()
        return asked[-1]

    monkeypatch.setattr(controls.run, "io_bound", found)

    def show(words):
        shown.append(words)
        return words

    async def everything():
        first = asyncio.create_task(answers.ask(lambda: "first", show))
        await begun.wait()
        more = [asyncio.create_task(answers.ask(lambda k=k: k, show)) for k in ("second", "third")]
        await asyncio.sleep(0)
        done.set()
        await asyncio.gather(first, *more)

    asyncio.run(everything())
    assert asked == ["first", "third"]
    assert shown == ["third"]


def test_nothing_found_late_takes_the_place_of_a_refusal(monkeypatch, answers):
    begun, done = asyncio.Event(), asyncio.Event()

    async def found(find):
        begun.set()
        await done.wait()
        return find()

    monkeypatch.setattr(controls.run, "io_bound", found)

    async def refused_meanwhile(asking):
        late = asyncio.create_task(asking)
        await begun.wait()
        answers.refuse(ValueError("this file is not taken"))
        done.set()
        await late
        begun.clear()
        done.clear()

    async def everything():
        await refused_meanwhile(answers.ask(lambda: "an answer", answers.held.append))
        assert answers.held == ["this file is not taken"]
        await refused_meanwhile(
            answers.add(answers.turn, lambda: "more of it", answers.held.append)
        )
        assert answers.held == ["this file is not taken"]

    asyncio.run(everything())


def test_the_legend_of_a_picture_lies_under_it(monkeypatch):
    drawn = []

    class Plot:
        def __init__(self, figure):
            drawn.append(figure)

        def classes(self, _):
            return self

        def props(self, _):
            return SimpleNamespace(props={})

    monkeypatch.setattr(controls.ui, "plotly", Plot)
    both = {"before": {"yes": 1}, "after": {"yes": 2}}
    controls.figure(bars_spec(both), "two bars")
    legend = drawn[0]["layout"]["legend"]
    assert (legend["yref"], legend["y"], legend["yanchor"]) == ("container", 0, "bottom")

"""Labels to positions and back: nothing wraps, nothing is guessed, nothing is shown."""

from fractions import Fraction as Q

import numpy as np
import pandas
import pyarrow
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import Malformed, UnknownCategory, WrongKind
from dprivacy.mechanisms.containers.opened_values import opened
from dprivacy.mechanisms.containers.python_values import listed, refuse_masked
from dprivacy.mechanisms.groundwork.label_codes import Coder, nearest_steps, read_doubles, whole

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def decoded(coder, codes, like):
    return coder.back(codes, opened(like))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_every_type(dtype):
    coder = Coder([3, 0, 7, 100])
    array = np.array([[0, 3], [100, 7]], dtype=dtype)
    codes = coder.encode(array)
    assert codes.tolist() == [1, 0, 3, 2]
    back = decoded(coder, codes, array)
    assert back.dtype == dtype
    assert (back == array).all()
    for stranger in (1, 101, 8):
        with pytest.raises(UnknownCategory, match="row 2 holds a value"):
            coder.encode(np.array([0, 3, stranger], dtype=dtype))


@pytest.mark.parametrize("offset", [1, 2, 5])
def test_an_unsigned_number_never_wraps_into_a_label(offset):
    """2^64 − 5 is −5 to a careless cast."""
    coder = Coder(range(-5, 6))
    for dtype in (np.uint8, np.uint16, np.uint32, np.uint64):
        with pytest.raises(UnknownCategory, match="row 0"):
            coder.encode(np.array([np.iinfo(dtype).max - offset + 1], dtype=dtype))


@pytest.mark.parametrize("extreme", [np.iinfo(np.int64).min, np.iinfo(np.int64).max])
@pytest.mark.parametrize("labels", [range(5), range(-5, 0), [2**52, 2**52 + 1], [-(2**52)]])
def test_extreme_numbers_do_not_wrap_either(labels, extreme):
    with pytest.raises(UnknownCategory):
        Coder(labels).encode(np.array([extreme]))


@pytest.mark.parametrize(
    "labels",
    [[2**64, 2**64 + 1], [2**63, -1], [2**63, 2**63 + 1], [-(2**63), 2**63 - 1], [2**53 + 1, 0]],
)
def test_labels_beyond_64_bits(labels):
    coder = Coder(labels)
    boxed = np.array(labels, dtype=object)
    assert coder.encode(labels).tolist() == [0, 1]
    assert coder.encode(boxed).tolist() == [0, 1]
    assert decoded(coder, np.array([0, 1]), boxed).tolist() == labels
    assert decoded(coder, np.array([1, 0]), np.zeros(2)).tolist() == labels[::-1]
    with pytest.raises(UnknownCategory):
        coder.encode(np.array([1, 2], dtype=np.uint64))


def test_labels_that_do_not_fit_the_values_type():
    coder = Coder([0, 300])
    assert decoded(coder, np.array([1, 0]), np.zeros(2, dtype=np.uint8)).tolist() == [300, 0]


def test_text_keeps_all_its_characters():
    """An array of text cuts NULs off the end."""
    coder = Coder(["a", "a\0"])
    noisy = decoded(coder, np.array([0, 1, 1]), np.array(["a", "a", "a"]))
    assert noisy.tolist() == ["a", "a\0", "a\0"]
    wide = Coder(["short", "a much longer label"])
    assert decoded(wide, np.array([1]), np.array(["short"])).tolist() == ["a much longer label"]


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b"],
        [0.5, 1.5],
        [True, False],
        [Q(1, 2), Q(3, 2)],
        [(0, 1), (1, 0)],
        [frozenset("ab"), frozenset()],
        ["a", 1],
        [None, "x"],
    ],
)
def test_every_kind_of_label(labels):
    coder = Coder(labels)
    boxed = np.empty(4, dtype=object)
    boxed[:] = [labels[1], labels[0], labels[0], labels[1]]
    codes = coder.encode(boxed)
    assert codes.tolist() == [1, 0, 0, 1]
    assert coder.encode(boxed.tolist()).tolist() == [1, 0, 0, 1]
    back = decoded(coder, codes, boxed)
    assert back.dtype == object
    assert back.tolist() == boxed.tolist()
    assert [type(x) for x in decoded(coder, codes, list(boxed))] == [type(x) for x in boxed]


def test_arrays_of_text_floats_and_bools_keep_their_kind():
    assert decoded(Coder(["a", "bc"]), np.array([1, 0]), np.array(["a", "a"])).dtype.kind == "U"
    assert decoded(Coder([0.5, 1.5]), np.array([1, 0]), np.array([0.5, 0.5])).dtype == np.float64
    assert decoded(Coder([True, False]), np.array([1, 0]), np.array([True, True])).dtype == np.bool_


def test_shapes_come_back():
    coder = Coder(["a", "b"])
    for shape in ((), (1,), (0,), (2, 3), (2, 0, 3)):
        array = np.full(shape, "a")
        assert decoded(coder, coder.encode(array), array).shape == shape


def test_numpy_scalars_and_equal_numbers_are_the_same_label():
    assert Coder([0, 1]).encode([np.int8(1), 1.0, Q(1), np.float64(0)]).tolist() == [1, 1, 1, 0]
    assert Coder([Q(1, 4)]).encode(np.array([0.25])).tolist() == [0]


@pytest.mark.parametrize(
    "stranger", ["canary", [1], {}, object(), float("nan"), None, b"a", 2, (0,), np.array([1, 2])]
)
def test_a_stranger_is_named_by_row_alone(stranger):
    with pytest.raises(UnknownCategory) as caught:
        Coder(["a", 0, 1]).encode(["a", 0, stranger, stranger])
    assert str(caught.value).startswith("row 2 holds a value outside the declared labels; declare")
    assert "canary" not in str(caught.value)


def test_unicode_is_not_guessed_at():
    with pytest.raises(UnknownCategory, match="row 0"):
        Coder(["\u00e9"]).encode(["e\u0301x"])


@pytest.mark.parametrize("values", ["yes", b"yes", 5, None, 2.5, object()])
def test_what_is_no_list_of_values(values):
    with pytest.raises(Malformed, match="list"):
        Coder(["y", "e", "s"]).encode(values)
    with pytest.raises(Malformed, match="list"):
        listed(values)


class Arrow:
    """A frame whose columns are its data, beside their names."""

    column_names = ("job", "age")
    columns = (["canary"], [1])

    def __iter__(self):
        return iter(self.columns)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"y": 1, "e": 2}, r"not a mapping; pass list\(mapping.values"),
        (pandas.DataFrame({"y": ["e"], "s": ["e"]}), r"pass one column, such as frame\['y'\]"),
        (pandas.DataFrame(), r"pass one column, such as frame\['name'\]"),
        (Arrow(), r"pass one column, such as frame\['job'\]"),
        ({"y", "e"}, "not a set, which has no order"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_holds_more_than_a_list_of_values(values, words):
    with pytest.raises(WrongKind, match=words) as caught:
        Coder(["y", "e", "s"]).encode(values)
    assert "canary" not in str(caught.value)


def test_a_column_of_a_frame_is_a_list_of_values():
    assert Coder(["y", "e"]).encode(pandas.Series(["e", "y"])).tolist() == [1, 0]


def test_a_list_of_an_arrow_array_holds_python_values():
    assert listed(pyarrow.array(["e", None])) == ["e", None]


def test_masked_values_are_missing():
    for array in (
        np.ma.array([0, 1, 1], mask=[False, True, False]),
        np.ma.array(["a", "b"], mask=[False, True]),
        np.ma.array([[0.0, 1.0], [1.0, 0.0]], mask=[[False, False], [False, True]]),
    ):
        with pytest.raises(Malformed, match="row 1 is masked"):
            Coder([0, 1]).encode(array)
        with pytest.raises(Malformed, match="row 1 is masked"):
            read_doubles(array, "values")
    with pytest.raises(Malformed):
        refuse_masked(np.ma.masked)
    clear = np.ma.array([0, 1], mask=[False, False])
    assert Coder([0, 1]).encode(clear).tolist() == [0, 1]


@pytest.mark.parametrize(
    "values",
    [
        [10**400],
        ["canary"],
        ["5"],
        "55",
        np.array(["5"]),
        [Q(1, 2), "5"],
        [1 + 2j],
        np.array([1 + 2j]),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.array([5], dtype="timedelta64[s]"),
        [[1], [1, 2]],
        {1.0},
        [object()],
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_is_no_number(values):
    with pytest.raises(Malformed, match="things") as caught:
        read_doubles(values, "things")
    assert "canary" not in str(caught.value)


def test_numbers_of_many_kinds():
    got = read_doubles([1, Q(1, 2), np.float32(0.25), True], "things")
    assert got.tolist() == [1.0, 0.5, 0.25, 1.0]
    assert read_doubles((x for x in (1.0, 2.0)), "things").tolist() == [1.0, 2.0]


@pytest.mark.parametrize("number", [0, -1, 2.0, "3", None, True, Q(3)])
def test_whole_numbers(number):
    assert whole(3, "rows") == whole(np.int64(3), "rows") == 3
    with pytest.raises(Malformed, match="rows"):
        whole(number, "rows")


@pytest.mark.parametrize("low", [Q(0), Q(-5), Q(1, 3), Q(10**15) + Q(1, 7)])
@pytest.mark.parametrize("step", [Q(1), Q(1, 10), Q(1, 3), Q(7, 100), Q(10**6)])
@given(
    near=st.lists(
        st.tuples(st.integers(-(10**6), 10**6), st.sampled_from([0, Q(1, 2), Q(499, 1000)])),
        min_size=1,
        max_size=20,
    )
)
def test_the_nearest_step_is_the_nearest_at_ties_too(low, step, near):
    numbers = np.array([float(low + (k + part) * step) for k, part in near])
    numbers = np.concatenate(
        [numbers, np.nextafter(numbers, -np.inf), np.nextafter(numbers, np.inf)]
    )
    found = nearest_steps(numbers, step, low)
    assert found.tolist() == [round((Q(number) - low) / step) for number in numbers.tolist()]


def test_doubles_alone_would_take_the_wrong_step():
    assert np.rint(0.45 / 0.1) == 4  # 0.45 is a little more than 9/20
    assert nearest_steps(np.array([[0.45], [0.25]]), Q(1, 10)).tolist() == [[5], [2]]
    with pytest.raises(Malformed, match="too far away for a grid of 1/10"):
        nearest_steps(np.array([0.0, 1e300]), Q(1, 10))

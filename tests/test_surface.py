"""The façade: one list, loaded lazily; a name that is not on it is answered with its address."""

import re
from pathlib import Path

import pytest

import dprivacy as dp
from support.programs import printed

MOST_NAMES = 65


def test_every_listed_name_loads():
    for name in dp._HOME:
        assert getattr(dp, name) is not None
    assert set(dp._HOME) <= set(dir(dp))


def test_the_surface_is_small():
    assert len(dp.__all__) <= MOST_NAMES


def test_the_stub_is_read_as_python_reads_it():
    stub = Path(dp.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert set(re.findall(r"\b(\w+) as \1\b", stub)) == set(dp._HOME)
    assert {f"dprivacy.{room}" for room in dp._ROOMS} | {"dprivacy"} >= set(dp._HOME.values())


def test_every_room_is_an_attribute():
    folders = {path.parent.name for path in Path(dp.__file__).parent.glob("*/__init__.py")}
    assert folders - {"cli"} <= set(dp._ROOMS)
    assert not folders & set(dp.__all__)


def test_a_name_of_a_room_is_answered_with_its_address():
    with pytest.raises(
        AttributeError, match=r"no 'kernels' of its own; it is dprivacy\.polytope\.kernels"
    ):
        dp.kernels
    with pytest.raises(AttributeError, match=r"^dprivacy has no 'nothing'$"):
        dp.nothing


@pytest.mark.parametrize("name", sorted(dp._RENAMED))
def test_a_renamed_name_is_answered_with_its_new_one(name):
    with pytest.raises(AttributeError, match=name) as caught:
        getattr(dp, name)
    address = re.search(r"dprivacy\.([\w.]+)", str(caught.value))[1]
    found = dp
    for part in address.split("."):
        found = getattr(found, part)


def test_looking_for_an_address_loads_no_room():
    program = "import sys, dprivacy; hasattr(dprivacy, 'kernels'); print('numpy' in sys.modules)"
    assert printed(program).strip() == "False"


def test_importing_the_package_loads_no_room():
    program = (
        "import sys, dprivacy; "
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('numpy', 'scipy', 'flint', 'highspy', 'narwhals', 'ast') or "
        "m.startswith('dprivacy.') and m != 'dprivacy.version'])"
    )
    assert printed(program).strip() == "[]"


def test_verifying_loads_neither_scipy_nor_a_solver():
    program = (
        "import sys, dprivacy as dp; dp.privacy([['1/2', '1/2']], dp.line(1)); "
        "print([m for m in ('scipy', 'highspy', 'narwhals', 'rich_click') if m in sys.modules])"
    )
    assert printed(program).strip() == "[]"

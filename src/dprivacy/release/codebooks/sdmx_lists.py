"""Code lists of SDMX 2.1 and 3.0: codes with names and the code above them."""

from dprivacy.errors import BadFile
from dprivacy.release.codebooks.bounded_xml import Element
from dprivacy.release.codebooks.codebook_model import Value


def is_sdmx(root: Element) -> bool:
    """Whether a document has code lists of SDMX."""
    return next(root.inside("Codelist", "CodeList"), None) is not None


def sdmx_codes(root: Element, name: str) -> tuple[Value, ...]:
    """The codes of the one list that a document holds; where there are several it is refused."""
    lists = [found for found in root.inside("Codelist", "CodeList") if any(found.all("Code"))]
    if len(lists) != 1:
        raise BadFile(
            f"{name}: should hold one code list with its codes, not {len(lists)}; save the one alone"
        )
    return tuple(_value(code) for code in lists[0].all("Code"))


def _value(code: Element) -> Value:
    name = code.words("Name") or code.words("Description")  # a code of SDMX 2.0 has the second
    return Value(code.get("id") or code.get("value"), name, parent=_parent(code))


def _parent(code: Element) -> str:
    """The code above: the text of Parent (3.0), its reference (2.1), or an attribute (2.0)."""
    for parent in code.all("Parent"):
        reference = next(parent.all("Ref"), None)
        return parent.text if reference is None else reference.get("id")
    return code.get("parentCode")

"""Every table, example and figure of the sources, computed again and compared with the print."""

from dprivacy.reproduce.data import Dataset, datasets, fetch
from dprivacy.reproduce.items import Item, Setting, catalogue, chosen
from dprivacy.reproduce.lines import Drawing, Found, Line
from dprivacy.reproduce.page import page
from dprivacy.reproduce.report import write_report
from dprivacy.reproduce.running import Outcome, Reproduction, reproduce

__all__ = [
    "Dataset",
    "Drawing",
    "Found",
    "Item",
    "Line",
    "Outcome",
    "Reproduction",
    "Setting",
    "catalogue",
    "chosen",
    "datasets",
    "fetch",
    "page",
    "reproduce",
    "write_report",
]

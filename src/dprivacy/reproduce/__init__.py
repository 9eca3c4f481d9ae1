"""Every table, example and figure of the sources, computed again and compared with the print."""

from dprivacy.reproduce.items.catalogue_items import Item as Item, catalogue as catalogue
from dprivacy.reproduce.items.compared_lines import Line as Line
from dprivacy.reproduce.items.data_sets import (
    Dataset as Dataset,
    datasets as datasets,
    fetch as fetch,
)
from dprivacy.reproduce.report_page import write_report as write_report
from dprivacy.reproduce.running_items import (
    Outcome as Outcome,
    Reproduction as Reproduction,
    reproduce as reproduce,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.reproduce.items.catalogue_items import chosen as chosen

"""Every table, example and figure of the sources, computed again and compared with the print."""

from dprivacy.reproduce.items.catalogue_items import (
    Item as Item,
    Setting as Setting,
    catalogue as catalogue,
    chosen as chosen,
)
from dprivacy.reproduce.items.compared_lines import Drawing as Drawing, Found as Found, Line as Line
from dprivacy.reproduce.items.data_sets import (
    Dataset as Dataset,
    datasets as datasets,
    fetch as fetch,
)
from dprivacy.reproduce.report_page import page as page, write_report as write_report
from dprivacy.reproduce.running_items import (
    Outcome as Outcome,
    Reproduction as Reproduction,
    reproduce as reproduce,
)

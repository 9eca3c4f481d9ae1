"""Collections: noisy reports from people's own devices, counted without ever seeing an answer."""

from dprivacy.collecting.books.book_places import (
    new_book as new_book,
    open_book as open_book,
)
from dprivacy.collecting.books.collection_book import Book as Book, Collection as Collection
from dprivacy.collecting.closed_collection import close_book as close_book
from dprivacy.collecting.collector_server import serve_collection as serve_collection
from dprivacy.collecting.fake_reports import (
    CounterVerdict as CounterVerdict,
    FakeReport as FakeReport,
    counters_honest as counters_honest,
    fake_report as fake_report,
    fewest_fakes as fewest_fakes,
)
from dprivacy.collecting.live_estimates import Findings as Findings, findings as findings
from dprivacy.collecting.report_wire import Tally as Tally
from dprivacy.collecting.wire_choice import wire_of as wire_of

# isort: split
# For other rooms; not part of the surface.
from dprivacy.collecting.books.book_places import (
    SCHEMA as SCHEMA,
    has_book as has_book,
    require_room as require_room,
)
from dprivacy.collecting.closed_collection import (
    charge as charge,
    why_no_release as why_no_release,
)
from dprivacy.collecting.collector_server import USUAL_PORT as USUAL_PORT

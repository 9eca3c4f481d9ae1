"""The numbered statements of the sources, and who implements them.

Every theorem, definition and example that the code uses has a key such as ``T Def 4.4.4``. The
decorator :func:`result` records which function implements a statement; tests carry the marker
``statement``; the documentation's results table is made from both.
"""

from dprivacy.sources.statement_list import (
    Statement as Statement,
    citations as citations,
    claims as claims,
    result as result,
    statements as statements,
)

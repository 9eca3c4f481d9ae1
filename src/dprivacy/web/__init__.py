"""The page: protect, receive, verify, compare, explore and design, without writing code.

It is served to this machine alone, asks nothing of any other, and forgets what it was given. The pages
need NiceGUI (extra ``[web]``), which is loaded by `serve`.
"""

from dprivacy.web.serving import serve as serve

"""The built site as a newcomer meets it: the first screen, the searches of a first day, a telephone.

Needs Chromium and playwright; `.ci/docs.py` says so where they are missing, and goes on.
"""

import functools
import http.server
import threading
from pathlib import Path

SCREEN = (1280, 800)
FIRST = {  # what the first screen of the front page has to hold
    "what it is": ".md-content h1 ~ p",
    "what to type": ".md-content pre",
    "for whom": ".md-content table tbody tr:last-child",
}
SEARCHES = {  # what is typed, and the page that has to come first or second
    "pram": "how-to/migrate/",
    "randomised response": "mechanisms/randomised-response/",
    "location privacy": "how-to/protect-places/",
    "ethics board": "how-to/explain-to-a-board/",
    "estimate counts": "how-to/estimate-from-noise/",
    "ten million rows": "how-to/ten-million-rows/",
    "regression on noise": "how-to/regress-on-noise/",
    "sql": "how-to/ask-in-sql/",
    "plan from a codebook": "how-to/from-a-codebook/",
    "laplace mechanism": "mechanisms/laplace/",
    "geometric mechanism": "mechanisms/geometric/",
    "privacy budget": "how-to/keep-a-ledger/",
    "choose epsilon": "how-to/protect-a-table/",
    "gps": "how-to/protect-places/",
    "free text": "how-to/protect-text/",
    "confidence interval": "how-to/estimate-from-noise/",
    "data archive": "how-to/archive-a-release/",
}
# Whether what is typed goes into the box of the search.
READY = "() => document.activeElement.shadowRoot?.activeElement?.matches('input')"

TELEPHONE = (390, 844)
NARROW = (  # pages with long output, wide tables, pictures and long formulas
    "",
    "tutorial/",
    "how-to/verify-a-matrix/",
    "how-to/protect-a-table/",
    "gallery/",
    "theory/slack/",
    "comparison/",
    "reference/flow/",
    "reference/errors/",
)
# What is cut: output that does not wrap, and what reaches beyond the screen where nothing scrolls.
CUT = """() => [...document.querySelectorAll('.md-content *')].filter(e => {
  if (e.matches('.language-text code, .language-console code, .language-pycon code'))
    return e.scrollWidth > e.clientWidth + 1;
  if (e.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let p = e.parentElement; p; p = p.parentElement)
    if (['auto', 'scroll'].includes(getComputedStyle(p).overflowX)) return false;
  return true;
}).map(e => e.textContent.trim().slice(0, 60))"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of single requests."""


def complaints(site: Path, chromium: str) -> list[str]:
    """What a newcomer would miss, a line each."""
    from playwright.sync_api import sync_playwright

    handler = functools.partial(_Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    missed = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=dict(zip(("width", "height"), SCREEN, strict=True)))
        page.goto(home)
        for what, where in FIRST.items():
            box = page.locator(where).first.bounding_box()
            if box is None or box["y"] + box["height"] > SCREEN[1]:
                missed.append(f"the first screen of the front page lacks {what}: {box}")
        for words, wanted in SEARCHES.items():
            page.goto(home)
            page.get_by_role("button", name="Search").first.click()
            page.wait_for_function(READY)  # letters are shortcuts before: n opens the next page
            # As one piece: letter by letter, what is listed may still be what was found for fewer of
            # them, while the addresses carry all of them already.
            page.keyboard.insert_text(words)
            hits = page.locator(f'a[href*="?h={words.replace(" ", "+")}"]')
            hits.first.wait_for(timeout=60_000)
            found = [
                link.split("?")[0].removeprefix(home)
                for link in hits.evaluate_all("a => a.map(b => b.href)")
            ]
            first = list(dict.fromkeys(found))[:2]
            if wanted not in first:
                missed.append(f"searching for {words!r} finds {first}, not {wanted}")
        page.set_viewport_size(dict(zip(("width", "height"), TELEPHONE, strict=True)))
        for name in NARROW:
            page.goto(home + name)
            missed += [
                f"{name or 'the front page'} is cut on a telephone: {text}"
                for text in page.evaluate(CUT)
            ]
        browser.close()
    server.shutdown()
    return missed

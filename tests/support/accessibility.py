"""What keeps people out of a page, as axe-core finds it."""

from support.services import AXE

_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_LOOK = """async (rules) => (await axe.run(document, {runOnly: rules})).violations
    .map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 160)).join(' | '))"""


def violations(page):
    """Each rule that the page breaks, with where; the page's context must bypass its policy."""
    page.add_script_tag(path=AXE)
    return page.evaluate(_LOOK, _RULES)

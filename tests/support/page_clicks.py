"""What tests do on the page: open it, choose a file, fetch one, read the headline."""

from support.patience import PATIENCE


def context_of(chromium, **options):
    """What shares nothing with other windows; all in it wait as long as a busy machine needs.

    Nothing moves in it, as for people who ask for that: what opens slowly can slip from under a click.
    """
    context = chromium.new_context(reduced_motion="reduce", **options)
    context.set_default_timeout(1000 * PATIENCE)
    return context


def headline(page):
    return page.locator(".dp-headline").first


def choose(page, button, file):
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name=button, exact=True).click()
    chosen.value.set_files(file)


def downloaded(page, button, folder):
    with page.expect_download() as begun:
        page.get_by_role("button", name=button, exact=True).click()
    path = folder / begun.value.suggested_filename
    begun.value.save_as(path)
    return path

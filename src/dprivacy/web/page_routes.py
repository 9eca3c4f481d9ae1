"""The rooms under their addresses, as one application."""

from typing import Any

from fastapi import FastAPI, Request
from nicegui import ui

from dprivacy.web.pages import (
    compare_page as compare,
    design_page as design,
    explore_page as explore,
    protect_page as protect,
    receive_page as receive,
    verify_page as verify,
)
from dprivacy.web.shell import page_frame as frame
from dprivacy.web.shell.desk import Desk
from dprivacy.web.shell.page_style import CSS

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<path d="M16 3 30 28H2Z" fill="#0b5c8a"/>'
    '<circle cx="16" cy="20" r="4" fill="white"/></svg>'
)


def application(desk: Desk, *, largest: int, forget_after: float) -> Any:
    """The page as an ASGI application.

    Parameters
    ----------
    desk
        Where files go.
    largest
        The largest file that is taken, in bytes.
    forget_after
        Seconds after which a page that was closed is forgotten, with its files.
    """

    @ui.page("/")
    def home() -> None:
        frame.home()

    @ui.page("/protect")
    def protect_page(request: Request) -> None:
        protect.page(desk, request.query_params, largest)

    @ui.page("/receive")
    def receive_page(request: Request) -> None:
        receive.page(desk, request.query_params, largest)

    @ui.page("/verify")
    def verify_page(request: Request) -> None:
        verify.page(desk, request.query_params)

    @ui.page("/compare")
    def compare_page(request: Request) -> None:
        compare.page(desk, request.query_params)

    @ui.page("/explore")
    def explore_page(request: Request) -> None:
        explore.page(desk, request.query_params)

    @ui.page("/design")
    def design_page(request: Request) -> None:
        design.page(desk, request.query_params)

    ui.add_css(CSS, shared=True)
    server = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        server,
        title="dprivacy",
        favicon=_ICON,
        language="en-GB",
        reconnect_timeout=forget_after,
        tailwind=False,
        show_welcome_message=False,
    )
    return server

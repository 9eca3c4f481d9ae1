"""The rooms under their addresses, as one application."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from nicegui import app, ui

from dprivacy.viz import MAP_STYLE
from dprivacy.web.pages.collect_page import CollectRoom
from dprivacy.web.pages.compare_page import CompareRoom
from dprivacy.web.pages.design_page import DesignRoom
from dprivacy.web.pages.explore_page import ExploreRoom
from dprivacy.web.pages.protect_page import ProtectRoom
from dprivacy.web.pages.receive_page import ReceiveRoom
from dprivacy.web.pages.verify_page import VerifyRoom
from dprivacy.web.places.places_page import PlacesRoom
from dprivacy.web.shell.desk import Desk
from dprivacy.web.shell.open_room import OpenRoom
from dprivacy.web.shell.page_frame import home
from dprivacy.web.shell.page_style import CSS
from dprivacy.web.shell.request_guard import STORED
from dprivacy.web.texts.texts_page import TextsRoom

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<path d="M16 3 30 28H2Z" fill="#0b5c8a"/>'
    '<circle cx="16" cy="20" r="4" fill="white"/></svg>'
)


_REMEMBER = (
    f"""<script>localStorage.setItem("{STORED}", location.pathname.split("/")[1])</script>"""
)
_ROOMS = (
    ProtectRoom,
    ReceiveRoom,
    CollectRoom,
    PlacesRoom,
    TextsRoom,
    VerifyRoom,
    CompareRoom,
    ExploreRoom,
    DesignRoom,
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
    ui.page("/")(home)
    for room in _ROOMS:
        ui.page(f"/{room.name}")(_opening(room, desk, largest))
    ui.add_css(CSS, shared=True)
    ui.add_css(MAP_STYLE, shared=True)
    ui.add_head_html(_REMEMBER, shared=True)
    # A bar for each request, which has no name for those who cannot see it; rooms say what they do.
    app.config.quasar_config["loadingBar"] = {"skipHijack": True}
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


def _opening(room: type[OpenRoom], desk: Desk, largest: int) -> Callable[[Request], Any]:
    def opened(request: Request) -> Any:
        refused = room(desk, request.query_params, largest).refused
        return ui.context.client.build_response(request, 400) if refused else None

    return opened

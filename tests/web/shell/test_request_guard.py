"""Who is let in: the guard alone, without a server."""

import asyncio

import pytest

from dprivacy.web.shell.request_guard import Guard

KEY = "a-key-of-this-run"
MINE = "127.0.0.1:8450"


async def _inner(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def ask(
    path="/",
    *,
    method="GET",
    host=MINE,
    origin=None,
    key=KEY,
    query="",
    parts=(b"",),
    kind="http",
    more=(),
    app=_inner,
):
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    headers += list(more)
    path = path if key is None else f"/{key}{path}"
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers}
    if kind == "http":
        scope["method"] = method
    waiting = [
        {"type": "http.request", "body": part, "more_body": k + 1 < len(parts)}
        for k, part in enumerate(parts)
    ]
    sent = []

    async def receive():
        return waiting.pop(0) if kind == "http" else {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    guard = Guard(app, port=8450, key=KEY, largest=1000)
    asyncio.run(guard(scope, receive, send))
    return sent


def status(*args, **options):
    return ask(*args, **options)[0]["status"]


def headers_of(sent):
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_who_has_the_key_is_served():
    sent = ask()
    assert sent[0]["status"] == 200
    named = headers_of(sent)
    assert named["cache-control"] == "no-store"
    assert named["x-frame-options"] == "DENY"
    assert "default-src 'self'" in named["content-security-policy"]
    assert "frame-ancestors 'none'" in named["content-security-policy"]


@pytest.mark.parametrize("key", [None, "", "another-key", KEY + "x", KEY[:-1], "é", f"x/{KEY}"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_without_the_key_nobody_is_served(key, method):
    given = [(b"cookie", f"dprivacy_8450={KEY}".encode())]
    sent = ask(key=key, method=method, origin=f"http://{MINE}", query=f"key={KEY}", more=given)
    assert sent[0]["status"] == 401
    assert KEY not in sent[1]["body"].decode()
    assert "Open the address that the command dprivacy app printed" in sent[1]["body"].decode()


def test_the_application_sees_its_own_path_and_where_it_lies():
    seen = {}

    async def looking(scope, receive, send):
        seen.update(scope)
        await _inner(scope, receive, send)

    sent = ask("/verify", app=looking, more=[(b"X-Forwarded-Prefix", b"//evil.example")])
    assert seen["path"] == "/verify"
    told = [value for name, value in seen["headers"] if name.lower() == b"x-forwarded-prefix"]
    assert told == [f"/{KEY}".encode()]
    assert "set-cookie" not in headers_of(sent)


@pytest.mark.parametrize(
    "host", ["evil.example:8450", "127.0.0.1", "127.0.0.1:9999", "", "127.0.0.1:8450.evil"]
)
def test_a_name_that_was_bound_to_this_machine_anew_is_refused(host):
    assert status(host=host) == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8450", "http://127.0.0.1:1"]
)
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_other_origins_are_refused(origin, method):
    assert status(method=method, origin=origin) == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_what_changes_something_must_say_where_it_comes_from(method):
    assert status(method=method) == 403
    assert status(method=method, origin=f"http://{MINE}") == 200


def test_websockets_need_origin_and_key():
    assert ask(kind="websocket", origin=f"http://{MINE}")[0]["type"] == "websocket.accept"
    for options in (
        {"origin": "http://evil.example"},
        {},
        {"origin": f"http://{MINE}", "key": None},
    ):
        assert ask(kind="websocket", **options)[0]["type"] == "websocket.close"


def test_a_long_body_is_refused_whether_it_says_so_or_not():
    mine = {"method": "POST", "origin": f"http://{MINE}"}
    assert status(**mine, more=[(b"content-length", b"1001")]) == 413
    assert status(**mine, more=[(b"content-length", b"-5")]) == 413
    assert status(**mine, parts=[b"x" * 400] * 3) == 413
    assert status(**mine, parts=[b"x" * 400] * 2) == 200


def test_an_application_that_hides_the_overflow_does_not_change_the_refusal():
    async def hiding(scope, receive, send):
        try:
            while (await receive()).get("more_body"):
                pass
            status = 200
        except Exception:
            status = 500
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"Internal Server Error"})

    mine = {"method": "POST", "origin": f"http://{MINE}", "app": hiding}
    for parts in ([b"x" * 400] * 3, [b"x" * 400] * 4, [b"x" * 400] * 9):
        start, body = ask(**mine, parts=parts)
        assert start["status"] == 413
        assert b"too large for the page" in body["body"]
    assert status(**mine, parts=[b"x" * 400] * 2) == 200

"""The JavaScript client in Chromium: Python's words again, its key, and its outbox over reloads."""

import json
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dprivacy.mechanisms import local_plan, randomised_response
from dprivacy.store import save
from support.client_places import write_places
from support.client_vectors import write_vectors
from support.node_tests import CLIENT
from support.page_clicks import context_of

ROOT = CLIENT.parents[1]
pytestmark = pytest.mark.service("browser")

REPLAY = """async () => {
  const { load } = await import("/client.mjs");
  const { places } = await import("/places.mjs");
  const { givenWords } = await import("/draws.mjs");
  const json = async (name) => (await fetch(name)).json();
  const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const { key, mechanisms } = await json("/vectors.json");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", bytes(key), algorithm, false, ["sign"]);
  const differ = [];
  const same = (found, told, name) => {
    if (JSON.stringify(found) !== JSON.stringify(told)) differ.push(name);
  };
  let compared = 0;
  for (const { file, stream, reports, residuals, permanent } of mechanisms) {
    const m = await load(file, { odds: "9".repeat(90) });
    const words = givenWords(bytes(stream));
    for (const [i, told] of reports.entries())
      same(m.randomise(m.labels[i % m.labels.length], words), told, m.family);
    for (const [x, given, told] of residuals)
      same(m.randomise(m.labels[x], givenWords(bytes(given))), told, m.family + ", residual");
    for (const [context, x, told] of permanent)
      same(await m.permanent(m.labels[x], secret, context), told, m.family + ", permanent");
    compared += reports.length + residuals.length + permanent.length;
  }
  const { near, places: moved } = await json("/places.json");
  for (const { options, stream, reports } of moved) {
    const m = await places(options);
    const words = givenWords(bytes(stream));
    for (const [i, told] of reports.entries()) {
      const found = m.randomise(near[i % near.length], words);
      if (found.some((side, k) => Math.abs(side - told[k]) > 1.5e-7)) differ.push(options);
      compared++;
    }
  }
  return { compared, differ };
}"""

ASKED = """async (answer) => {
  const { load, deviceKey, Outbox } = await import("/client.mjs");
  const m = await load(await (await fetch("/mechanism.json")).text(), { odds: 3 });
  const key = await deviceKey();
  const outbox = new Outbox(m, "/v1/reports");
  const add = () => outbox.add("first", () => m.randomise(answer));
  const [{ body, state }, other] = await Promise.all([add(), add()]);
  const readable = await crypto.subtle.exportKey("raw", key).then(() => true, () => false);
  const kept = await m.permanent(answer, key, "asked");
  return { body, other: other.body, state, readable, kept, told: await outbox.send() };
}"""

SENT = """async (sha256) => {
  const { Outbox } = await import("/client.mjs");
  return new Outbox({ sha256 }, "/v1/reports").send();
}"""


def hash_of(asked):
    return json.loads(asked["body"])["mechanism"]


class Folder(SimpleHTTPRequestHandler):
    """The client beside some vectors, and a collector that writes down what it gets."""

    def translate_path(self, path):
        name = path.lstrip("/")
        return str((CLIENT if (CLIENT / name).is_file() else self.server.vectors) / name)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.bodies.append((self.path, body, dict(self.headers)))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *told):
        pass

    def guess_type(self, path):
        return "text/javascript" if str(path).endswith(".mjs") else "text/html"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    save(randomised_response(["yes", "no"], eps="ln 3"), folder / "mechanism.json")
    (folder / "page").write_text("<!doctype html><title>client</title>")
    (folder / "v1").mkdir()
    drinks = local_plan(["tea", "coffee", "milk"], eps="ln 3", n=100).mechanism
    save(drinks, folder / "v1" / "mechanism")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Folder))
    server.vectors, server.bodies, server.status = folder, [], 200
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.address = f"http://127.0.0.1:{server.server_address[1]}/page"
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_chromium_draws_what_python_draws(served, chromium):
    write_vectors(served.vectors, words=500)
    write_places(served.vectors, words=500)
    page = context_of(chromium).new_page()
    page.goto(served.address)
    found = page.evaluate(REPLAY)
    assert found["differ"] == []
    assert found["compared"] > 2000
    page.close()


def test_a_report_outlives_the_page_and_is_sent_as_it_was(served, chromium):
    context = context_of(chromium)
    page = context.new_page()
    page.goto(served.address)
    served.bodies.clear()
    served.status = 503
    first = page.evaluate(ASKED, "no")
    assert first["told"] == {"sent": 0, "waiting": 1, "refused": 0}
    assert first["body"] == first["other"]  # two draws at once, one of them kept
    assert (first["state"], first["readable"]) == ("waiting", False)
    page.reload()
    served.status = 200
    page.evaluate("import('/client.mjs')")
    context.set_offline(True)
    assert page.evaluate(SENT, hash_of(first)) == {"sent": 0, "waiting": 1, "refused": 0}
    context.set_offline(False)
    # Another answer after the reload: what was stored is what is sent.
    second = page.evaluate(ASKED, "yes")
    assert second["body"] == first["body"]
    assert second["told"] == {"sent": 1, "waiting": 0, "refused": 0}
    third = context.new_page()
    third.goto(served.address)
    last = third.evaluate(ASKED, "no")
    assert (last["state"], last["told"]) == ("sent", {"sent": 0, "waiting": 0, "refused": 0})
    assert last["kept"] == first["kept"]  # the key is the same
    assert [body for _, body, _ in served.bodies] == [first["body"]] * 2
    for path, _, headers in served.bodies:
        assert path == "/v1/reports"
        assert not {"Cookie", "Referer"} & set(headers)
    context.close()


@pytest.mark.parametrize(
    "document", [CLIENT / "README.md", ROOT / "docs" / "how-to" / "noise-on-the-device.md"]
)
def test_what_the_documentation_shows_runs(served, chromium, document):
    blocks = re.findall(r"```js\n(.*?)```", document.read_text(), flags=re.DOTALL)
    assert len(blocks) == 3
    doors = {"@dprivacy/client": "/client.mjs", "@dprivacy/client/places": "/places.mjs"}
    (served.vectors / "page").write_text(
        f"""<!doctype html><script type="importmap">{json.dumps({"imports": doors})}</script>
        <script type="module">{"".join(blocks)}
        globalThis.done = [await outbox.send(), latitude, longitude];</script>"""
    )
    served.status = 200
    served.bodies.clear()
    context = context_of(chromium)
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(served.address)
    page.wait_for_function("globalThis.done")
    told, latitude, longitude = page.evaluate("done")
    assert (complaints, told) == ([], {"sent": 1, "waiting": 0, "refused": 0})
    assert abs(latitude - 40.7484) + abs(longitude + 73.9857) < 0.3
    assert len(served.bodies) == 2
    context.close()

// A report is drawn once, stored before it is sent, and sent again as it is.

import assert from "node:assert/strict";
import { test } from "node:test";

import { MemoryStore, Outbox, deviceKey } from "../client.mjs";

const mechanism = { sha256: "f".repeat(64) };

/** A collector that gives these answers, one after the other: a status, or an error of the network. */
function collector(...answers) {
  const bodies = [];
  const fetch = async (address, { body, method, credentials, referrerPolicy, redirect, headers }) => {
    const told = [address, method, credentials, referrerPolicy, redirect];
    assert.deepEqual(told, ["/v1/reports", "POST", "omit", "no-referrer", "error"]);
    assert.deepEqual(headers, { "content-type": "application/json" });
    bodies.push(body);
    const status = answers.shift();
    if (status === undefined) throw new TypeError("network");
    return { status };
  };
  return { bodies, fetch };
}

test("a retry sends the stored bytes", async () => {
  const unheard = [undefined, 503, 429, 500, 408, 404, 403, 304];
  const { bodies, fetch } = collector(...unheard, 200);
  const store = new MemoryStore();
  const outbox = new Outbox(mechanism, "/v1/reports", { store, fetch });
  let draws = 0;
  const kept = await outbox.add("tea", () => ++draws);
  assert.deepEqual(await outbox.add("tea", () => ++draws), kept);
  for (const _ of unheard) assert.deepEqual(await outbox.send(), { sent: 0, waiting: 1, refused: 0 });
  const afresh = new Outbox(mechanism, "/v1/reports", { store, fetch }); // as after closing the page
  assert.deepEqual(await afresh.send(), { sent: 1, waiting: 0, refused: 0 });
  assert.deepEqual(await afresh.send(), { sent: 0, waiting: 0, refused: 0 });
  assert.deepEqual(bodies, Array(unheard.length + 1).fill(kept.body));
  assert.equal((await afresh.add("tea", () => ++draws)).state, "sent");
  assert.equal(draws, 1);
  const { mechanism: hash, reports } = JSON.parse(kept.body);
  assert.equal(hash, mechanism.sha256);
  assert.deepEqual(reports.map(([, report]) => report), [1]);
  assert.match(reports[0][0], /^[0-9a-f]{32}$/);
});

for (const status of [410, 413, 422]) test(`what is refused with ${status} is not sent again, and not drawn again`, async () => {
  const { bodies, fetch } = collector(status);
  const outbox = new Outbox(mechanism, "/v1/reports", { store: new MemoryStore(), fetch });
  await outbox.add("tea", () => 7);
  assert.deepEqual(await outbox.send(), { sent: 0, waiting: 0, refused: 1 });
  assert.deepEqual(await outbox.send(), { sent: 0, waiting: 0, refused: 0 });
  assert.equal((await outbox.add("tea", () => assert.fail("drawn again"))).state, "refused");
  assert.equal(bodies.length, 1);
});

test("names and mechanisms have reports of their own", async () => {
  const store = new MemoryStore();
  const { bodies, fetch } = collector(200, 200, 200);
  const outbox = new Outbox(mechanism, "/v1/reports", { store, fetch });
  const other = new Outbox({ sha256: "e".repeat(64) }, "/v1/reports", { store, fetch });
  await outbox.add("a", () => [1, 2]);
  await outbox.add("b", async () => "0f");
  await other.add("a", () => 3);
  assert.deepEqual(await outbox.send(), { sent: 2, waiting: 0, refused: 0 });
  assert.equal(new Set(bodies.map((body) => JSON.parse(body).reports[0][0])).size, 2);
  assert.deepEqual(await other.send(), { sent: 1, waiting: 0, refused: 0 });
});

test("two tabs that draw at once send one report", async () => {
  const store = new MemoryStore();
  const slow = { get: async () => undefined, add: async (...pair) => store.add(...pair) };
  const [one, two] = [1, 2].map(() => new Outbox(mechanism, "/v1/reports", { store: slow }));
  const kept = await Promise.all([one.add("a", () => 1), two.add("a", () => 2)]);
  assert.deepEqual(kept[0], kept[1]);
});

test("a draw that fails stores nothing", async () => {
  const store = new MemoryStore();
  const outbox = new Outbox(mechanism, "/v1/reports", { store });
  await assert.rejects(outbox.add("a", () => { throw new RangeError("no"); }), RangeError);
  assert.equal(store.size, 0);
});

test("the key is made once and cannot be read", async () => {
  const store = new MemoryStore();
  const [key, again] = await Promise.all([deviceKey(store), deviceKey(store)]);
  assert.equal(key, again);
  assert.equal(await deviceKey(store), key);
  assert.equal(key.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("raw", key));
});

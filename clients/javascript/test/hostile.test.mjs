// Files that lie, pages that accept less, and values that are no labels.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Refused, load } from "../client.mjs";
import { canonical } from "../keyed.mjs";

const folder = process.env.VECTORS;
const skip = folder ? false : "there are no files; pytest tests/clients writes them";
const { lying, unwanted, accepted } = folder
  ? JSON.parse(readFileSync(`${folder}/attacks.json`, "utf8"))
  : { lying: [], unwanted: [], accepted: [] };

test("there are attacks", { skip }, () => assert.ok(lying.length > 60));

for (const [name, text] of lying)
  test(`refused: ${name}`, async () => {
    await assert.rejects(load(text, { odds: 1000 }), (reason) => {
      assert.ok(reason instanceof Refused && reason.message.length > 10, reason);
      return reason.cause === undefined;
    });
  });

for (const [name, text] of unwanted)
  test(`not accepted: ${name}`, () => assert.rejects(load(text, { odds: 3 }), Refused));

for (const [name, text] of accepted)
  test(`accepted: ${name}`, async () => {
    const mechanism = await load(text, { odds: "3" });
    const { labels } = mechanism;
    for (const label of [labels[0], labels.at(-1)]) mechanism.means(mechanism.randomise(label));
    const hash = JSON.parse(text).sha256;
    assert.equal((await load(text, { sha256: hash })).sha256, hash);
    await assert.rejects(load(text, { sha256: `${hash.slice(1)}0` }), /not the one/);
    await assert.rejects(load(text, { odds: 1, sha256: hash }), /protects less/);
  });

test("nothing of any prototype was changed", { skip }, async () => {
  const evil = '"__proto__": {"polluted": 1, "labels": [1, 2], "weights": []},';
  for (const [, text] of accepted.slice(0, 2)) {
    const data = JSON.parse(text.replaceAll("{", `{${evil}`).replaceAll(",}", "}"));
    const { format, version, body } = data;
    const sha256 = createHash("sha256").update(canonical({ format, version, body })).digest("hex");
    const { factor, labels } = await load(JSON.stringify({ ...data, sha256 }), { odds: 3 });
    const honest = await load(text, { odds: 3 });
    assert.deepEqual([factor, labels], [honest.factor, honest.labels]);
  }
  assert.deepEqual(Object.keys(Object.prototype), []);
  assert.equal({}.polluted, undefined);
});

test("a page must say what it accepts, and say it exactly", { skip }, async () => {
  const text = accepted[0][1];
  await assert.rejects(load(text), /say what this page accepts/);
  await assert.rejects(load(text, {}), /say what this page accepts/);
  for (const odds of [NaN, -3, "three", "3/0", Infinity, 1e21, "", null, "0x3", [], {}, "1e1000", "9".repeat(100)])
    await assert.rejects(load(text, { odds }), Refused, String(odds));
  for (const odds of [2.9999999999999996, "2.99999999999999999999999", "8999999999/3000000000"])
    await assert.rejects(load(text, { odds }), /protects less/);
  for (const odds of [3, "3", "3.0", "6/2", "3.00000000000000000000001"]) await load(text, { odds });
  assert.deepEqual((await load(text, { odds: 3 })).factor.map(String), ["3", "1"]);
  await assert.rejects(load(text, { sha256: null }), /not the one/);
  await assert.rejects(load(undefined, { odds: 3 }), Refused);
});

test("a value that is no label is not told", { skip }, async () => {
  const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const secrets = ["SECRET", 424242, ["SECRET"], { secret: "SECRET" }, { tuple: ["SECRET"] }, null, undefined, NaN];
  const cyclic = {};
  cyclic.self = cyclic;
  for (const [, text] of accepted.slice(0, 2)) {
    const mechanism = await load(text, { odds: 3 });
    for (const value of [...secrets, cyclic, 10n, Symbol("SECRET"), () => "SECRET", "YES", " yes", true]) {
      const silent = (reason) =>
        reason instanceof Refused && !/SECRET|424242/i.test(reason.message + reason.stack.replace(/at .*/g, ""));
      assert.throws(() => mechanism.randomise(value), silent);
      await assert.rejects(mechanism.permanent(value, key, "asked"), silent);
    }
  }
});

test("a key of another kind makes no permanent answer", { skip }, async () => {
  const mechanism = await load(accepted[0][1], { odds: 3 });
  const other = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  for (const key of [other, undefined, {}, "key", new Uint8Array(32)])
    await assert.rejects(mechanism.permanent("yes", key, "asked"), Refused);
  const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  await assert.rejects(mechanism.permanent("yes", key), Refused);
});

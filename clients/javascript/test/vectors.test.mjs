// What Python drew, drawn again: the same files and words must give the same reports.
//
// The vectors are written by `pytest tests/clients`, which then runs this with their folder in VECTORS.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { load } from "../client.mjs";
import { coin, givenWords, row } from "../draws.mjs";

const folder = process.env.VECTORS;
const skip = folder ? false : "there are no vectors; pytest tests/clients writes them";
const { key, mechanisms } = folder
  ? JSON.parse(readFileSync(`${folder}/vectors.json`, "utf8"))
  : { key: "", mechanisms: [] };

const bytesOf = (text) => new Uint8Array(Buffer.from(text, "hex"));
const ANY = "9".repeat(90);

/** The hash of what a function gives for every word of 16 bits. */
function ofEveryWord(give) {
  const found = new Int16Array(1 << 16);
  for (let word = 0; word < 1 << 16; word++) found[word] = give({ hi: (word << 16) >>> 0, lo: 0 });
  return createHash("sha256").update(new Uint8Array(found.buffer)).digest("hex");
}

test("there are vectors", { skip }, () => assert.ok(mechanisms.length > 20));

for (const { file, stream, reports, residuals, twins, permanent } of mechanisms) {
  const { family, channel, parameters, labels } = JSON.parse(file).body;
  const name = `${family} ${JSON.stringify(parameters)} of ${(labels ?? channel.inputs).length}`;

  test(`${name}: words that were shared`, async () => {
    const mechanism = await load(file, { odds: ANY });
    const k = mechanism.labels.length;
    const words = givenWords(bytesOf(stream));
    const found = reports.map((_, i) => mechanism.randomise(mechanism.labels[i % k], words));
    assert.deepEqual(found, reports);
    assert.ok(reports.length > 4);
  });

  test(`${name}: words that decide nothing`, async () => {
    const mechanism = await load(file, { odds: ANY });
    for (const [x, given, report] of residuals) {
      const words = givenWords(bytesOf(given));
      assert.deepEqual(mechanism.randomise(mechanism.labels[x], words), report);
      assert.throws(() => words.next(), "Python took as many words");
    }
  });

  test(`${name}: every word of 16 bits`, () => {
    if (channel) {
      const total = BigInt(channel.matrix.denominator);
      const found = channel.matrix.weights.map((weights) => {
        const { pick } = row(weights.map(BigInt), total, 16);
        return ofEveryWord((word) => (pick(word) === weights.length ? -1 : pick(word)));
      });
      assert.deepEqual(found, twins);
    } else {
      for (const [num, den, hash] of twins)
        assert.equal(ofEveryWord(coin(BigInt(num), BigInt(den), 16).side), hash);
    }
  });

  test(`${name}: permanent answers`, async () => {
    const mechanism = await load(file, { sha256: JSON.parse(file).sha256 });
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const secret = await crypto.subtle.importKey("raw", bytesOf(key), algorithm, false, ["sign"]);
    for (const [context, x, report] of permanent)
      assert.deepEqual(await mechanism.permanent(mechanism.labels[x], secret, context), report);
  });
}

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

test("there are vectors", { skip }, () => assert.ok(mechanisms.length > 10));

for (const { file, odds, stream, reports, residuals, twins, permanent } of mechanisms) {
  const { family, channel, parameters, labels } = JSON.parse(file).body;
  const name = `${family} ${JSON.stringify(parameters)} of ${(labels ?? channel.inputs).length}`;

  test(`${name}: the largest odds`, async () => {
    const [num, den] = odds.split("/").map(BigInt);
    const { factor } = await load(file, { sha256: JSON.parse(file).sha256 });
    assert.equal(factor[0] * (den ?? 1n), factor[1] * num);
  });

  test(`${name}: words that were shared`, async () => {
    const mechanism = await load(file, { odds: ANY });
    const k = mechanism.labels.length;
    const words = givenWords(bytesOf(stream));
    const found = reports.map((_, i) => mechanism.randomise(mechanism.labels[i % k], words));
    assert.deepEqual(found, reports);
    assert.ok(reports.length > 1);
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

/** Every way in which numbers below these bounds can fall. */
function* falls([bound, ...bounds]) {
  if (bound === undefined) return yield [];
  for (let drawn = 0; drawn < bound; drawn++) for (const rest of falls(bounds)) yield [drawn, ...rest];
}

/** The bounds of the uniform numbers that a draw takes after its coin. */
function bounds(family, { q, t, size }, k, held) {
  if (family === "projective_response") return [q ** (t - 1) - held];
  if (family === "hashed_response") return held ? [q ** (t - 1) - 1] : [q ** (t - 1) - 1, q - 1];
  return Array.from({ length: size - held }, (_, i) => k - size + held + i);
}

for (const { file } of mechanisms) {
  const { family, parameters, labels } = JSON.parse(file).body;
  if (!labels || family === "unary_response") continue;
  const ways = [0, 1].map((held) => bounds(family, parameters, labels.length, held).reduce((a, b) => a * b, 1));
  if (Math.max(...ways) * labels.length > 20000) continue;

  test(`${family} ${JSON.stringify(parameters)} of ${labels.length}: every draw there is`, async () => {
    const mechanism = await load(file, { odds: ANY });
    const holds = (label, report) => mechanism.means(report).includes(label);
    const found = new Set();
    for (const label of labels) {
      for (const held of [0, 1]) {
        const times = new Map();
        for (const drawn of falls(bounds(family, parameters, labels.length, held))) {
          // The coin shows heads for the smallest word and tails for the largest.
          const words = BigUint64Array.from([held ? 0n : 2n ** 64n - 1n, ...drawn.map(BigInt)]);
          const report = mechanism.randomise(label, givenWords(new Uint8Array(words.buffer)));
          times.set(`${report}`, 1 + (times.get(`${report}`) ?? 0));
          assert.equal(holds(label, report), !!held);
          found.add(`${report}`);
        }
        assert.equal(new Set(times.values()).size, 1, "all sets of a kind are equally likely");
      }
    }
    const { q, t, size } = parameters;
    const choose = (n, d) => (d ? (choose(n - 1, d - 1) * n) / d : 1);
    const all = { projective_response: (q ** t - 1) / (q - 1), hashed_response: q ** t - q };
    assert.equal(found.size, all[family] ?? choose(labels.length, size));
  });
}

// Places: the noise that Python draws from the same words, in the same degrees.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { givenWords } from "../draws.mjs";
import { expMinus, lnBounds, root } from "../levels.mjs";
import { places } from "../places.mjs";
import { geometricDigit } from "../planar.mjs";

const folder = process.env.VECTORS;
const given = folder ? JSON.parse(readFileSync(`${folder}/places.json`, "utf8")) : { places: [] };
const skip = folder ? false : "there are no vectors; pytest tests/clients writes them";

const bytesOf = (text) => new Uint8Array(Buffer.from(text, "hex"));
/** Equal to the last of seven digits, which doubles may round either way; a step is far more. */
const same = (found, told) =>
  found.forEach((side, k) => assert.ok(Math.abs(side - told[k]) < 1.5e-7, `${found} and ${told}`));

test("there are vectors", { skip }, () => assert.ok(given.places.length > 3));

test("digits of noise: every word of 16 bits", { skip }, () => {
  assert.ok(given.twins.length > 5);
  for (const [num, den, top, hash] of given.twins) {
    const { pick } = geometricDigit(BigInt(num), BigInt(den), top, 16);
    const found = new Int16Array(1 << 16);
    for (let word = 0; word < 1 << 16; word++) {
      const digit = pick({ hi: (word << 16) >>> 0, lo: 0 });
      found[word] = digit === 255 ? -1 : digit;
    }
    const made = createHash("sha256").update(new Uint8Array(found.buffer)).digest("hex");
    assert.equal(made, hash, `rate ${num}/${den}, top ${top}`);
  }
});

test("exponentials and logarithms are enclosed, and closely", { skip }, () => {
  assert.ok(given.enclosed.length > 20);
  for (const [num, den, bits, exp, log] of given.enclosed) {
    const [above, under] = [BigInt(num), BigInt(den)];
    const [a, b] = above > 300n * under ? [300n, 1n] : [above, under];
    const x = (a << BigInt(bits)) / b;
    const [low, high] = expMinus(x, x + 1n, bits);
    assert.ok(low <= BigInt(exp) && BigInt(exp) < high && high - low <= 3n, `e^-${num}/${den}, ${bits}`);
    const [least, most] = lnBounds(above, under, bits);
    assert.ok(least <= BigInt(log) && BigInt(log) < most && most - least <= 3n, `ln ${num}/${den}, ${bits}`);
  }
  for (const n of [0n, 1n, 2n, 3n, 4n, 8n, 99n, 10n ** 40n, 10n ** 40n - 1n, 2n ** 128n - 1n]) {
    assert.ok(root(n) ** 2n <= n && (root(n) + 1n) ** 2n > n, `${n}`);
  }
});

for (const { options, stream, reports, forced, permanent, sha256 } of given.places) {
  const name = JSON.stringify(options);

  test(`${name}: words that were shared`, async () => {
    const mechanism = await places(options);
    const words = givenWords(bytesOf(stream));
    assert.ok(reports.length > 20);
    reports.forEach((told, i) => same(mechanism.randomise(given.near[i % given.near.length], words), told));
  });

  test(`${name}: words that decide nothing`, async () => {
    const mechanism = await places(options);
    for (const [told, text] of forced) {
      const words = givenWords(bytesOf(text));
      same(mechanism.randomise(options.centre, words), told);
      assert.throws(() => words.next(), "Python took as many words");
    }
  });

  test(`${name}: permanent answers`, async () => {
    const mechanism = await places(options);
    assert.equal(mechanism.sha256, sha256);
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytesOf(given.key), algorithm, false, ["sign"]);
    for (const [context, place, told] of permanent)
      same(await mechanism.permanent(place, key, context), told);
  });
}

test("what is no place, length or level is refused, and is not told", async () => {
  const options = { eps: "ln 4", radius: "200 m", centre: [40.7, -74] };
  const mechanism = await places(options);
  for (const place of [[91.25, 0], [0, 361], [NaN, 0], ["north", 0], [], [0, Infinity], [null, null], ["1", "2"]])
    assert.throws(() => mechanism.randomise(place), { name: "Refused", message: /latitude/ });
  for (const wrong of [
    { radius: "0 m" },
    { radius: "-5" },
    { radius: "wide" },
    { eps: "0" },
    { eps: "ln 1" },
    { eps: "x" },
    { cell: "7 m", step: "2 m" },
    { step: "1/100000000000" },
    { eps: "1e3" },
    { centre: [91, 0] },
    { centre: [NaN, 0] },
  ])
    await assert.rejects(places({ ...options, ...wrong }), { name: "Refused" }, JSON.stringify(wrong));
});

test("the mean displacement is that of the law", async () => {
  const mechanism = await places({ eps: "1", radius: "200 m", centre: [0, 0] });
  let sum = 0;
  for (let i = 0; i < 20000; i++) {
    const [lat, lon] = mechanism.randomise([0, 0]);
    sum += Math.hypot(lat * 110574, lon * 111320);
  }
  assert.ok(Math.abs(sum / 20000 - 2 * 200.28) < 2 * 5 * 200.28 * Math.SQRT2 / Math.sqrt(20000)); // 10 errors
});

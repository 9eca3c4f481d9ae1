/**
 * The laws that a mechanism file can hold: explicit channels, and the families of local mechanisms. Each
 * reads the body of a file and gives its labels, the largest odds as numerator and denominator, `draw`, which
 * makes a report for the label at a position, and `means`, which gives the labels that a report speaks for.
 */

import { below, coin, hex, row } from "./draws.mjs";
import { reduced, root } from "./levels.mjs";
import { refuse } from "./refusal.mjs";

const integer = (text) =>
  text.match(/^0x[0-9a-f]{1,20000}$/) ? BigInt(text) : refuse("integers should be text such as 0x1f");

function need(holds, what) {
  if (!holds) refuse(`the file should have ${what}`);
}

/** Rows of integers over one denominator; a report is the position of an output. */
function explicit({ channel: { inputs, outputs, matrix } }) {
  const total = integer(matrix.denominator);
  const rows = matrix.weights.map((weights) => weights.map(integer));
  need(rows.length === inputs.length && total, "a row of weights for each input");
  for (const weights of rows) {
    const sum = weights.reduce((a, b) => a + b, 0n);
    need(weights.length === outputs.length && sum === total, "rows that sum to the denominator");
  }
  let factor = [1n, 1n];
  outputs.forEach((_, y) => {
    let high = 0n;
    let low = total;
    for (const { [y]: weight } of rows) {
      if (weight > high) high = weight;
      if (weight < low) low = weight;
    }
    need(low || !high, "no output that rules a label out");
    if (high * factor[1] > factor[0] * low) factor = [high, low];
  });
  const ready = [];
  return {
    labels: inputs,
    outputs,
    factor,
    draw: (x, words) => (ready[x] ??= row(rows[x], total)).draw(words),
    means: (report) => [outputs[report]],
  };
}

/** A coin that puts the truth inside: r of the b sets hold it. */
function insideCoin([num, den], r, b) {
  const weight = num * BigInt(r);
  return coin(...reduced([weight, weight + den * BigInt(b - r)]));
}

/** Sets of one size; a report is their sorted positions. */
function subsets({ length: k }, factor, { size }) {
  need(Number.isInteger(size) && size > 0 && size < k, "a size below the number of labels");
  const inside = insideCoin(factor, size, k);
  const draw = (x, words) => {
    const held = inside.flip(words);
    const report = new Set(held ? [x] : []);
    for (let last = k - 1 - size + held; last < k - 1; last++) {
      const drawn = below(last + 1, words); // of the others, all sets of them equally likely (Floyd)
      const at = drawn + +(drawn >= x);
      report.add(report.has(at) ? last + +(last >= x) : at);
    }
    return [...report].sort((a, b) => a - b);
  };
  return { draw, holds: (x, report) => report.includes(x) };
}

/** A bit for each label, eight to a byte, the first in the lowest; a report is their hexadecimal text. */
function unary({ length: k }, [num, den], { kind }) {
  const symmetric = kind === "symmetric";
  const [a, b] = symmetric ? [root(num), root(den)] : [num, den];
  need(symmetric ? a * a === num && b * b === den : kind === "optimised", "a kind known here");
  const own = symmetric ? coin(a, a + b) : coin(1n, 2n);
  const other = coin(b, a + b);
  const draw = (x, words) => {
    const bits = new Int8Array(k).map(() => (words.next(), other.side(words)));
    bits.forEach((bit, i) => bit < 0 && (bits[i] = other.resolve(words)));
    bits[x] = own.flip(words);
    const bytes = new Uint8Array((k + 7) >> 3);
    bits.forEach((bit, i) => (bytes[i >> 3] |= bit << (i & 7)));
    return hex(bytes);
  };
  const holds = (x, report) => (parseInt(report[(x >> 2) ^ 1], 16) >> (x & 3)) & 1;
  return { draw, holds, least: k + 4 };
}

/**
 * Sums and products in the field of q elements. The field is derived from q and never read from a file:
 * products are taken modulo z^e − f(z), f the first polynomial, by number, with which nothing divides 0.
 */
export function fieldOf(q) {
  let p = 2;
  while (q % p) p++;
  let e = 1;
  while (p ** e < q) e++;
  need(p ** e === q, "a field of prime power order");
  const sum = (x, y, c = 1) => {
    let total = 0;
    for (let unit = 1; unit < q; unit *= p)
      total += ((Math.floor(x / unit) + c * Math.floor(y / unit)) % p) * unit;
    return total;
  };
  let modulus = 0;
  const product = (x, y) => {
    let total = 0; // Horner: z·total + y_i·x
    for (let unit = q / p; unit >= 1; unit /= p)
      total = sum(sum((total * p) % q, modulus, Math.floor((total * p) / q)), x, Math.floor(y / unit) % p);
    return total;
  };
  const divides0 = () => {
    for (let x = p; x < p ** (1 + (e >> 1)); x++)
      for (let y = 1; y < q; y++) if (!product(x, y)) return true;
    return false;
  };
  while (divides0()) modulus++;
  return [sum, product].map((f) => Uint8Array.from({ length: q * q }, (_, i) => f(Math.floor(i / q), i % q)));
}

/**
 * Hyperplanes of a finite geometry; a report is a number. Projective: all of PG(t−1, q), numbered as points are,
 * whose vectors have 1 first and then f digits that count from [f]. Hashed: a function x ↦ ⟨h, x⟩, h ≠ 0, and one
 * of its q values.
 */
const geometry = (isHashed) => ({ length: k }, factor, { q, t }) => {
  const known = [q, t].every(Number.isInteger) && q > 1 && q <= 256 && t > 1 && q ** t <= 2 ** 48;
  need(known, "a geometry known here");
  const most = q ** (t - 1);
  const starts = Array.from({ length: t + 1 }, (_, f) => (q ** f - 1) / (q - 1));
  need(k <= (isHashed ? most : starts[t]), "no more labels than points");
  const [plus, times] = fieldOf(q);
  const solve = (table, value) =>
    Uint8Array.from({ length: q }, (_, x) => table.indexOf(value, x * q) - x * q);
  const [minus, inverse] = [solve(plus, 0), solve(times, 1)];
  /** The digits of a number in base q, the highest first. */
  const vector = (number, size) => {
    const digits = new Uint8Array(size);
    for (let j = size; j--; number = Math.floor(number / q)) digits[j] = number % q;
    return digits;
  };
  const dot = (u, v) => u.reduce((sum, c, j) => plus[sum * q + times[c * q + v[j]]], 0);
  const points = [];
  const point = (number) => {
    let f = t - 1;
    while (starts[f] > number) f--;
    return vector(q ** f + number - starts[f], t);
  };
  const hash = (x, number) => dot((points[x] ??= vector(x, t - 1)), vector(number + 1, t - 1));
  const plane = new Uint8Array(t);
  const inside = isHashed ? insideCoin(factor, 1, q) : insideCoin(factor, starts[t - 1], starts[t]);
  const draw = (x, words) => {
    const held = inside.flip(words);
    if (isHashed) {
      const number = below(most - 1, words);
      return number * q + ((hash(x, number) + (held ? 0 : 1 + below(q - 1, words))) % q);
    }
    // All coordinates but the point's leading one are free; it is solved for, so that ⟨x, y⟩ is 0 or 1.
    let free = below(most - held, words) + held;
    const at = (points[x] ??= point(x));
    const lead = at.indexOf(1);
    let met = 0;
    for (let j = 0; j < t; j++) {
      if (j === lead) continue;
      const rest = Math.floor(free / q);
      plane[j] = free - rest * q;
      free = rest;
      met = plus[met * q + times[at[j] * q + plane[j]]];
    }
    plane[lead] = plus[(held ? 0 : q) + minus[met]];
    let first = 0;
    while (!plane[first]) first++;
    const scale = inverse[plane[first]] * q;
    let number = 0;
    for (let j = first + 1; j < t; j++) number = number * q + times[scale + plane[j]];
    return starts[t - 1 - first] + number;
  };
  const holds = (x, report) =>
    isHashed ? hash(x, Math.floor(report / q)) === report % q : !dot(point(x), point(report));
  return { draw, holds };
};

const LOCAL = {
  __proto__: null,
  subset_response: subsets,
  unary_response: unary,
  projective_response: geometry(false),
  hashed_response: geometry(true),
};

/** The law in the body of a file, by its version. */
export function lawOf(version, body) {
  if (version === 1) return explicit(body);
  need(version === 2 && LOCAL[body.family], "a version and a family known here");
  const { labels } = body;
  const factor = body.factor.map(integer);
  need(factor[1] && factor[0] > factor[1], "a factor above 1");
  const { draw, holds, least } = LOCAL[body.family](labels, factor, body.parameters);
  return { labels, factor, draw, least, means: (report) => labels.filter((_, x) => holds(x, report)) };
}

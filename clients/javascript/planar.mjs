/**
 * Noise in the plane with P(v) = C·e^(−level·‖v‖) on pairs of whole numbers, to the last digit, as Python's
 * `PlanarNoise` has it: two discrete Laplaces propose, and a comparison in doubles, or in integers where
 * doubles may be wrong, accepts.
 */

import { aliasTable, bigWord } from "./draws.mjs";
import { bitsOf, expMinus, root } from "./levels.mjs";
import { refuse } from "./refusal.mjs";

const BASE = 255;

/** A digit of a geometric number: P(d) in proportion to e^(−rate·d), for d < 255 or, at the top, d ≥ 0. */
export function geometricDigit(num, den, top, size = 64) {
  const S = BigInt(size); // bits of a word; fewer give a twin, to be checked on every word
  /** Integers around 2^bits·P(d), or around 2^bits·P(0 … d), for each d < 255. */
  const chances = (bits, upTo) => {
    const B = BigInt(bits);
    const one = 1n << B;
    const rate = (num << (B + 64n)) / den;
    const [low, high] = expMinus(rate, rate + 1n, bits + 64).map((q) => q >> 64n);
    const [lows, highs] = [[one], [one]]; // around the powers of e^(−rate)
    for (let d = 0; d < BASE; d++) {
      lows.push((lows[d] * low) >> B);
      highs.push(((highs[d] * (high + 1n)) >> B) + 1n);
    }
    const under = (rest) => (top ? one : one - rest);
    return Array.from({ length: BASE }, (_, d) => [
      (((upTo ? one : lows[d]) - highs[d + 1]) * one) / under(lows[BASE]),
      (((upTo ? one : highs[d]) - lows[d + 1]) * one) / under(highs[BASE]) + 1n,
    ]);
  };
  let weights = [];
  for (let bits = 192; !weights.length; bits *= 2) {
    const floors = chances(bits).map((pair) => pair.map((chance) => chance >> BigInt(bits - size)));
    if (floors.every(([low, high]) => low === high)) weights = floors.map(([low]) => low);
  }
  const residual = weights.reduce((left, weight) => left - weight, 1n << S);
  const pick = aliasTable([...weights, residual], size);
  /** The digit of every number from v/2^known to (v + 1)/2^known of the residual, if it is one. */
  const locate = (v, known) => {
    const ends = chances(known + 128, true);
    const [least, most] = [v, v + 1n].map((side) => (side * residual) << 128n);
    let taken = 0n;
    for (let d = 0; d < BASE; d++) {
      taken += weights[d] << BigInt(known + 128);
      if (most <= (ends[d][0] << S) - taken) return d;
      if (least < (ends[d][1] << S) - taken) return -1;
    }
    return BASE;
  };
  const draw = (words) => {
    words.next();
    let digit = pick(words);
    if (digit < BASE) return digit;
    digit = -1;
    for (let v = 0n, known = 64; digit < 0; known += 64) {
      v = (v << 64n) | bigWord(words);
      digit = locate(v, known);
    }
    return digit < BASE ? digit : BASE + draw(words);
  };
  return { pick, draw };
}

/** Whole numbers z with P(z) in proportion to e^(−|z|·num/den): the difference of two geometric ones. */
function discreteLaplace(num, den) {
  const digits = [];
  for (let top = false; !top; num *= BigInt(BASE)) {
    top = num * BigInt(BASE) > 16n * den;
    digits.push(geometricDigit(num, den, top));
  }
  const geometric = (words) => digits.reduce((sum, { draw }, i) => sum + draw(words) * BASE ** i, 0);
  return (words) => geometric(words) - geometric(words);
}

/** Pairs of whole numbers with P(v) = C·e^(−level·‖v‖); `bounds(bits)` encloses 2^bits·level. */
export function planarNoise(bounds) {
  const [low] = bounds(192);
  const shift = BigInt(223 - bitsOf(low));
  if (bitsOf(low) < 162 || bitsOf(low) > 204) refuse("the step is too fine or too coarse");
  const [num, den] = [root(((low * low) << (2n * shift)) >> 385n), 1n << shift]; // at most level/√2
  const proposal = discreteLaplace(num, den);
  const slope = Number(low >> 64n) / 2 ** 128;
  const rate = Number(num) / Number(den);

  /** Whether U < e^(−t), t = level·‖v‖₂ − rate·‖v‖₁, for a U that begins with the bits of u. */
  const exactly = (x, y, u, words) => {
    const [i, j] = [BigInt(x), BigInt(y)];
    const square = i * i + j * j;
    const sum = BigInt(Math.abs(x)) + BigInt(Math.abs(y));
    for (let known = 64; ; known += 64) {
      const bits = known + 80 + 2 * bitsOf(square);
      const B = BigInt(bits);
      const far = root(square << (2n * B));
      const near = ((sum * num) << B) / den;
      const [least, most] = bounds(bits);
      const t = [((least * far) >> B) - near - 1n, ((most * (far + 1n)) >> B) + 1n - near];
      const [below, above] = expMinus(t[0] > 0n ? t[0] : 0n, t[1], bits);
      const [start, end] = [u, u + 1n].map((side) => side << BigInt(bits - known));
      if (end <= below) return true;
      if (start >= above) return false;
      u = (u << 64n) | bigWord(words);
    }
  };

  return (words) => {
    for (;;) {
      const [x, y] = [proposal(words), proposal(words)];
      words.next();
      const { hi, lo } = words;
      const reach = slope * Math.sqrt(x * x + y * y);
      const gap = Math.exp(Math.min(0, rate * (Math.abs(x) + Math.abs(y)) - reach)) - (hi + lo / 2 ** 32) / 2 ** 32;
      // Doubles decide where they are surely right; elsewhere, about once in 10^10 points, integers.
      const sure = Math.abs(gap) > 2 ** -36 && reach <= 64;
      if (sure ? gap > 0 : exactly(x, y, (BigInt(hi) << 32n) | BigInt(lo), words)) return [x, y];
    }
  };
}

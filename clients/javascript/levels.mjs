/** Exact levels: rationals, logarithms, roots and exponentials, between integers that enclose them. */

import { refuse } from "./refusal.mjs";

export const bitsOf = (n) => (n > 0n ? n.toString(2).length : 0);

/** "2.5" or "7/3" as numerator and denominator. */
export function rational(text) {
  const [, whole, part = "", under = 1] = /^(\d{1,99})(?:\.(\d{1,99}))?(?:\/(\d{1,99}))?$/.exec(text) ?? [];
  const den = BigInt(under) * 10n ** BigInt(part.length);
  return whole && den ? [BigInt(whole + part), den] : refuse("numbers are written as 2, 2.5 or 5/2");
}

/** A fraction in lowest terms. */
export function reduced([num, den]) {
  let [common, rest] = [num, den];
  while (rest) [common, rest] = [rest, common % rest];
  return [num / common, den / common];
}

/** A level above 0: a number, or "ln 3", at which odds change by 3 at most. */
export function readLevel(text) {
  const [, log, number] = /^\s*(ln\b)?\s*\(?([^()]*)\)?\s*$/.exec(`${text}`) ?? ["", "", ""];
  const [num, den] = reduced(rational(number));
  if (num <= (log ? den : 0n)) refuse("a level should be above 0, such as 1, 0.5 or ln 3");
  return { log: !!log, num, den };
}

/** ⌊√n⌋. */
export function root(n) {
  let x = 1n << BigInt((bitsOf(n) + 1) >> 1);
  for (let y = 0n; n; x = y) {
    y = (x + n / x) >> 1n;
    if (y >= x) return x;
  }
  return n;
}

/** Integers around 2^bits·e^(−x) for x from low/2^bits to high/2^bits, low ≥ 0. */
export function expMinus(low, high, bits) {
  const halvings = Math.max(0, bitsOf(high) - bits) + 8;
  const guard = BigInt(2 * halvings + 32);
  const one = 1n << (BigInt(bits) + guard);
  const side = (x, down) => {
    const y = ((x << guard) >> BigInt(halvings)) + (down ? 1n : 0n);
    let [term, sum, n] = [one, one, 0n];
    while (term) {
      term = (term * y) / one / ++n;
      sum += n & 1n ? -term : term;
    }
    const off = 2n * n + 4n; // every term by less than 2, and those left out by less than 4
    let power = sum + (down ? -off : off);
    for (let i = 0; i < halvings; i++) power = (power * power + (down ? 0n : one - 1n)) / one;
    return down ? power >> guard : -(-power >> guard);
  };
  return [side(high, true), side(low, false)];
}

/** Integers around 2^bits·ln(num/den), num > den: k·ln 2 and the rest, by the series of 2·artanh. */
export function lnBounds(num, den, bits) {
  const guard = 64n;
  const one = 1n << (BigInt(bits) + guard);
  const twiceArtanh = (above, under) => {
    let [power, sum, n] = [(2n * one * above) / under, 0n, 1n];
    while (power) {
      sum += power / n;
      power = (power * above * above) / (under * under);
      n += 2n;
    }
    return sum; // off by less than 2 a term
  };
  const k = BigInt(bitsOf(num) - bitsOf(den));
  const shifted = den << k;
  const sum = k * twiceArtanh(1n, 3n) + twiceArtanh(num - shifted, num + shifted);
  const low = (sum >> guard) - 1n;
  return [low, low + 3n];
}

/** Integers around 2^bits times a level. */
export function levelBounds({ log, num, den }, bits) {
  if (log) return lnBounds(num, den, bits);
  const low = (num << BigInt(bits)) / den;
  return [low, low + 1n];
}

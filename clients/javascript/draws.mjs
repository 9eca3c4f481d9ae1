/**
 * Random words, and draws from them with exactly the stated chances. Words are used in the order in which
 * Python uses them, so that the same words give the same draws. BigInt is needed while tables are built and
 * where 64 bits do not decide; elsewhere a word is two halves of 32 bits.
 */

import { bitsOf } from "./levels.mjs";

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Thrown when given words run out. */
export class Ended extends Error {}

/** Words out of halves, the lower one first: `next` puts the next word into `hi` and `lo`. */
const wordsOf = (take) => ({
  hi: 0,
  lo: 0,
  next() {
    this.lo = take();
    this.hi = take();
  },
});

/** The device's own randomness; what was used is wiped. */
export function deviceWords() {
  const buffer = new Uint32Array(1024);
  let at = 0;
  return wordsOf(() => {
    if (!at) crypto.getRandomValues(buffer);
    const half = buffer[at];
    buffer[at] = 0;
    at = (at + 1) % 1024;
    return half;
  });
}

/** Words that were made before, eight bytes each, little-endian: permanent answers, and tests. */
export function givenWords(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = -4;
  return wordsOf(() => {
    at += 4;
    if (at >= bytes.length) throw new Ended();
    return view.getUint32(at, true);
  });
}

/** The next word as one number. */
export function bigWord(words) {
  words.next();
  return (BigInt(words.hi) << 32n) | BigInt(words.lo);
}

/** Exactly uniform on 0 … bound − 1, a BigInt: the low bits of as few words as hold it, or once more. */
export function bigBelow(bound, words) {
  const bits = bitsOf(bound - 1n);
  for (;;) {
    let drawn = 0n;
    for (let at = 0; at < bits; at += 64) drawn |= bigWord(words) << BigInt(at);
    drawn = BigInt.asUintN(bits, drawn);
    if (drawn < bound) return drawn;
  }
}

/** The same for bounds up to 2^53, in plain numbers. */
export function below(bound, words) {
  const most = bound - 1;
  const high = Math.floor(most / 2 ** 32);
  const mask = -1 >>> Math.clz32(high || most);
  while (most) {
    words.next();
    const drawn = high ? (words.hi & mask) * 2 ** 32 + words.lo : (words.lo & mask) >>> 0;
    if (drawn <= most) return drawn;
  }
  return 0;
}

const halves = (number) => [Number(number >> 32n), Number(number & 0xffffffffn)];

/**
 * A coin that shows heads with chance num/den, in lowest terms; with fewer bits a twin, to be checked on
 * every word.
 */
export function coin(num, den, bits = 64) {
  const scaled = num << BigInt(bits);
  const [high, low] = halves((scaled / den) << BigInt(64 - bits));
  /** 1 for heads, 0 for tails, −1 where the word does not decide. */
  const side = ({ hi, lo }) => (hi !== high ? +(hi < high) : lo !== low ? +(lo < low) : -1);
  const resolve = (words) => +(bigBelow(den, words) < scaled % den);
  const flip = (words) => {
    words.next();
    const shown = side(words);
    return shown < 0 ? resolve(words) : shown;
  };
  return { side, resolve, flip };
}

/**
 * An alias table of weights that sum to 2^bits: gives the function that picks outcome j with probability
 * weights[j]/2^bits exactly.
 */
export function aliasTable(weights, bits = 64) {
  const m = Math.max(1, 32 - Math.clz32(weights.length - 1)); // bits that choose a column
  const room = 1n << BigInt(bits - m);
  const own = Array.from({ length: 1 << m }, (_, i) => weights[i] ?? 0n);
  const other = own.map((_, i) => i);
  const heavy = other.filter((i) => own[i] >= room);
  let h = 0;
  let over = own[heavy[0]] - room;
  // Light columns, in order, are filled by the first heavy outcome that has more than its own column needs;
  // one that is overdrawn is filled up by the next.
  for (const i of other.filter((i) => own[i] < room)) {
    other[i] = heavy[h];
    over -= room - own[i];
    while (over < 0n && h + 1 < heavy.length) {
      own[heavy[h]] = room + over;
      other[heavy[h]] = heavy[++h];
      over += own[heavy[h]] - room;
    }
  }
  // Thresholds in the upper bits; below, what takes a column's number to that of its other outcome.
  const mask = (1 << m) - 1;
  const highs = new Uint32Array(1 << m);
  const lows = new Uint32Array(1 << m);
  own.forEach((threshold, i) => {
    const full = threshold >= room;
    [highs[i], lows[i]] = full ? [0, 0] : halves(threshold << BigInt(64 - bits + m));
    if (!full) lows[i] |= other[i] ^ i;
  });
  return ({ hi, lo }) => {
    const column = hi >>> (32 - m);
    const high = ((hi << m) | (lo >>> (32 - m))) >>> 0;
    const low = ((lo << m) | mask) >>> 0;
    const past = high > highs[column] || (high === highs[column] && low >= lows[column]);
    return past ? column ^ (lows[column] & mask) : column;
  };
}

/** Integer weights over their total, drawn exactly: a table, and what its bits cannot express. */
export function row(weights, total, bits = 64) {
  const scaled = weights.map((weight) => weight << BigInt(bits));
  const floors = scaled.map((weight) => weight / total);
  const pick = aliasTable([...floors, floors.reduce((left, floor) => left - floor, 1n << BigInt(bits))], bits);
  const resolve = (words) => {
    const rests = scaled.map((weight) => weight % total);
    let left = bigBelow(rests.reduce((sum, rest) => sum + rest), words);
    return rests.findIndex((rest) => (left -= rest) < 0n);
  };
  const draw = (words) => {
    words.next();
    const drawn = pick(words);
    return drawn === weights.length ? resolve(words) : drawn;
  };
  return { pick, resolve, draw };
}

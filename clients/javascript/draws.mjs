/**
 * Random words, and draws from them with exactly the stated chances. Words are used in the order in which
 * Python uses them, so that the same words give the same draws. BigInt is needed while tables are built and
 * where 64 bits do not decide; elsewhere a word is two halves of 32 bits.
 */

import { bitsOf } from "./levels.mjs";

/** The device's own randomness: `next` puts the next word into `hi` and `lo`. */
export class DeviceWords {
  hi = 0;
  lo = 0;
  #words = new Uint32Array(1024);
  #at = 1024;
  next() {
    const words = this.#words;
    if (this.#at === 1024) {
      crypto.getRandomValues(words);
      this.#at = 0;
    }
    this.lo = words[this.#at];
    words[this.#at++] = 0;
    this.hi = words[this.#at];
    words[this.#at++] = 0;
  }
}

/** Thrown when given words run out. */
export class Ended extends Error {}

/** Words that were made before, eight bytes each, little-endian: permanent answers, and tests. */
export class GivenWords {
  hi = 0;
  lo = 0;
  at = 0;
  constructor(bytes) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  next() {
    if (this.at + 8 > this.view.byteLength) throw new Ended("there are no more words");
    this.lo = this.view.getUint32(this.at, true);
    this.hi = this.view.getUint32(this.at + 4, true);
    this.at += 8;
  }
}

/** The next word as one number. */
export const word = (words) => {
  words.next();
  return (BigInt(words.hi) << 32n) | BigInt(words.lo);
};

/** Exactly uniform on 0 … bound − 1, bound a BigInt: the low bits of the fewest words, or once more. */
export function bigBelow(bound, words) {
  const bits = bitsOf(bound - 1n);
  for (;;) {
    let drawn = 0n;
    for (let at = 0; at < bits; at += 64) drawn |= word(words) << BigInt(at);
    drawn = BigInt.asUintN(bits, drawn);
    if (drawn < bound) return drawn;
  }
}

/** The same for bounds up to 2^53 in plain numbers. */
export function below(bound, words) {
  const most = bound - 1;
  if (most < 1) return 0;
  const high = Math.floor(most / 2 ** 32);
  const highMask = high ? -1 >>> Math.clz32(high) : 0;
  const lowMask = high ? -1 : -1 >>> Math.clz32(most);
  for (;;) {
    words.next();
    const drawn = ((words.hi & highMask) >>> 0) * 2 ** 32 + ((words.lo & lowMask) >>> 0);
    if (drawn < bound) return drawn;
  }
}

/** A coin that shows heads with chance num/den; with fewer bits a twin to be checked on every word. */
export class Coin {
  constructor(num, den, bits = 64) {
    const scaled = num << BigInt(bits);
    const threshold = (scaled / den) << BigInt(64 - bits);
    this.hi = Number(threshold >> 32n);
    this.lo = Number(threshold & 0xffffffffn);
    this.rest = scaled % den;
    this.den = den;
  }
  /** 1 for heads, 0 for tails, −1 where the word does not decide. */
  side(hi, lo) {
    if (hi !== this.hi) return hi < this.hi ? 1 : 0;
    return lo === this.lo ? -1 : lo < this.lo ? 1 : 0;
  }
  resolve(words) {
    return bigBelow(this.den, words) < this.rest;
  }
  flip(words) {
    words.next();
    const side = this.side(words.hi, words.lo);
    return side < 0 ? this.resolve(words) : side > 0;
  }
}

/** An alias table: outcome j has probability weights[j]/2^bits exactly; they sum to 2^bits. */
export class AliasTable {
  constructor(weights, bits = 64) {
    const m = Math.max(1, 32 - Math.clz32(weights.length - 1));
    const size = 1 << m;
    const room = 1n << BigInt(bits - m);
    const own = Array.from({ length: size }, (_, i) => weights[i] ?? 0n);
    const other = own.map((_, i) => i);
    const heavy = other.filter((i) => own[i] >= room);
    let h = 0;
    let over = own[heavy[0]] - room;
    // Light columns, in order, are filled by the first heavy outcome that has more than its own column
    // needs; one that is overdrawn is filled up by the next.
    for (const i of other.filter((i) => own[i] < room)) {
      other[i] = heavy[h];
      over -= room - own[i];
      while (over < 0n && h + 1 < heavy.length) {
        own[heavy[h]] = room + over;
        other[heavy[h]] = heavy[++h];
        over += own[heavy[h]] - room;
      }
    }
    this.m = m;
    this.hi = new Uint32Array(size);
    this.lo = new Uint32Array(size);
    own.forEach((threshold, i) => {
      const full = threshold >= room;
      const shifted = full ? 0n : threshold << BigInt(64 - bits + m);
      this.hi[i] = Number(shifted >> 32n);
      this.lo[i] = Number(shifted & 0xffffffffn) | (full ? 0 : other[i] ^ i);
    });
  }
  /** The outcome of a word. */
  pick(hi, lo) {
    const m = this.m;
    const mask = (1 << m) - 1;
    const column = hi >>> (32 - m);
    const high = ((hi << m) | (lo >>> (32 - m))) >>> 0;
    const low = ((lo << m) | mask) >>> 0;
    const tableHigh = this.hi[column];
    const tableLow = this.lo[column];
    const past = high > tableHigh || (high === tableHigh && low >= tableLow);
    return past ? column ^ (tableLow & mask) : column;
  }
}

/** A row of integer weights over their sum, drawn exactly: a table, and what 64 bits cannot express. */
export class Row {
  constructor(weights, total, bits = 64) {
    const B = BigInt(bits);
    const floors = weights.map((weight) => (weight << B) / total);
    const residual = floors.reduce((left, floor) => left - floor, 1n << B);
    this.table = new AliasTable([...floors, residual], bits);
    this.last = weights.length;
    this.rests = () => weights.map((weight) => (weight << B) % total);
  }
  draw(words) {
    words.next();
    const drawn = this.table.pick(words.hi, words.lo);
    return drawn === this.last ? this.resolve(words) : drawn;
  }
  resolve(words) {
    const rests = this.rests();
    let left = bigBelow(rests.reduce((sum, rest) => sum + rest, 0n), words);
    return rests.findIndex((rest) => (left -= rest) < 0n);
  }
}

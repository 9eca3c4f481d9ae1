/**
 * Noise for places with a radius in metres, in the form of Python's `place_mechanism` with a region: a place
 * goes to its shadow on the plane that touches the Earth at a public centre, from there to a cell, and
 * planar Laplace noise is added on a lattice, P(v) = C·e^(−level·‖v‖) exactly, whatever doubles can hold.
 */

import { aliasTable, bigWord, deviceWords } from "./draws.mjs";
import { permanentDraw, sha256 } from "./keyed.mjs";
import { bitsOf, expMinus, levelBounds, rational, readLevel, reduced, root } from "./levels.mjs";
import { refuse } from "./refusal.mjs";

const BASE = 255;

/** A digit of a geometric number: P(d) in proportion to e^(−rate·d), for d < 255 or, at the top, d ≥ 0. */
function geometricDigit(num, den, top) {
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
    const floors = chances(bits).map((pair) => pair.map((chance) => chance >> BigInt(bits - 64)));
    if (floors.every(([low, high]) => low === high)) weights = floors.map(([low]) => low);
  }
  const residual = weights.reduce((left, weight) => left - weight, 1n << 64n);
  const pick = aliasTable([...weights, residual]);
  /** The digit of every number from v/2^known to (v + 1)/2^known of the residual, if it is one. */
  const locate = (v, known) => {
    const ends = chances(known + 128, true);
    const [least, most] = [v, v + 1n].map((side) => (side * residual) << 128n);
    let taken = 0n;
    for (let d = 0; d < BASE; d++) {
      taken += weights[d] << BigInt(known + 128);
      if (most <= (ends[d][0] << 64n) - taken) return d;
      if (least < (ends[d][1] << 64n) - taken) return -1;
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
  return draw;
}

/** Whole numbers z with P(z) in proportion to e^(−|z|·num/den): the difference of two geometric ones. */
function discreteLaplace(num, den) {
  const digits = [];
  for (let top = false; !top; num *= BigInt(BASE)) {
    top = num * BigInt(BASE) > 16n * den;
    digits.push(geometricDigit(num, den, top));
  }
  const geometric = (words) => digits.reduce((sum, draw, i) => sum + draw(words) * BASE ** i, 0);
  return (words) => geometric(words) - geometric(words);
}

/** Pairs of whole numbers with P(v) = C·e^(−level·‖v‖); `bounds(bits)` encloses 2^bits·level. */
function planarNoise(bounds) {
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

// ---- The Earth (WGS 84) ----------------------------------------------------------------------------

const EQUATOR = 6378137;
const POLE = 6356752.314245179;
const SQUASH = 1 - (POLE / EQUATOR) ** 2;
const HORIZON = 6300000;
const DEGREE = Math.PI / 180;

const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];

/** Metres from the centre of the Earth. */
function toSpace([lat, lon]) {
  const [phi, lam] = [lat * DEGREE, lon * DEGREE];
  const normal = EQUATOR / Math.sqrt(1 - SQUASH * Math.sin(phi) ** 2);
  const flat = normal * Math.cos(phi);
  return [flat * Math.cos(lam), flat * Math.sin(lam), (1 - SQUASH) * normal * Math.sin(phi)];
}

/** Shadows on the plane that touches the Earth at a centre, in metres east and north; and back. */
function plane([lat, lon]) {
  const [phi, lam] = [lat * DEGREE, lon * DEGREE];
  const [sin, cos] = [Math.sin(phi), Math.cos(phi)];
  const east = [-Math.sin(lam), Math.cos(lam), 0];
  const north = [-sin * Math.cos(lam), -sin * Math.sin(lam), cos];
  const up = [cos * Math.cos(lam), cos * Math.sin(lam), sin];
  const centre = toSpace([lat, lon]);
  const radii = [EQUATOR, EQUATOR, POLE];
  return {
    shadow: (place) => {
      const away = toSpace(place).map((side, k) => side - centre[k]);
      return [dot(east, away), dot(north, away)];
    },
    placeOf: (x, y) => {
      const shrink = HORIZON / Math.max(HORIZON, Math.hypot(x, y)); // to the horizon, if beyond
      const start = radii.map((r, k) => (centre[k] + (east[k] * x + north[k] * y) * shrink) / r);
      const rise = radii.map((r, k) => up[k] / r);
      const [a, b, c] = [dot(rise, rise), dot(start, rise), dot(start, start) - 1];
      const climb = (Math.sqrt(Math.max(0, b * b - a * c)) - b) / a;
      const [px, py, pz] = radii.map((r, k) => (start[k] + climb * rise[k]) * r);
      const found = [Math.atan2(pz, (1 - SQUASH) * Math.hypot(px, py)), Math.atan2(py, px)];
      return found.map((angle) => Math.round((angle / DEGREE) * 1e7) / 1e7);
    },
  };
}

function degrees([lat, lon]) {
  if (![lat, lon].every(Number.isFinite) || Math.abs(lat) > 90 || lon < -180 || lon > 360)
    refuse("a place should be a latitude and a longitude in degrees");
  return [lat, lon];
}

/** "200 m", "1.5 km" or a number of metres, exactly. */
function metres(text) {
  const [, number, unit] = /^\s*(\S*?)\s*(k?m)?\s*$/.exec(text) ?? [];
  const [num, den] = rational(number);
  if (!num) refuse("a length should be above 0");
  return reduced([unit === "km" ? num * 1000n : num, den]);
}

/** Noise by which, within `radius`, the odds between two true places change by e^eps at most. */
export async function places({ eps, radius, centre, cell, step }) {
  const level = readLevel(eps);
  const reach = metres(radius);
  let lattice = step === undefined ? reduced([reach[0], reach[1] * 1000n]) : metres(step);
  const size = cell === undefined ? lattice : metres(cell);
  const ratio = () => reduced([size[0] * lattice[1], size[1] * lattice[0]]);
  if (step === undefined) {
    const [num, den] = ratio();
    const near = (2n * num + den) / (2n * den); // the nearest; halfway, the even one
    const many = near - ((2n * num + den) % (2n * den) ? 0n : near & 1n) || 1n;
    lattice = reduced([size[0], size[1] * many]);
  }
  const [steps, rest] = ratio();
  if (rest !== 1n) refuse("a cell should be a whole number of steps");
  const unit = reach[1] * size[1] * lattice[1] * 500000n;
  const [far, side, short] = [reach, size, lattice].map(([num, den]) => (num * unit) / den);
  // The level for a step is eps·step/(radius + √2·cell + 2 µm): moving to cells and rounding are counted in.
  const noise = planarNoise((bits) => {
    const B = BigInt(bits);
    const [low, high] = levelBounds(level, bits);
    const under = ((far + unit / 500000n) << B) + root((2n * side * side) << (2n * B));
    return [((low * short) << B) / (under + 1n), ((high * short) << B) / under + 1n];
  });
  const { shadow, placeOf } = plane(degrees(centre));
  const [cellMetres, stepMetres] = [size, lattice].map(([num, den]) => Number(num) / Number(den));
  const cellOf = (place) => shadow(degrees(place)).map((side) => Math.round(side / cellMetres));
  const moved = (at, words) => {
    const added = noise(words);
    return placeOf(...at.map((side, k) => (side * Number(steps) + added[k]) * stepMetres));
  };
  const told = [level.log, level.num, level.den, reach, size, lattice, centre];
  const question = await sha256(`dprivacy places 1 ${told.join()}`);
  const own = deviceWords();
  return {
    sha256: question,
    randomise: (place, words = own) => moved(cellOf(place), words),
    permanent: async (place, key, context) => {
      const at = cellOf(place);
      return permanentDraw(key, question, context, at, (words) => moved(at, words), 32);
    },
  };
}

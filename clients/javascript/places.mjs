/**
 * Noise for places with a radius in metres, in the form of Python's `place_mechanism` with a region: a place
 * goes to its shadow on the plane that touches the Earth (WGS 84) at a public centre, from there to a cell, and
 * planar noise is added on a lattice, exactly.
 */

import { deviceWords } from "./draws.mjs";
import { permanentDraw, sha256 } from "./keyed.mjs";
import { levelBounds, rational, readLevel, reduced, root } from "./levels.mjs";
import { planarNoise } from "./planar.mjs";
import { refuse } from "./refusal.mjs";

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

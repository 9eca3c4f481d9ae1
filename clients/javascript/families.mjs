/** The laws that a mechanism file can hold: explicit channels, and the families of local mechanisms. */

import { Coin, Row, below } from "./draws.mjs";
import { root } from "./levels.mjs";
import { refuse } from "./refusal.mjs";

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const integer = (text) =>
  typeof text === "string" && /^0x[0-9a-f]{1,20000}$/.test(text)
    ? BigInt(text)
    : refuse("integers should be stored as text such as 0x1f");

const whole = (number, low, high) =>
  Number.isSafeInteger(number) && number >= low && number <= high
    ? number
    : refuse("a parameter of the mechanism is not a whole number in its range");

/** The keys of an object from a file, which should be these and no others. */
export function keys(data, names) {
  const plain = data && typeof data === "object" && !Array.isArray(data);
  if (!plain || Object.keys(data).sort().join() !== names) refuse(`keys should be ${names}`);
  return data;
}

const list = (data, most = Infinity) =>
  Array.isArray(data) && data.length && data.length <= most
    ? data
    : refuse("a list is missing, empty or too long");

/** An explicit channel: rows of integers over one denominator. A report is the output's position. */
class Table {
  constructor(body) {
    keys(body, "channel,family,guarantee,parameters,space");
    const { inputs, outputs, matrix } = keys(body.channel, "inputs,matrix,outputs");
    this.labels = list(inputs, 20000);
    this.outputs = list(outputs, 20000);
    const { denominator, weights } = keys(matrix, "denominator,weights");
    this.total = integer(denominator) || refuse("the denominator should not be 0");
    this.weights = list(weights).map((row) => list(row).map(integer));
    if (this.weights.length !== inputs.length) refuse("there should be one row for each input");
    for (const row of this.weights) {
      if (row.length !== outputs.length || row.reduce((a, b) => a + b) !== this.total)
        refuse("every row should have a weight for each output and sum to the denominator");
    }
    this.factor = [1n, 1n];
    outputs.forEach((_, y) => {
      let [high, low] = [this.weights[0][y], this.weights[0][y]];
      for (const row of this.weights) {
        if (row[y] > high) high = row[y];
        if (row[y] < low) low = row[y];
      }
      if (high && !low) refuse("an output gives away what the answer is not");
      if (high * this.factor[1] > this.factor[0] * low) this.factor = [high, low];
    });
    this.rows = [];
  }
  draw(x, words) {
    return (this.rows[x] ??= new Row(this.weights[x], this.total)).draw(words);
  }
  means(report) {
    return [this.outputs[report]];
  }
}

/** What the families of sets share: labels, and how often the set of a report holds the truth. */
class Sets {
  constructor(body) {
    keys(body, "eps,factor,family,labels,parameters");
    this.labels = list(body.labels, 1 << 20);
    this.k = this.labels.length;
    const [num, den] = (this.factor = list(body.factor, 2).map(integer));
    if (!den || num <= den) refuse("the factor should be greater than 1");
  }
  /** The coin a·r/(a·r + b − r) that puts the truth inside. */
  inside(r, b) {
    const [num, den] = this.factor;
    return new Coin(num * r, num * r + den * (b - r));
  }
  means(report) {
    return this.labels.filter((_, x) => this.holds(x, report));
  }
}

/** A set of d labels: its sorted positions. */
class Subsets extends Sets {
  constructor(body) {
    super(body);
    this.size = whole(keys(body.parameters, "size").size, 1, this.k - 1);
    this.coin = this.inside(BigInt(this.size), BigInt(this.k));
  }
  draw(x, words) {
    const inside = this.coin.flip(words);
    const others = this.k - 1;
    const drawn = new Set(); // of the others, all sets equally likely (Floyd)
    for (let last = others - this.size + +inside; last < others; last++) {
      const j = below(last + 1, words);
      drawn.add(drawn.has(j) ? last : j);
    }
    const report = Array.from(drawn, (j) => j + +(j >= x));
    if (inside) report.push(x);
    return report.sort((a, b) => a - b);
  }
  holds(x, report) {
    return report.includes(x);
  }
}

/** One bit a label, eight to a byte, low bits first, in hexadecimal. */
class Unary extends Sets {
  constructor(body) {
    super(body);
    let [num, den] = this.factor;
    const { kind } = keys(body.parameters, "kind");
    if (kind === "symmetric") {
      [num, den] = [root(num), root(den)];
      if (num * num !== this.factor[0] || den * den !== this.factor[1]) refuse("the factor should be a square");
      this.own = new Coin(num, num + den);
    } else if (kind === "optimised") {
      this.own = new Coin(1n, 2n);
    } else refuse("the kind should be optimised or symmetric");
    this.others = new Coin(den, num + den);
    this.words = this.k + 4;
  }
  draw(x, words) {
    const bits = new Uint8Array(this.k);
    const unsure = [];
    for (let i = 0; i < this.k; i++) {
      words.next();
      const side = this.others.side(words.hi, words.lo);
      if (side < 0) unsure.push(i);
      else bits[i] = side;
    }
    for (const i of unsure) bits[i] = +this.others.resolve(words);
    bits[x] = +this.own.flip(words);
    const bytes = new Uint8Array((this.k + 7) >> 3);
    bits.forEach((bit, i) => (bytes[i >> 3] |= bit << (i & 7)));
    return hex(bytes);
  }
  holds(x, report) {
    return (parseInt(report.substr(2 * (x >> 3), 2), 16) >> (x & 7)) & 1;
  }
}

/**
 * The field of q elements as tables. It is derived from q and never read from a file: products are
 * taken modulo z^e − f(z), f the first polynomial, by number, for which nothing divides 0.
 */
function fieldOf(q) {
  let p = 2;
  while (q % p) p++;
  let e = 1;
  while (p ** e < q) e++;
  if (p ** e !== q) refuse("the order of a field should be a prime power");
  const digit = (x, i) => Math.floor(x / p ** i) % p;
  const plus = (x, y) => {
    let sum = 0;
    for (let i = 0; i < e; i++) sum += ((digit(x, i) + digit(y, i)) % p) * p ** i;
    return sum;
  };
  const scaled = (x, c) => {
    let sum = 0;
    for (let i = 0; i < e; i++) sum += ((digit(x, i) * c) % p) * p ** i;
    return sum;
  };
  let modulus = 0;
  const times = (x, y) => {
    let product = 0; // Horner: z·product + y_i·x
    for (let i = e - 1; i >= 0; i--) {
      const top = digit(product, e - 1);
      product = plus((product * p) % q, scaled(modulus, top));
      product = plus(product, scaled(x, digit(y, i)));
    }
    return product;
  };
  const tabled = (f) => Uint8Array.from({ length: q * q }, (_, i) => f(Math.floor(i / q), i % q));
  if (e === 1) return { plus: tabled(plus), times: tabled((x, y) => (x * y) % q) };
  const divides0 = () => {
    for (let x = p; x < p ** (1 + (e >> 1)); x++)
      for (let y = 1; y < q; y++) if (!times(x, y)) return true;
    return false;
  };
  while (divides0()) modulus++;
  return { plus: tabled(plus), times: tabled(times) };
}

/** What both geometries share: a field of q elements and vectors of t coordinates. */
class Geometry extends Sets {
  constructor(body) {
    super(body);
    const { q, t } = keys(body.parameters, "q,t");
    this.q = whole(q, 2, 256);
    this.t = whole(t, 2, 48);
    if (q ** t > 2 ** 48) refuse("the geometry is too large");
    Object.assign(this, fieldOf(q));
    this.minus = Uint8Array.from({ length: q }, (_, x) => this.plus.indexOf(0, x * q) - x * q);
    this.points = [];
  }
  /** The digits of a number in base q, the highest first, behind zeros. */
  vector(number, size) {
    const out = new Uint8Array(size);
    for (let j = size - 1; j >= 0; j--) {
      out[j] = number % this.q;
      number = Math.floor(number / this.q);
    }
    return out;
  }
  dot(u, v) {
    const { q, plus, times } = this;
    let sum = 0;
    for (let j = 0; j < u.length; j++) sum = plus[sum * q + times[u[j] * q + v[j]]];
    return sum;
  }
}

/** A hyperplane of PG(t−1, q): its number. */
class Projective extends Geometry {
  constructor(body) {
    super(body);
    const { q, t } = this;
    this.starts = Array.from({ length: t + 1 }, (_, f) => (q ** f - 1) / (q - 1));
    const reports = this.starts[t];
    if (this.k > reports) refuse("there are more labels than points");
    this.coin = this.inside(BigInt(this.starts[t - 1]), BigInt(reports));
    this.inverse = Uint8Array.from({ length: q }, (_, x) => this.times.indexOf(1, x * q) - x * q);
    this.all = q ** (t - 1);
    this.plane = new Uint8Array(t);
  }
  /** A point's vector: 1 as its first coordinate that is not 0, then f digits. */
  point(number) {
    let f = this.t - 1;
    while (this.starts[f] > number) f--;
    return this.vector(this.q ** f + number - this.starts[f], this.t);
  }
  draw(x, words) {
    const inside = this.coin.flip(words);
    return this.solved(x, inside, inside ? below(this.all - 1, words) + 1 : below(this.all, words));
  }
  /** The hyperplane with these free coordinates that holds a point, or misses it. */
  solved(x, inside, free) {
    const { q, t, plus, times, plane } = this;
    const point = (this.points[x] ??= this.point(x));
    let lead = 0;
    while (!point[lead]) lead++;
    let met = 0;
    for (let j = 0; j < t; j++) {
      if (j === lead) continue;
      const rest = Math.floor(free / q);
      const digit = (plane[j] = free - rest * q);
      free = rest;
      met = plus[met * q + times[point[j] * q + digit]];
    }
    plane[lead] = plus[(inside ? 0 : q) + this.minus[met]];
    let first = 0;
    while (!plane[first]) first++;
    const scale = this.inverse[plane[first]] * q;
    let number = 0;
    for (let j = first + 1; j < t; j++) number = number * q + times[scale + plane[j]];
    return this.starts[t - 1 - first] + number;
  }
  holds(x, report) {
    return !this.dot(this.point(x), this.point(report));
  }
}

/** A hash function, by its number, and one of its q values. */
class Hashed extends Geometry {
  constructor(body) {
    super(body);
    this.functions = this.q ** (this.t - 1) - 1;
    if (this.k > this.functions + 1) refuse("there are more labels than points");
    this.coin = this.inside(BigInt(this.functions), BigInt(this.functions * this.q));
  }
  hash(x, number) {
    const point = (this.points[x] ??= this.vector(x, this.t - 1));
    return this.dot(point, this.vector(number + 1, this.t - 1));
  }
  draw(x, words) {
    const inside = this.coin.flip(words);
    const number = below(this.functions, words);
    return this.valued(x, number, inside ? 0 : 1 + below(this.q - 1, words));
  }
  valued(x, number, away) {
    return number * this.q + ((this.hash(x, number) + away) % this.q);
  }
  holds(x, report) {
    const value = report % this.q;
    return this.hash(x, (report - value) / this.q) === value;
  }
}

/** By the version of the file, and for version 2 by the family. */
export const lawOf = (version, family) =>
  version === 1 ? Table : version === 2 ? LOCAL.get(family) : undefined;

const LOCAL = new Map([
  ["subset_response", Subsets],
  ["unary_response", Unary],
  ["projective_response", Projective],
  ["hashed_response", Hashed],
]);

/**
 * Local privacy on the person's own device: the mechanism file that Python writes, checked as if it came
 * from a stranger, and drawn with exactly its probabilities. The truth never leaves the device.
 *
 * No dependencies. Browsers and Node 20 or later: all that is needed is Web Crypto and, to keep a key and
 * what was sent, IndexedDB.
 */

import { DeviceWords, Ended, GivenWords } from "./draws.mjs";
import { hex, keys, lawOf } from "./families.mjs";
import { readLevel, within } from "./levels.mjs";
import { Refused, refuse } from "./refusal.mjs";

export { Outbox, browserStore, deviceKey, memoryStore } from "./device.mjs";
export { Refused };

const LARGEST = 1 << 25; // characters of a file
const utf8 = new TextEncoder();

/** JSON with sorted keys and no spaces, character for character what Python hashes. */
export function canonical(data) {
  if (Array.isArray(data)) return `[${data.map(canonical).join()}]`;
  if (data && typeof data === "object") {
    const names = Object.keys(data).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(data[name])}`).join()}}`;
  }
  if (typeof data === "number" && !Number.isSafeInteger(data)) refuse("numbers should be whole");
  return JSON.stringify(data) ?? refuse("only JSON is read");
}

/** Web Crypto, which browsers give to pages from https and from the same machine alone. */
const subtle = () =>
  globalThis.crypto?.subtle ?? refuse("Web Crypto is missing; the page should come by https");

export const sha256 = async (text) =>
  hex(new Uint8Array(await subtle().digest("SHA-256", utf8.encode(text))));

function isLabel(data) {
  if (data === null || typeof data !== "object") return true;
  const [kind, ...more] = Object.keys(data);
  const content = data[kind];
  if (more.length) return false;
  if (kind === "fraction" || kind === "float") return typeof content === "string";
  return (kind === "tuple" || kind === "set") && Array.isArray(content) && content.every(isLabel);
}

/**
 * What `draw` makes of words that are a function of the key, the question, the context and the value:
 * block i is an HMAC of them and of i, and has four words.
 */
export async function permanentDraw(key, question, context, value, draw, least = 16) {
  const { name, hash } = key?.algorithm ?? {};
  if (name !== "HMAC" || hash.name !== "SHA-256" || typeof context !== "string")
    refuse("a permanent answer needs a key for HMAC with SHA-256, and a context that is text");
  const head = utf8.encode(`dprivacy client 1\0${question}\0${context}\0`);
  for (let blocks = Math.ceil(least / 4); ; blocks *= 4) {
    const bytes = new Uint8Array(32 * blocks);
    const made = Array.from({ length: blocks }, async (_, i) => {
      const message = Uint8Array.of(...head, ...bigEndian(...value, i));
      bytes.set(new Uint8Array(await subtle().sign("HMAC", key, message)), 32 * i);
    });
    await Promise.all(made);
    try {
      return draw(new GivenWords(bytes));
    } catch (reason) {
      if (!(reason instanceof Ended)) throw reason; // otherwise the same words again, and more
    }
  }
}

/** Whole numbers in eight bytes each. */
function bigEndian(...numbers) {
  const bytes = new Uint8Array(8 * numbers.length);
  numbers.forEach((n, i) => new DataView(bytes.buffer).setBigInt64(8 * i, BigInt(n)));
  return bytes;
}

/** A mechanism that this page has accepted. */
class Mechanism {
  #law;
  #plain = new Map(); // positions of labels that are text, numbers, true or false
  #other = new Map(); // … and of those that are objects, by their JSON
  #words = new DeviceWords();
  constructor(family, law, hash) {
    const [num, den] = law.factor;
    this.#law = law;
    this.family = family;
    this.sha256 = hash;
    this.labels = law.labels;
    this.outputs = law.outputs;
    this.factor = law.factor;
    this.eps = Math.log(Number((num << 64n) / den + 1n) / 2 ** 64) * (1 + 2 ** -50) + 2 ** -50;
    for (const [x, label] of law.labels.entries())
      if (typeof label === "object") this.#other.set(canonical(label), x);
      else this.#plain.set(label, x);
    if (this.#plain.size + this.#other.size !== law.labels.length) refuse("a label appears twice");
    [this.labels, this.outputs, this.factor, this].forEach(Object.freeze);
  }
  #code(label) {
    let code = this.#plain.get(label);
    if (typeof label === "object") {
      try {
        code = this.#other.get(canonical(label));
      } catch {
        // what has no JSON is no label
      }
    }
    return code ?? refuse("the value is not one of the mechanism's labels");
  }
  randomise(label, words = this.#words) {
    return this.#law.draw(this.#code(label), words);
  }
  async permanent(label, key, context) {
    const code = this.#code(label);
    const draw = (words) => this.#law.draw(code, words);
    return permanentDraw(key, this.sha256, context, [code], draw, this.#law.words);
  }
  means(report) {
    return this.#law.means(report);
  }
}

/** The law in a file, its hash and its family: checked, but for what the page accepts. */
export async function read(text) {
  if (typeof text !== "string" || text.length > LARGEST)
    refuse("a file should be text of at most 32 million characters");
  try {
    const { format, version, body, sha256: told } = keys(JSON.parse(text), "body,format,sha256,version");
    if (format !== "dprivacy.mechanism") refuse("the file should hold a mechanism of dprivacy");
    const hash = await sha256(canonical({ format, version, body }));
    if (hash !== told) refuse("the contents do not match their hash; the file was changed");
    const Law = lawOf(version, body?.family);
    if (!Law) refuse("a mechanism of this version or family is not known here");
    const law = new Law(body);
    if (law.labels.length < 2 || ![...law.labels, ...(law.outputs ?? [])].every(isLabel))
      refuse("there should be two labels or more, each text or a whole number");
    return { law, hash, family: `${body.family}` };
  } catch (reason) {
    if (reason instanceof Refused) throw reason;
    throw new Refused("the file is not JSON, or nested too deep");
  }
}

export async function load(text, { eps, sha256: pin } = {}) {
  if (eps === undefined && pin === undefined)
    refuse("say what this page accepts: the largest eps, the sha256 of the file, or both");
  const { law, hash, family } = await read(text);
  if (pin !== undefined && pin !== hash) refuse("the file is not the one that this page accepts");
  if (eps !== undefined && !within(law.factor, readLevel(eps)))
    refuse("the mechanism protects less than this page accepts");
  return new Mechanism(family, law, hash);
}

/** Hashes of what is asked, and permanent answers: draws from words that only the device's key can make. */

import { Ended, givenWords, hex } from "./draws.mjs";
import { refuse } from "./refusal.mjs";

const utf8 = new TextEncoder();

/** JSON with sorted keys and no spaces, character for character what Python hashes. */
export function canonical(data) {
  if (Array.isArray(data)) return `[${data.map(canonical).join()}]`;
  if (data && typeof data === "object") {
    const names = Object.keys(data).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(data[name])}`).join()}}`;
  }
  if (typeof data === "number" && !Number.isSafeInteger(data)) refuse("numbers should be whole and below 2^53");
  return JSON.stringify(data);
}

/** Web Crypto, which browsers give to pages from https and from the same machine alone. */
const subtle = () =>
  globalThis.crypto?.subtle ?? refuse("Web Crypto is missing; the page should come by https");

export const sha256 = async (text) =>
  hex(new Uint8Array(await subtle().digest("SHA-256", utf8.encode(text))));

/**
 * What `draw` makes of words that are a function of the key, the question, the context and the value:
 * block i is an HMAC of them and of i, and has four words.
 */
export async function permanentDraw(key, question, context, value, draw, least = 16) {
  const { name, hash } = key?.algorithm ?? {};
  if (name !== "HMAC" || hash.name !== "SHA-256" || typeof context !== "string")
    refuse("permanent answers need an HMAC key for SHA-256 and a context");
  const head = utf8.encode(`dprivacy client 1\0${question}\0${context}\0`);
  for (let blocks = Math.ceil(least / 4); ; blocks *= 4) {
    const bytes = new Uint8Array(32 * blocks);
    const made = Array.from({ length: blocks }, async (_, i) => {
      const message = Uint8Array.of(...head, ...bigEndian(...value, i));
      bytes.set(new Uint8Array(await subtle().sign("HMAC", key, message)), 32 * i);
    });
    await Promise.all(made);
    try {
      return draw(givenWords(bytes));
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

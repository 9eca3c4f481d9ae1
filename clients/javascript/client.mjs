/**
 * Local privacy on the person's own device: the mechanism file that Python writes, checked as if it came
 * from a stranger, and drawn with exactly its probabilities. The truth never leaves the device.
 *
 * No dependencies. Browsers and Node 20 or later: all that is needed is Web Crypto and, to keep a key and
 * what was sent, IndexedDB.
 */

import { deviceWords } from "./draws.mjs";
import { lawOf } from "./families.mjs";
import { canonical, permanentDraw, sha256 } from "./keyed.mjs";
import { rational } from "./levels.mjs";
import { Refused, refuse } from "./refusal.mjs";

export { Outbox, browserStore, deviceKey, MemoryStore } from "./device.mjs";
export { Refused };

const LARGEST = 1 << 25; // characters of a file

const isLabel = (data) =>
  typeof (data ?? 0) !== "object" || /^(float|fraction|set|tuple)$/.test(Object.keys(data).join());

/** A mechanism out of what is known of it. */
function mechanism(hash, family, { labels, outputs, factor, draw, means, least }) {
  if (labels.length < 2 || ![...labels, ...(outputs ?? [])].every(isLabel))
    refuse("labels should be text or whole numbers");
  // Labels that are objects are found by their JSON, in a list of their own: text may look the same.
  const [plain, others] = [new Map(), new Map()];
  labels.forEach((label, x) =>
    typeof label === "object" ? others.set(canonical(label), x) : plain.set(label, x),
  );
  if (plain.size + others.size !== labels.length) refuse("a label appears twice");
  const position = (label) => {
    let found = plain.get(label);
    try {
      if (typeof label === "object") found = others.get(canonical(label));
    } catch {
      // what has no JSON is no label
    }
    return found ?? refuse("the value is none of the mechanism's labels");
  };
  const own = deviceWords();
  return {
    sha256: hash,
    family: `${family}`,
    labels,
    outputs,
    factor,
    means,
    randomise: (label, words = own) => draw(position(label), words),
    permanent: async (label, key, context) => {
      const x = position(label);
      return permanentDraw(key, hash, context, [x], (words) => draw(x, words), least);
    },
  };
}

/** Check everything in a file that a draw or a promise rests on; then, that this page accepts it. */
export async function load(text, { odds, sha256: pin } = {}) {
  if (odds === undefined && pin === undefined)
    refuse("say what this page accepts: the largest odds, or the file's sha256");
  try {
    if (text.length > LARGEST) refuse("the file is longer than 32 MB");
    const { format, version, body, sha256: told } = JSON.parse(text);
    const hash = await sha256(canonical({ format, version, body }));
    if (hash !== told) refuse("the file was changed: its hash differs");
    if (pin !== undefined && pin !== hash) refuse("the file is not the one this page accepts");
    if (format !== "dprivacy.mechanism") throw format;
    const found = mechanism(hash, body.family, lawOf(version, body));
    const [num, den] = odds === undefined ? found.factor : rational(odds);
    if (found.factor[0] * den > num * found.factor[1])
      refuse("the mechanism protects less than this page accepts");
    return found;
  } catch (reason) {
    if (reason instanceof Refused) throw reason;
    throw new Refused("the file is no mechanism of dprivacy, or was damaged");
  }
}

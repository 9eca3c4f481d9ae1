/**
 * What stays on the device: a key for permanent answers, and reports until they have arrived. A report is
 * drawn once, stored, and then sent; whatever goes wrong, the same bytes are sent again and nothing is
 * drawn anew: two reports of one answer would tell more than one.
 */

import { hex } from "./families.mjs";
import { refuse } from "./refusal.mjs";

const WAIT = new Set([408, 425, 429]); // answers below 500 after which the same bytes may be taken

/** Keeps things for as long as the program runs: for Node and for tests. */
export function memoryStore() {
  const kept = new Map();
  return {
    get: async (name) => kept.get(name),
    add: async (name, value) => (kept.has(name) ? kept.get(name) : (kept.set(name, value), value)),
    put: async (name, value) => void kept.set(name, value),
    names: async () => [...kept.keys()],
  };
}

/** Keeps things in the browser's database, which other sites cannot read. */
export function browserStore(database = "dprivacy") {
  const answered = (request) =>
    new Promise((done, fail) => {
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
  let opened;
  const open = () => {
    if (!globalThis.indexedDB) refuse("this program has no IndexedDB; give it a store of its own");
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept");
    return answered(request);
  };
  const run = async (mode, work) => {
    const change = (await (opened ??= open())).transaction("kept", mode, { durability: "strict" });
    const ended = new Promise((done, fail) => {
      change.oncomplete = done;
      change.onabort = () => fail(change.error);
    });
    const found = await work(change.objectStore("kept"));
    await ended; // on disk
    return found;
  };
  return {
    get: (name) => run("readonly", (kept) => answered(kept.get(name))),
    add: (name, value) =>
      run("readwrite", async (kept) => {
        const there = await answered(kept.get(name));
        if (there === undefined) await answered(kept.add(value, name));
        return there ?? value;
      }),
    put: (name, value) => run("readwrite", (kept) => answered(kept.put(value, name))),
    names: () => run("readonly", (kept) => answered(kept.getAllKeys())),
  };
}

/** The device's key for permanent answers, made on first use; not even this page can read it. */
export async function deviceKey(store = browserStore()) {
  const there = await store.get("key");
  if (there) return there;
  const made = crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return store.add("key", await made);
}

/** Reports on their way to a collector. */
export class Outbox {
  constructor(mechanism, address, { store = browserStore(), fetch = globalThis.fetch } = {}) {
    this.mechanism = mechanism;
    this.address = address;
    this.store = store;
    this.fetch = fetch;
    this.prefix = `report ${mechanism.sha256} `;
  }

  /** The report of this name: `draw` makes it, the first time; after that it is what was stored. */
  async add(name, draw) {
    const there = await this.store.get(this.prefix + name);
    if (there) return there;
    const id = hex(crypto.getRandomValues(new Uint8Array(16)));
    const report = await draw();
    const body = JSON.stringify({ mechanism: this.mechanism.sha256, reports: [[id, report]] });
    return this.store.add(this.prefix + name, { body, report, state: "waiting" });
  }

  /** Send what waits. */
  async send() {
    const told = { sent: 0, waiting: 0, refused: 0 };
    for (const name of await this.store.names()) {
      const kept = name.startsWith(this.prefix) ? await this.store.get(name) : {};
      if (kept.state !== "waiting") continue;
      const state = await this.#post(kept.body);
      told[state]++;
      if (state !== "waiting") await this.store.put(name, { ...kept, state });
    }
    return told;
  }

  async #post(body) {
    try {
      const answer = await this.fetch.call(globalThis, this.address, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
        credentials: "omit",
        referrerPolicy: "no-referrer",
        cache: "no-store",
      });
      if (answer.ok) return "sent";
      return answer.status >= 500 || WAIT.has(answer.status) ? "waiting" : "refused";
    } catch {
      return "waiting"; // no network
    }
  }
}

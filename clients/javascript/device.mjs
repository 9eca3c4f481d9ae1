/**
 * What stays on the device: a key for permanent answers, and reports until they have arrived. A report is
 * drawn once, stored, and then sent; whatever goes wrong, the same bytes are sent again and nothing is
 * drawn anew: two reports of one answer would tell more than one.
 */

import { hex } from "./draws.mjs";

/** Keeps things for as long as the program runs: for Node and for tests. */
export class MemoryStore extends Map {
  add(name, value) {
    return this.get(name) ?? (this.set(name, value), value);
  }
}

/** Keeps things in the browser's database, which other sites cannot read. */
export function browserStore(database = "dprivacy") {
  const answered = (request, done = "onsuccess", fail = "onerror") =>
    new Promise((resolve, reject) => {
      request[done] = () => resolve(request.result);
      request[fail] = () => reject(request.error);
    });
  let opened;
  const run = async (work) => {
    if (!opened) {
      const request = indexedDB.open(database);
      request.onupgradeneeded = () => request.result.createObjectStore("kept");
      opened = answered(request);
    }
    const change = (await opened).transaction("kept", "readwrite", { durability: "strict" });
    const onDisk = answered(change, "oncomplete", "onabort");
    return (await Promise.all([work(change.objectStore("kept")), onDisk]))[0];
  };
  const get = (name) => run((kept) => answered(kept.get(name)));
  return {
    get,
    set: (name, value) => run((kept) => answered(kept.put(value, name))),
    keys: () => run((kept) => answered(kept.getAllKeys())),
    add: (name, value) =>
      run(async (kept) => (await answered(kept.get(name))) ?? (await answered(kept.add(value, name)), value)),
  };
}

/** The device's key for permanent answers, made on first use; not even this page can read it. */
export async function deviceKey(store = browserStore()) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return (
    (await store.get("key")) ??
    store.add("key", await crypto.subtle.generateKey(algorithm, false, ["sign"]))
  );
}

/** Reports on their way to a collector. */
export class Outbox {
  constructor({ sha256: mechanism }, address, { store = browserStore(), fetch = globalThis.fetch } = {}) {
    const prefix = `report ${mechanism} `;

    /** The report of this name: `draw` makes it, the first time; after that it is what was stored. */
    this.add = async (name, draw) => {
      const there = await store.get(prefix + name);
      if (there) return there;
      const report = await draw();
      const id = hex(crypto.getRandomValues(new Uint8Array(16)));
      const body = JSON.stringify({ mechanism, reports: [[id, report]] });
      return store.add(prefix + name, { body, report, state: "waiting" });
    };

    /** Send what waits. */
    this.send = async () => {
      const told = { sent: 0, waiting: 0, refused: 0 };
      for (const name of await store.keys()) {
        const kept = name.startsWith(prefix) && (await store.get(name));
        if (kept?.state !== "waiting") continue;
        const { status } = await fetch(address, {
          method: "POST",
          body: kept.body,
          headers: { "content-type": "application/json" },
          credentials: "omit",
          referrerPolicy: "no-referrer",
          redirect: "error", // one that is followed arrives without its body
        }).catch(() => ({})); // no network
        // Only what a collector says for good: a proxy in between may say anything for an hour.
        const state = status < 300 ? "sent" : [410, 413, 422].includes(status) ? "refused" : "waiting";
        told[state]++;
        if (state !== "waiting") await store.set(name, { ...kept, state });
      }
      return told;
    };
  }
}

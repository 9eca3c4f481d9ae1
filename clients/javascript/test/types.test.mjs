// The types speak of what the modules have, no more and no less.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { MemoryStore, Outbox } from "../client.mjs";

for (const door of ["client", "places"])
  test(`${door}: every value has a type, and every type a value`, async () => {
    const text = readFileSync(new URL(`../${door}.d.ts`, import.meta.url), "utf8");
    const told = [...text.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
    assert.deepEqual(told.sort(), Object.keys(await import(`../${door}.mjs`)).sort());
  });

test("an outbox has the methods that its type has", () => {
  const outbox = new Outbox({ sha256: "" }, "/", { store: new MemoryStore() });
  assert.deepEqual(Object.keys(outbox), ["add", "send"]);
});

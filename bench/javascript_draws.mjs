// Reports for each CPU-second of Node.js; run by bench_javascript.py, which names the files.

import { readFileSync } from "node:fs";

import { load } from "../clients/javascript/client.mjs";
import { places } from "../clients/javascript/places.mjs";

function seconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Draws a CPU-second, over two of them, after half a second to warm up. */
function rate(draw) {
  let [began, drawn] = [0, 0];
  for (const wanted of [0.5, 2]) {
    [began, drawn] = [seconds(), 0];
    while (seconds() - began < wanted) {
      for (let i = 0; i < 10000; i++) draw();
      drawn += 10000;
    }
  }
  return drawn / (seconds() - began);
}

/** What most pages would write: doubles, a cumulative sum and Math.random, which can be guessed. */
function plainly({ matrix: { denominator, weights } }) {
  const row = weights[0].map((weight) => Number(BigInt(weight)) / Number(BigInt(denominator)));
  return () => {
    let left = Math.random();
    return row.findIndex((chance) => (left -= chance) < 0);
  };
}

const told = {};
for (const [name, path] of Object.entries(JSON.parse(process.argv[2]))) {
  const text = readFileSync(path, "utf8");
  const mechanism = await load(text, { odds: "100" });
  const label = mechanism.labels[1];
  told[name] = { ours: rate(() => mechanism.randomise(label)) };
  const { channel } = JSON.parse(text).body;
  if (channel) told[name].plain = rate(plainly(channel));
}
const moved = await places({ eps: "ln 4", radius: "200 m", centre: [40.7, -74] });
told["places, 200 m"] = { ours: rate(() => moved.randomise([40.7484, -73.9857])) };
console.log(JSON.stringify({ node: process.version, told }));

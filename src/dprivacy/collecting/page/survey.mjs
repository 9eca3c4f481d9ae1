// The question: choose, add noise here, see what is sent, send it. The choice never leaves this module.
import { Outbox, Refused, browserStore, load } from "./client/client.mjs";

const FEW = 12;
const $ = (id) => document.getElementById(id);
const { sha256, odds, name } = document.querySelector("main").dataset;
const shown = (label) => {
  if (label === null || typeof label !== "object") return String(label);
  const [content] = Object.values(label);
  return Array.isArray(content) ? content.map(shown).join(", ") : content;
};
const say = (text) => ($("status").textContent = text);

/** Radio buttons, or a list that can be searched where there are many. Gives the position of the choice. */
function ask(labels) {
  $("ask").hidden = false;
  if (labels.length <= FEW) {
    for (const [at, label] of labels.entries()) {
      const row = document.createElement("label");
      const input = document.createElement("input");
      Object.assign(input, { type: "radio", name: "answer", value: at, required: true });
      input.autocomplete = "off";
      row.append(input, shown(label));
      $("few").append(row);
    }
    return () => document.querySelector("#few input:checked")?.value;
  }
  $("many").hidden = false;
  const options = labels.map((label, at) => new Option(shown(label), at));
  const fill = () => {
    const wanted = $("filter").value.toLocaleLowerCase();
    const fits = options.filter((option) => option.text.toLocaleLowerCase().includes(wanted));
    $("listed").replaceChildren(...fits);
    if (fits.length === 1) fits[0].selected = true;
  };
  $("filter").addEventListener("input", fill);
  fill();
  return () => $("listed").value || undefined;
}

/** What is sent, in words. */
function words(mechanism, report) {
  const means = mechanism.means(report).map(shown);
  if (mechanism.outputs) return `The answer “${means[0]}”, which may or may not be yours.`;
  const some = means.slice(0, FEW).map((label) => `“${label}”`);
  if (means.length > FEW) some.push(`and ${means.length - FEW} more`);
  const list = some.join(", ") || "no answer at all";
  return `A report that stands for ${means.length} of ${mechanism.labels.length} answers: ${list}. Yours may or may not be among them.`;
}

function show(mechanism, kept) {
  $("ask").hidden = true;
  $("ask").reset(); // the choice is forgotten
  $("listed").replaceChildren();
  $("drawn").hidden = false;
  $("words").textContent = words(mechanism, kept.report);
  $("bytes").textContent = kept.body;
  $("odds").textContent = `Whatever your answer is, no report is more than ${odds} times as likely for one answer as for another.`;
}

const ENDS = {
  sent: "Sent, and stored. Thank you.",
  waiting:
    "It could not be sent yet. The report is kept on this device; the very same bytes are sent again when the network is back, also when you open this page later.",
  refused: "The collection did not take it: it may be closed, or ask something else by now.",
};

async function begin() {
  const text = await (await fetch("v1/mechanism", { cache: "no-store" })).text();
  const mechanism = await load(text, { odds, sha256 });
  const store = browserStore();
  const outbox = new Outbox(mechanism, new URL("v1/reports", location.href).href, { store });
  const asked = `asked ${name}`; // that this report be sent

  async function send() {
    $("send").disabled = true;
    say("Sending …");
    await store.set(asked, true);
    const told = await outbox.send();
    say(ENDS[told.waiting ? "waiting" : told.refused ? "refused" : "sent"]);
    $("send").hidden = !told.waiting;
    $("send").disabled = false;
    $("send").textContent = "Send it again";
  }

  async function ready(kept) {
    show(mechanism, kept);
    $("send").addEventListener("click", send);
    addEventListener("online", async () => $("send").hidden || ((await store.get(asked)) && send()));
    if (kept.state !== "waiting") {
      $("send").hidden = true;
      say(kept.state === "sent" ? "You have answered this question on this device. Thank you." : ENDS.refused);
    } else if (await store.get(asked)) await send();
  }

  const nothing = new Error();
  const there = await outbox
    .add(name, () => {
      throw nothing; // only to look whether there is one
    })
    .catch((reason) => {
      if (reason !== nothing) throw reason;
    });
  if (there) return ready(there);
  const chosen = ask(mechanism.labels);
  $("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    const at = chosen();
    if (at === undefined) return say("Choose an answer first.");
    say("");
    $("draw").disabled = true;
    await ready(await outbox.add(name, () => mechanism.randomise(mechanism.labels[at])));
    $("drawn").focus();
  });
}

begin().catch((reason) =>
  say(
    reason instanceof Refused
      ? `This page does not accept the collection's mechanism: ${reason.message}. Nothing was sent.`
      : "The page could not be loaded whole. Nothing was sent; try again later.",
  ),
);

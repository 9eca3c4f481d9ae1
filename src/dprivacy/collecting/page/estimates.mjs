// The estimates so far, asked for again every few seconds while somebody looks.
const EVERY = 3000; // milliseconds
const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);
const number = (value) =>
  Math.abs(value) < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en");

function bar(row, low, high) {
  const place = (value) => (100 * (value - low)) / (high - low || 1);
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 100 10");
  drawing.setAttribute("preserveAspectRatio", "none");
  drawing.setAttribute("aria-hidden", "true");
  const add = (kind, x1, x2, y1, y2) => {
    const line = document.createElementNS(SVG, "line");
    for (const [key, value] of Object.entries({ x1, x2, y1, y2, class: kind }))
      line.setAttribute(key, value);
    drawing.append(line);
  };
  const [from, to] = row.interval.map(place);
  add("zero", place(0), place(0), 0, 10);
  add("bar", place(0), place(row.count), 5, 5);
  add("whisker", from, to, 5, 5);
  add("whisker", from, from, 2, 8);
  add("whisker", to, to, 2, 8);
  return drawing;
}

function show(told) {
  const some = told.rows.length < told.labels ? `; the ${told.rows.length} largest are shown` : "";
  $("count").textContent = told.n
    ? `${told.n.toLocaleString("en")} report${told.n > 1 ? "s" : ""}, ${told.labels} answers${some}.`
    : "There are no reports yet.";
  const low = Math.min(0, ...told.rows.map((row) => row.interval[0]));
  const high = Math.max(1, ...told.rows.map((row) => row.interval[1]));
  $("rows").replaceChildren(
    ...told.rows.map((row) => {
      const line = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = row.label;
      line.append(head);
      for (const value of [row.count, row.standard_error]) {
        line.append(Object.assign(document.createElement("td"), { textContent: number(value) }));
      }
      const cell = document.createElement("td");
      cell.className = "bars";
      cell.append(bar(row, low, high));
      line.append(cell);
      return line;
    }),
  );
  $("fake").textContent = told.fake ?? "";
  $("comparisons").replaceChildren(
    ...told.comparisons.map((each) =>
      Object.assign(document.createElement("li"), {
        textContent: `“${each.first}” is ahead of “${each.second}” by ${number(each.ahead)}; to make that up would have taken at least ${each.fewest_fakes.toLocaleString("en")} fake reports.`,
      }),
    ),
  );
  $("manipulation").textContent = told.manipulation;
  $("manipulation").classList.toggle("note", !told.honest);
}

async function look() {
  try {
    if (!document.hidden) {
      const answer = await fetch("v1/estimate", { cache: "no-store" });
      const told = await answer.json();
      if (answer.ok) show(told);
      else $("count").textContent = told.refused;
    }
  } catch {
    $("count").textContent = "The collector does not answer; asking again …";
  }
  setTimeout(look, EVERY);
}
look();

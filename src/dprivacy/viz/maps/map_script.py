"""The script of a map: zooming, moving, counting dots anew, and a bar of a round length."""

SCRIPT = """const map = document.querySelector("svg"), full = map.viewBox.baseVal;
const bar = document.querySelector(".bar"), whole = [full.x, full.y, full.width, full.height];
let box = [...whole], held = null;
function clusters(spots, size) {
  const cells = new Map();
  for (const [x, y, n] of spots) {
    const key = Math.floor(x / size) + " " + Math.floor(y / size), had = cells.get(key) || [0, 0, 0];
    cells.set(key, [had[0] + n * x, had[1] + n * y, had[2] + n]);
  }
  return [...cells.values()].map(([x, y, n]) => [x / n, y / n, n]);
}
function short(n) {
  if (n < 1000) return n;
  return n < 1e4 ? (n / 1000).toFixed(1) + "k" : Math.floor(n / 1000) + "k";
}
function dot([x, y, n], unit) {
  const at = `<circle cx="${x}" cy="${y}"`, size = (5 + 2.5 * Math.log10(n)) * unit;
  if (n === 1) return `${at} r="${3 * unit}"/>`;
  return `${at} r="${size}" class="many"/>` +
    `<text x="${x}" y="${y}" style="font-size:${9 * unit}px">${short(n)}</text>`;
}
function dots(kind, unit) {
  const right = box[0] + box[2], low = box[1] + box[3];
  const seen = given.spots[kind].filter(
    ([x, y]) => x >= box[0] && x <= right && y >= box[1] && y <= low);
  let found = [];
  for (const size of given.sizes) {
    found = clusters(seen, size * unit);
    if (found.filter(one => one[2] > 1).length <= given.most) break;
  }
  map.querySelector("g." + kind).innerHTML = found.map(one => dot(one, unit)).join("");
}
function rounded(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return [5, 2, 1].find(k => k * power <= metres) * power;
}
function show() {
  map.setAttribute("viewBox", box.join(" "));
  const unit = box[2] / map.clientWidth;  // of the paper in a pixel
  for (const kind in given.spots) dots(kind, unit);
  for (const name of map.querySelectorAll(".degrees")) name.style.fontSize = 12 * unit + "px";
  bar.hidden = !given.metre;
  if (bar.hidden) return;
  const length = rounded(map.clientWidth / 5 * unit / given.metre), far = length >= 1000;
  bar.style.width = length * given.metre / unit + "px";
  bar.firstChild.textContent = far ? (length / 1000).toLocaleString("en") + " km" : length + " m";
}
function zoom(k, x, y) {
  k = Math.min(k, whole[2] / box[2]);
  box = [x - (x - box[0]) * k, y - (y - box[1]) * k, box[2] * k, box[3] * k];
  if (box[2] >= whole[2]) box = [...whole];
  show();
}
function closer(k) { zoom(k, box[0] + box[2] / 2, box[1] + box[3] / 2); }
function move(right, down) { box[0] += right * box[2]; box[1] += down * box[3]; show(); }
function all() { box = [...whole]; show(); }
function at(e) {
  const r = map.getBoundingClientRect();
  const x = box[0] + (e.clientX - r.left) / r.width * box[2];
  return [x, box[1] + (e.clientY - r.top) / r.height * box[3]];
}
map.addEventListener("wheel", e => {
  e.preventDefault();
  zoom(e.deltaY > 0 ? 1.25 : 0.8, ...at(e));
}, {passive: false});
map.addEventListener("pointerdown", e => { held = at(e); map.setPointerCapture(e.pointerId); });
map.addEventListener("pointermove", e => {
  if (!held) return;
  const [x, y] = at(e);
  box[0] += held[0] - x;
  box[1] += held[1] - y;
  show();
});
map.addEventListener("pointerup", () => { held = null; });
map.addEventListener("dblclick", all);
const keys = {
  "+": () => closer(0.8), "=": () => closer(0.8), "-": () => closer(1.25), "0": all,
  ArrowLeft: () => move(-.1, 0), ArrowRight: () => move(.1, 0),
  ArrowUp: () => move(0, -.1), ArrowDown: () => move(0, .1),
};
map.addEventListener("keydown", e => {
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});
const [nearer, farther, every] = document.querySelectorAll("button");
nearer.onclick = keys["+"]; farther.onclick = keys["-"]; every.onclick = all;
addEventListener("resize", show);
show();
"""

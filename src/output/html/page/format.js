// Numbers and colours as people read them.

// In the order of CodeKind. Okabe and Ito's palette, lightened: distinguishable with any kind of colour vision.
const KINDS = [
  { word: "everything", hue: 0, saturation: 0, lightness: 84 },
  { word: "process", hue: 0, saturation: 0, lightness: 84 },
  { word: "program", hue: 202, saturation: 77, lightness: 74 },
  { word: "library", hue: 164, saturation: 52, lightness: 68 },
  { word: "inlined", hue: 215, saturation: 28, lightness: 77 },
  { word: "JIT", hue: 327, saturation: 45, lightness: 78 },
  { word: "kernel", hue: 41, saturation: 92, lightness: 66 },
  { word: "module", hue: 26, saturation: 85, lightness: 62 },
  { word: "no symbol", hue: 0, saturation: 0, lightness: 58 },
  { word: "too narrow", hue: 55, saturation: 40, lightness: 86 },
];

const INLINED = 4;

function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 8;
}

function kindColor(kind, name) {
  const look = KINDS[kind];
  const shade = kind < 2 ? 0 : hashOf(name) % 12;
  return `hsl(${look.hue},${look.saturation}%,${look.lightness + shade}%)`;
}

// Orange: more than before, blue: less. Colours reach full strength at a change of 10% of the total.
function changeColor(share, before) {
  const change = Math.max(-1, Math.min(1, (share - before) / 0.1));
  if (Math.abs(change) < 0.005) return "hsl(0,0%,90%)";
  const lightness = Math.round(92 - 34 * Math.sqrt(Math.abs(change)));
  return change > 0 ? `hsl(26,90%,${lightness}%)` : `hsl(205,75%,${lightness}%)`;
}

function heatColor(share, dark) {
  if (share <= 0) return dark ? "#1d2026" : "#f3f4f6";
  // Lightness alone distinguishes more from less.
  return dark ? `hsl(${10 + 42 * share},${70 + 20 * share}%,${16 + 50 * share}%)` : `hsl(${50 - 45 * share},90%,${90 - 58 * share}%)`;
}

const grouped = (value) => Math.round(value).toLocaleString("en-US");
// "1 event", "2,000 events".
const counted = (number, one) => `${grouped(number)} ${one}${number === 1 ? "" : "s"}`;
const percent = (part, whole) => (whole > 0 ? (part / whole * 100).toFixed(2) : "0.00") + " %";

function duration(ns) {
  const size = Math.abs(ns);
  if (size >= 1e9) return (ns / 1e9).toFixed(size >= 1e11 ? 1 : 3) + " s";
  if (size >= 1e6) return (ns / 1e6).toFixed(2) + " ms";
  if (size >= 1e3) return (ns / 1e3).toFixed(1) + " µs";
  return Math.round(ns) + " ns";
}

// A value of the selected measure, with its unit.
function amount(value, unit) {
  if (unit === "ns") return duration(value);
  return Math.round(value) === 1 ? `1 ${unit.replace(/s$/, "")}` : `${grouped(value)} ${unit}`;
}

// A typed regular expression, case-sensitive if it has a capital letter. The field shows whether it is invalid; its text is then searched.
function searchPattern(text, field) {
  const flags = /[A-Z]/.test(text) ? "" : "i";
  field.classList.remove("wrong");
  try {
    return new RegExp(text, flags);
  } catch (error) {
    field.classList.add("wrong");
    field.title = error.message;
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  }
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties || {});
  made.append(...children);
  return made;
}
// A small square.
const swatch = (color) => element("span", { className: "swatch", style: `background: ${color}` });
const byId = (id) => document.getElementById(id);
const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

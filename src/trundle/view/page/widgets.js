// Small parts of the page: colours from its style sheet, texts of lengths, boxes to tick and lists to choose from.

function looks() {
  const style = getComputedStyle(document.documentElement);
  const look = Object.fromEntries(["line", "quiet"].map((name) => [name, style.getPropertyValue(`--${name}`)]));
  for (const name of ["sky", "floor"]) look[name] = rgb(style.getPropertyValue(`--${name}`));
  return { ...look, curves: Array.from({ length: CURVES }, (_, k) => style.getPropertyValue(`--curve${k}`)) };
}

const corners = (half) => Array.from({ length: 8 }, (_, k) => half.map((h, i) => ((k >> i) & 1 ? h : -h)));
const css = (c) => `rgb(${c.map((v) => Math.round(255 * v)).join(",")})`;
const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.trim().slice(i, i + 2), 16) / 255);

// A length in the unit in which it is a short number.
function lengthText(metres) {
  const [size, unit] = [[1e3, "km"], [1, "m"], [1e-3, "mm"], [1e-6, "\u00b5m"], [1e-9, "nm"]].find(([s]) => metres >= 0.999 * s) || [1, "m"];
  return `${numberText(metres / size)} ${unit}`;
}

function check(text, on, changed) {
  const label = document.createElement("label"), box = document.createElement("input");
  Object.assign(box, { type: "checkbox", checked: on });
  box.addEventListener("change", () => changed(box.checked));
  label.append(box, text);
  return label;
}

function select(element, options, value, changed) {
  element.replaceChildren(...options.map(([v, text]) => new Option(text, v, false, v === value)));
  element.onchange = () => changed(Number(element.value));
}

function labelled(parent, text, options, value, changed) {
  const label = document.createElement("label"), choice = document.createElement("select");
  select(choice, options, value, changed);
  label.append(text, choice);
  parent.append(label);
}

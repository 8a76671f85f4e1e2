// A number with a slider: the slider for the eye, the field for any value, also such as pi/3.

class Slider {
  constructor(given, server, changed) {
    Object.assign(this, { ...given, server, changed, usual: given.value });
    this.element = document.createElement("div");
    this.element.className = "slider";
    const called = part("span", "called", given.name), unit = part("span", "unit", unitText(given.unit)), about = part("span", "about", given.text);
    this.field = document.createElement("input");
    Object.assign(this.field, { className: "number", inputMode: "decimal" });
    this.field.setAttribute("aria-label", given.name);
    this.range = document.createElement("input");
    Object.assign(this.range, { type: "range", step: "any" });
    this.range.setAttribute("aria-label", `${given.name}, slider`);
    this.element.append(called, this.field, unit, this.range, ...(given.text ? [about] : []));
    this.range.addEventListener("input", () => { this.put(rounded(Number(this.range.value), this.span())); this.changed(true); });
    this.field.addEventListener("change", () => this.typed());
    this.scale();
    this.put(given.value);
  }

  get touched() { return this.value !== this.usual; }

  // The slider reaches from a quarter to three times of a value; one that is zero, to one on both sides.
  scale() {
    const v = this.usual, angle = this.unit === "rad" ? Math.PI : 1;
    let [low, high] = v > 0 ? [v / 4, 3 * v] : v < 0 ? [3 * v, v / 4] : [-angle, angle];
    if (v !== 0 && this.signed) [low, high] = [-3 * Math.abs(v), 3 * Math.abs(v)];
    Object.assign(this.range, { min: low, max: high });
  }

  span() { return Number(this.range.max) - Number(this.range.min); }

  put(value) {
    this.value = value;
    if (value < Number(this.range.min)) this.range.min = value;
    if (value > Number(this.range.max)) this.range.max = value;
    this.range.value = value;
    this.field.value = Number(value.toPrecision(6)).toString();
    this.field.classList.remove("bad");
    this.element.classList.toggle("changed", this.touched);
  }

  // The file says something else now, as a parameter has changed.
  follow(value) {
    const touched = this.touched;
    this.usual = value;
    if (!touched) this.put(value); else this.element.classList.toggle("changed", this.touched);
  }

  async typed() {
    const text = this.field.value.trim(), plain = Number(text);
    try {
      this.put(text !== "" && Number.isFinite(plain) ? plain : await this.server.ask("number", { text }));
      this.changed(false);
    } catch (error) {
      this.field.classList.add("bad");
      this.field.title = error.message;
    }
  }
}

// Start values: a vector has one slider for each component.
class Start {
  constructor(given, server, changed) {
    this.name = given.name;
    this.vector = Array.isArray(given.value);
    const values = this.vector ? given.value : [given.value], axes = values.length === 3 ? ["x", "y", "z"] : values.map((_, i) => i);
    this.sliders = values.map((value, i) => {
      const name = this.vector ? `${given.name} ${axes[i]}` : given.name;
      return new Slider({ name, value, unit: given.unit, text: i ? "" : given.text, signed: true }, server, changed);
    });
  }

  get touched() { return this.sliders.some((s) => s.touched); }

  get value() { return this.vector ? this.sliders.map((s) => s.value) : this.sliders[0].value; }

  follow(value) { (this.vector ? value : [value]).forEach((v, i) => this.sliders[i].follow(v)); }
}

const part = (tag, name, text) => { const one = document.createElement(tag); one.className = name; one.textContent = text; return one; };

// Three or four digits are enough for a slider.
function rounded(value, span) {
  const step = 10 ** Math.floor(Math.log10(span / 500 || 1));
  return Number((Math.round(value / step) * step).toPrecision(12));
}

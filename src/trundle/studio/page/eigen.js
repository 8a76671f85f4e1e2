// Eigenvalues over a parameter: real parts above, imaginary parts below; a click sets the parameter.

class Loci {
  constructor(studio) {
    this.studio = studio;
    this.panels = [];
    $("about").addEventListener("change", () => this.choices());
    $("over").addEventListener("change", () => this.span());
    $("locus").addEventListener("click", () => this.plot());
  }

  open(model) {
    this.model = model;
    this.panels = [];
    $("loci").replaceChildren();
    $("eigen-said").textContent = "";
    const about = [["equilibrium", "the equilibrium"], ["start", "the start"], ...(model.steady ? [["steady", "steady motion"]] : [])];
    $("about").replaceChildren(...about.map(([value, text]) => new Option(text, value)));
    if (model.steady) $("about").value = "steady";
    this.choices();
  }

  choices() {
    const names = $("about").value === "steady" ? ["speed"] : this.model.parameters.map((p) => p.name);
    $("over").replaceChildren(...names.map((name) => new Option(name, name)));
    $("locus").disabled = !names.length;
    this.span();
  }

  span() {
    const slider = this.studio.parameters.find((s) => s.name === $("over").value);
    const [low, high] = slider ? [Number(slider.range.min), Number(slider.range.max)] : [0, 10];
    $("first").value = Number(low.toPrecision(4));
    $("last").value = Number(high.toPrecision(4));
  }

  async plot() {
    const said = $("eigen-said");
    said.className = "";
    said.textContent = "computing ...";
    $("locus").disabled = true;
    try {
      const asked = { over: $("over").value, about: $("about").value };
      for (const name of ["first", "last", "count"]) asked[name] = await this.studio.read($(name).value);
      this.show(await this.studio.server.ask("eigenvalues", { ...this.studio.settings(), ...asked }));
    } catch (error) {
      said.className = "bad";
      said.textContent = error.message;
    } finally { $("locus").disabled = false; }
  }

  show(found) {
    this.found = found;
    $("eigen-said").textContent = found.said.join("\n");
    const range = [found.values[0], found.values[found.values.length - 1]], unit = found.unit ? ` (${found.unit})` : "";
    const panel = (kind, text, unit) => {
      const curves = found[kind].map((c, k) => ({ ...c, name: `${k + 1}`, label: `\u03bb${k + 1}`, unit, text: `eigenvalue ${k + 1}`, run: 0 }));
      return new Panel(unit, curves, range, (value) => this.pick(value), found.unit);
    };
    this.panels = [panel("real", "real part", "1/s"), panel("imaginary", "imaginary part", "rad/s")];
    const titles = ["real part: growing above zero, decaying below", "imaginary part: angular frequency"];
    $("loci").replaceChildren(...this.panels.flatMap((p, i) => [part("h2", "", `${titles[i]} (${p.unit}), over ${found.over}${unitText(unit)}`), p.element]));
    this.at = this.value();
    this.draw();
  }

  // The slider of what the eigenvalues are over: a parameter, or a start value such as the speed.
  slider() {
    const { parameters, starts } = this.studio, start = starts.find((s) => s.start.name === this.found.over && !s.start.vector);
    return parameters.find((s) => s.name === this.found.over) || (start && start.start.sliders[0]);
  }

  value() { const slider = this.slider(); return slider ? slider.value : this.at ?? this.found.values[0]; }

  pick(value) {
    const slider = this.slider();
    this.at = value;
    if (slider) { slider.put(rounded(value, slider.span())); this.studio.changed(true); } else this.draw();
  }

  draw() {
    if (!this.panels.length || $("sheet-eigenvalues").hidden) return;
    this.at = this.value();
    for (const panel of this.panels) panel.draw(this.at, looks());
  }
}

// The studio: one model, its values, its runs.

const SHEETS = { motion: "Motion", model: "Model", structure: "Structure", eigenvalues: "Eigenvalues", impact: "Impact map" };
const SAVED = { model: "Model (YAML)", result: "Result (netCDF)", page: "Page that replays it", script: "Python script" };
const SLOW = 2500;  // ms: a run that takes longer does not follow the sliders

class Player extends Page {
  constructor(studio) { super(); this.studio = studio; }

  async fetch(name) {
    try {
      (await this.studio.server.ask("quantity", { name })).forEach((plot, k) => this.curves.push(this.curve(plot, k)));
    } catch (error) { this.chosen.delete(name); this.studio.say(error.message, true); }
  }
}

class Studio {
  constructor() {
    Object.assign(this, { server: new Server(), model: null, parameters: [], starts: [], running: false, waiting: null, drawn: 0, slow: false });
    this.player = new Player(this);
    this.sheet = new Sheet((text) => this.openText(text, this.source));
    this.loci = new Loci(this);
    for (const [name, text] of Object.entries(SHEETS)) {
      const tab = part("button", "", text);
      Object.assign(tab, { id: `tab-${name}`, onclick: () => this.turn(name) });
      tab.setAttribute("role", "tab");
      $("tabs").append(tab);
    }
    for (const [what, text] of Object.entries(SAVED)) {
      const button = part("button", "", text);
      Object.assign(button, { id: `save-${what}`, onclick: () => this.save(what) });
      $("files").append(button);
    }
    $("examples").onchange = () => this.openExample($("examples").value);
    $("open").onclick = () => $("file").click();
    $("file").onchange = () => this.openFile($("file").files[0]);
    $("run").onclick = () => this.run(false);
    $("stop").onclick = () => this.server.ask("stop");
    $("keep").onclick = () => this.keep(!this.kept);
    $("reset").onclick = () => this.reset();
    $("duration").onchange = () => this.changed(false);
    $("method").replaceChildren(...["auto", "order8", "order5", "stiff"].map((m) => new Option(m === "auto" ? "usual method" : m, m)));
    addEventListener("resize", () => this.loci.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.loci.draw());
    this.turn("motion");
    this.begin();
  }

  // -- models --

  async begin() {
    try {
      const { examples, model, settings } = await this.server.ask("begin");
      const options = examples.map((e) => { const o = new Option(e.name, e.name); o.title = e.sentence; return o; });
      $("examples").replaceChildren(new Option("choose an example", ""), ...options);
      if (model) { this.opened(model); await this.resume(settings); }
    } catch (error) { this.fail(error); }
    this.drawn += 1;
  }

  async resume(settings) {
    if (!settings) { await this.run(true); return; }
    this.put(settings);
    await this.run(true);
  }

  openExample(name, sizes) { if (name) { this.source = name; return this.openWith("example", { name, sizes }); } }

  openText(text, name) { this.source = name; return this.openWith("text", { text, name }, text); }

  async openFile(file) {
    $("file").value = "";
    if (!file) return;
    if (file.size > 300000) { this.say(`${file.name} has ${file.size} bytes: a model file has at most 300000. Make large models in Python.`, true); return; }
    await this.openText(await file.text(), file.name);
  }

  async openWith(question, asked, text) {
    this.say("building ...");
    $("run").disabled = true;
    try {
      const was = this.model && this.source === this.model.name && question === "text" ? this.settings() : null;
      this.opened(await this.server.ask(question, asked));
      if (was) this.put({ ...was, duration: this.model.duration });
      await this.run(true);
    } catch (error) {
      this.fail(error);
      if (text !== undefined) this.broken(text, error);
    } finally { $("run").disabled = false; }
  }

  // A file with faults: its text with them, and nothing to run.
  broken(text, error) {
    $("name").textContent = this.source || "model";
    $("sentence").textContent = "This model has faults; they are listed at its text.";
    $("drive").hidden = true;
    if ($("text").value !== text) this.sheet.show(text, true);
    this.sheet.faults(error.faults.length ? error.faults : [[0, error.message]]);
    this.turn("model");
  }

  opened(model) {
    Object.assign(this, { model, source: model.name, kept: false, slow: false, warm: false, structured: false });
    $("name").textContent = model.title;
    $("sentence").textContent = model.sentence;
    $("examples").value = [...$("examples").options].some((o) => o.value === model.name) ? model.name : "";
    $("drive").hidden = false;
    const changed = (sliding) => this.changed(sliding);
    this.parameters = model.parameters.map((p) => new Slider(p, this.server, changed));
    this.starts = model.start.map((s) => ({ given: s.given, start: new Start(s, this.server, changed) }));
    $("parameters").replaceChildren(...this.parameters.map((s) => s.element));
    $("parameters-title").hidden = !this.parameters.length;
    for (const [id, given] of [["starts", true], ["others", false]]) {
      $(id).replaceChildren(...this.starts.filter((s) => s.given === given).flatMap((s) => s.start.sliders.map((x) => x.element)));
    }
    $("more").hidden = this.starts.every((s) => s.given);
    $("more").open = this.starts.every((s) => !s.given) && this.starts.length < 5;
    $("duration").value = model.duration;
    $("method").value = "auto";
    this.sizes();
    this.sheet.show(model.text, model.editable);
    this.loci.open(model);
    this.compared();
    this.say(model.warnings.join("\n"));
    if (!$("sheet-structure").hidden) this.structure();
  }

  // Sizes of examples made in Python: another number is another model, which is built anew.
  sizes() {
    const fields = Object.entries(this.model.sizes).map(([name, value]) => {
      const label = part("label", "row", `${name} `), field = document.createElement("input");
      Object.assign(field, { className: "number", value, title: "builds another model" });
      field.onchange = async () => {
        try { await this.openExample(this.model.name, { ...this.model.sizes, [name]: await this.read(field.value) }); } catch (error) { this.fail(error); }
      };
      label.append(field, part("span", "unit", "builds the model anew"));
      return label;
    });
    $("sizes").replaceChildren(...fields);
  }

  put(settings) {
    for (const s of this.parameters) if (s.name in settings.parameters) s.put(settings.parameters[s.name]);
    for (const { start } of this.starts) {
      if (start.name in settings.start) [settings.start[start.name]].flat().forEach((v, i) => start.sliders[i].put(v));
    }
    $("duration").value = settings.duration;
    $("method").value = settings.method;
  }

  reset() {
    for (const s of this.parameters) s.put(s.usual);
    for (const { start } of this.starts) for (const s of start.sliders) s.put(s.usual);
    $("duration").value = this.model.duration;
    this.run(false);
  }

  settings() {
    const touched = (list) => Object.fromEntries(list.filter((s) => s.touched).map((s) => [s.name, s.value]));
    return {
      parameters: touched(this.parameters), start: touched(this.starts.map((s) => s.start)),
      duration: this.seconds ?? this.model.duration, method: $("method").value,
    };
  }

  async read(text) {
    const plain = Number(text);
    return String(text).trim() !== "" && Number.isFinite(plain) ? plain : this.server.ask("number", { text: String(text) });
  }

  // -- runs --

  changed(sliding) {
    this.loci.draw();
    if ($("live").checked && !(sliding && this.slow)) this.run(true);
    else this.say("values have changed: press Run");
  }

  // One run at a time; of those asked for meanwhile, the last.
  async run(automatic) {
    if (this.running) { this.waiting = automatic; return this.running; }
    this.running = this.go(automatic);
    try { await this.running; } finally { this.running = false; }
    if (this.waiting !== null) { const next = this.waiting; this.waiting = null; await this.run(next); }
  }

  async go(automatic) {
    const began = performance.now(), model = this.model, patience = setInterval(() => this.watch(), 400);
    try {
      this.seconds = await this.read($("duration").value);
      const plots = this.player.first && this.shown === model ? [...this.player.chosen] : [];
      const found = await this.server.ask("run", { ...this.settings(), plots, automatic });
      if (model !== this.model) return;
      this.show(found);
      for (const { given, start } of this.starts) if (given && start.name in found.start) start.follow(found.start[start.name]);
      this.slow = this.warm && performance.now() - began > SLOW;  // the first run also fetches machine code
      this.warm = true;
      this.say(found.ok ? `done in ${numberText(1000 * found.took)} ms` : found.outcome, !found.ok);
    } catch (error) { this.fail(error); } finally {
      clearInterval(patience);
      $("progress").hidden = $("stop").hidden = true;
    }
  }

  async watch() {
    $("progress").hidden = $("stop").hidden = false;
    const { t, end } = await this.server.ask("reached");
    $("progress").value = end > 0 ? t / end : 0;
  }

  show(found) {
    const again = this.shown === this.model;
    this.shown = this.model;
    $("player").hidden = false;
    $("empty").hidden = true;
    this.player.load(found, again);
    this.kept = found.compared;
    this.compared();
    $("story").hidden = false;
    $("summary").textContent = found.summary;
    this.drawn += 1;
  }

  async keep(on) {
    try { this.show(await this.server.ask("keep", { on, plots: [...(this.player.chosen || [])] })); } catch (error) { this.fail(error); }
  }

  compared() {
    $("keep").textContent = this.kept ? "Forget the kept run" : "Keep this run to compare";
    $("kept").textContent = this.kept ? "it is shown paler, dashed in the plots" : "";
  }

  // -- sheets, files, words --

  turn(name) {
    for (const each of Object.keys(SHEETS)) {
      $(`sheet-${each}`).hidden = each !== name;
      $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    }
    $("bench").hidden = name === "impact";
    if (name === "structure") this.structure();
    if (name === "eigenvalues") this.loci.draw();
    if (name === "motion") this.player.ask();
    if (name === "model") this.sheet.number();
    if (name === "impact" && !$("impact")) {
      const frame = document.createElement("iframe");
      Object.assign(frame, { id: "impact", title: "Impact map", srcdoc: IMPACT });
      frame.setAttribute("sandbox", "allow-scripts");
      $("sheet-impact").append(frame);
    }
  }

  async structure() {
    if (!this.model || this.structured) return;
    const shown = (is) => { $("structure").hidden = !is; $("reading").hidden = is; };
    shown(false);
    try { showStructure(await this.server.ask("structure")); this.structured = true; shown(true); } catch (error) { this.fail(error); }
  }

  async save(what) {
    $("saves").open = false;
    try {
      const { name, content } = await this.server.ask("save", { ...this.settings(), what, plots: [...(this.player.chosen || [])] });
      const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0)), link = document.createElement("a");
      Object.assign(link, { href: URL.createObjectURL(new Blob([bytes])), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      this.say(`saved ${name}`);
    } catch (error) { this.fail(error); }
  }

  say(text, bad = false) { $("said").textContent = text; $("said").className = bad ? "bad" : ""; }

  fail(error) {
    if (error instanceof Refused) this.say(error.message, true);
    else { this.say(`This page has failed: ${error.message}`, true); console.error(error); }
    if ($("drive").hidden) { $("sentence").textContent = error.message; }
  }
}

window.studio = new Studio();
window.trundle = window.studio.player;

// The page: scene, timeline and plots share one time.

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const LAYERS = [
  "bodies", "surfaces", "joints", "springs", "track", "contacts", "contact forces", "reactions", "centres of mass", "paths",
  "frames", "ghosts", "floor", "shadows",
];
const SHOWN = new Set(["bodies", "surfaces", "joints", "springs", "track", "floor", "shadows"]);
const VIEWS = { home: null, front: [0, 0.05], side: [-Math.PI / 2, 0.05], top: [-Math.PI / 2, 1.55] };
const KEYS = [
  ["space", "play, pause"], ["\u2190 \u2192", "back, on"], [", .", "one pose back, on"], ["home end", "first, last"], ["+ -", "faster, slower"],
  ["R", "repeat"], ["H", "home view"], ["drag", "turn"], ["shift + drag", "move"], ["wheel", "zoom"], ["double click", "follow a body"],
];

class Page {
  constructor() {
    Object.assign(this, { t: 0, playing: false, speed: 1, layers: new Set(SHOWN), follow: -1, seat: 0, panels: [], drawn: 0, runs: [] });
    this.failed = null;
    this.painter = null;
    this.box = new Box($("view"), () => this.ask());
    this.stripBox = new Box($("strips"), () => this.ask());
    try { this.painter = new Painter($("view"), this.box); } catch (error) { this.failed = error.message; }
    this.camera = new Camera($("view"), () => this.ask());
    this.wire();
  }

  // Show runs. Those of the same model again keep the time, the camera and what was chosen.
  load(data, again = false) {
    const { painter } = this, room = again ? this.room() : 1;
    for (const run of this.runs) run.release();
    if (painter && !this.shared) this.shared = Object.fromEntries(Object.entries(data.shared).map(([k, mesh]) => [k, painter.upload(mesh)]));
    this.data = data;
    this.runs = data.scenes.map((scene) => new Replay(scene, data, this.shared || {}, painter));
    this.first = this.runs[0];
    this.range = [Math.min(...this.runs.map((r) => r.time[0])), Math.max(...this.runs.map((r) => r.end))];
    this.curves = this.runs.flatMap((run, k) => run.plots.map((plot) => this.curve(plot, k)));
    this.t = again ? clamp(this.t, ...this.range) : this.range[0];
    if (!again) {
      this.chosen = new Set(this.first.chosen);
      this.follow = this.first.travels ? 0 : -1;
      this.seat = 0;
      this.home();
    } else this.camera.distance *= this.room() / room;  // as near as before to what may have grown
    this.controls(again);
    this.choose();
  }

  curve(plot, k) { return { ...plot, run: k, label: k ? `${plot.name} (${this.runs[k].name})` : plot.name }; }

  // -- time --

  seek(t) { this.t = clamp(t, ...this.range); this.ask(); }

  toggle(playing = !this.playing) {
    if (playing && this.t >= this.range[1]) this.t = this.range[0];
    this.playing = playing;
    this.last = null;
    $("play").innerHTML = playing ? "&#10074;&#10074;" : "&#9654;";
    $("play").setAttribute("aria-label", playing ? "pause" : "play");
    this.ask();
  }

  ask() {
    if (!this.asked) { this.asked = true; requestAnimationFrame((now) => this.frame(now)); }
  }

  frame(now) {
    this.asked = false;
    if (!this.first) return;
    if (this.playing) {
      if (this.last !== null) this.t += (this.speed * Math.min(now - this.last, 100)) / 1000;
      this.last = now;
      if (this.t >= this.range[1] && this.repeats) this.t = this.range[0];
      if (this.t >= this.range[1]) { this.t = this.range[1]; this.toggle(false); }
      this.ask();
    }
    this.draw();
    this.drawn += 1;
  }

  // -- picture --

  home(angles = null) {
    const [azimuth, elevation] = angles || this.first.planar || [-1.01, 0.38];
    Object.assign(this.camera, { azimuth, elevation, offset: [0, 0, 0] });
    this.camera.distance = this.room();
    this.ask();
  }

  // Distance from which all that is looked at is seen.
  room() {
    const { low, high, size } = this.first;
    if (this.follow > 0) return 1.86 * size;
    return this.camera.room(this.follow ? corners(scaled(sub(high, low), 0.5)) : this.rims(), this.aspect());
  }

  // The upright cylinder about the middle that holds all bodies, and more around it.
  rims(more = 0) {
    const [radius, height] = this.first.around, r = radius + more;
    const rim = Array.from({ length: 16 }, (_, k) => [r * Math.cos((k * Math.PI) / 8), r * Math.sin((k * Math.PI) / 8)]);
    return rim.flatMap(([x, y]) => [[x, y, height], [x, y, -height]]);
  }

  // How much farther away the camera goes to keep runs that are compared in the picture, wherever they are now.
  spread() {
    if (this.follow !== 0 || this.runs.length < 2) return 1;
    const middle = this.target(), apart = Math.max(...this.runs.map((run) => Math.hypot(...sub(run.middle(this.t), middle))));
    return this.camera.room(this.rims(apart), this.aspect()) / this.room();
  }

  aspect() { return this.box.wide / this.box.high || 1; }

  target() {
    const run = this.first;
    if (this.follow === 0) return scaled(this.runs.map((each) => each.middle(this.t)).reduce(add), 1 / this.runs.length);
    if (this.follow > 0) return place(run.pose(this.follow, this.t), run.com(this.follow));
    return scaled(add(run.low, run.high), 0.5);
  }

  // How the ground is seen at a time: from itself, or from a moving frame. Where the camera looks does not depend on it.
  stand(t = this.t) {
    const { seat } = this, now = this.first.pose(seat, this.t), frame = t === this.t ? now : this.first.pose(seat, t);
    const still = seat && this.follow < 0;  // the frame itself is looked at then
    const target = add(still ? [0, 0, 0] : turnedBack(now.R, sub(this.target(), now.p)), this.camera.offset);
    const seen = (p) => sub(turnedBack(frame.R, sub(p, frame.p)), target);
    return {
      body: seat, seen, model: (pose, scale) => matrix(pose.R.map((c) => turnedBack(frame.R, c)), seen(pose.p), scale),
      ground: frame.R.map((c, i) => [frame.R[0][i], frame.R[1][i], frame.R[2][i]]),
    };
  }

  draw() {
    if (!this.look) this.look = looks();
    if (this.painter) this.drawScene(this.look.sky, this.look.floor);
    for (const panel of this.panels) panel.draw(this.t, this.look);
    $("time").value = this.t;
    const clock = this.clockText(this.t);
    if (this.clock !== clock) { this.clock = $("clock").textContent = clock; $("time").setAttribute("aria-valuetext", `${this.t.toFixed(this.digits)} s`); }
    this.drawStrips();
    this.drawKey();
  }

  clockText(t) { return `${t.toFixed(this.digits)} / ${Number(this.range[1].toPrecision(4))} s`; }

  // What colours and sizes mean, in the corner of the picture.
  drawKey() {
    const { first, layers } = this, lines = [], spots = [];
    if (this.runs.length > 1) lines.push(`paler: ${this.runs.slice(1).map((run) => run.name).join(", ")}`);
    for (const state of first.states) if (state || !layers.has("contacts")) spots.push(first.looks[state]);
    for (const l of ["contact forces", "reactions"]) if (layers.has(l) && first.longest[l] > 0) lines.push(`longest arrow of ${l}: ${numberText(first.longest[l])} N`);
    if (this.painter && layers.has("floor") && first.floor !== null) lines.push(`grid: ${lengthText(this.spacing())}`);
    const written = JSON.stringify([lines, spots]);
    if (written === this.written) return;
    this.written = written;
    const row = document.createElement("p");
    for (const { colour, name } of spots) { const spot = document.createElement("i"); spot.style.background = css(colour); row.append(spot, `${name} `); }
    $("scale").replaceChildren(...(spots.length ? [row] : []), ...lines.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  }

  spacing() { return 10 ** Math.round(Math.log10(this.camera.far / 5)); }

  // Directions of the axes, as they are seen.
  drawCompass() {
    const { azimuth, elevation } = this.camera, ratio = devicePixelRatio || 1, seen = `${azimuth} ${elevation} ${ratio}`;
    if (this.turned === seen) return;
    this.turned = seen;
    const canvas = $("compass"), side = canvas.clientWidth, [right, up, eye] = this.camera.axes();
    canvas.width = canvas.height = side * ratio;
    const pen = canvas.getContext("2d"), middle = side / 2, reach = 0.34 * side;
    pen.scale(ratio, ratio);
    Object.assign(pen, { lineWidth: 2, font: "600 11px system-ui, sans-serif", textAlign: "center", textBaseline: "middle" });
    for (const k of [0, 1, 2].sort((a, b) => eye[a] - eye[b])) {  // the one towards the eye last
      const [x, y] = [middle + reach * right[k], middle - reach * up[k]];
      pen.strokeStyle = pen.fillStyle = ["#d0473a", "#2f9e53", "#3f7be0"][k];
      stroke(pen, [[middle, middle], [x, y]]);
      pen.fillText("xyz"[k], middle + 1.32 * (x - middle), middle + 1.32 * (y - middle));
    }
  }

  // Name of what is at a place of the picture, and its body.
  at(e) {
    if (!this.painter || !this.shown) return null;
    const box = $("view").getBoundingClientRect();
    return this.shown[this.painter.pick(this.shown, e.clientX - box.left, e.clientY - box.top)] || null;
  }

  point(e) {
    const tip = $("tip"), thing = e && !e.buttons ? this.at(e) : null;
    tip.hidden = !thing || !thing.about;
    if (tip.hidden) return;
    const box = $("stage").getBoundingClientRect();
    tip.textContent = thing.about();
    tip.style.left = `${clamp(e.clientX - box.left + 12, 0, Math.max(0, box.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(0, e.clientY - box.top - 30)}px`;
  }

  followed(body) { this.follow = body; this.camera.offset = [0, 0, 0]; this.controls(true); this.ask(); }

  drawScene(sky, line) {
    this.camera.stretch = this.spread();
    const { painter, first } = this, stand = this.stand();
    painter.begin(this.camera, sky);
    if (this.layers.has("floor") && first.floor !== null) {
      const spacing = this.spacing(), reach = 9 * this.camera.far;
      const c = this.seat ? this.first.pose(this.seat, this.t).p : this.target();
      const centre = [c[0] + (this.seat ? 0 : this.camera.offset[0]), c[1] + (this.seat ? 0 : this.camera.offset[1]), 0];
      const at = stand.seen(centre), wrapped = [0, 1].map((i) => (centre[i] / spacing) % 5);
      painter.drawFloor(matrix(stand.ground, at), first.floor, wrapped, reach, spacing, line);
    }
    const things = this.runs.flatMap((run, k) => run.things(this.t, this.layers, stand, k ? 0.45 : 1, k ? run : null));
    if (this.layers.has("ghosts")) {
      const bare = new Set(["bodies", "springs", "surfaces"]);
      for (const t of first.ghosts) things.push(...first.things(t, bare, this.stand(t), 0.2, { t }).filter((x) => x.shadow));
    }
    const height = this.layers.has("shadows") && first.floor !== null && !this.seat ? stand.seen([0, 0, first.floor])[2] : null;
    painter.draw(things, height);
    this.shown = things;
    this.drawCompass();
  }

  // Contact states and events over the timeline; they do not change with the time, and are drawn once for a width.
  drawStrips() {
    const { stripBox: box, first } = this, ratio = devicePixelRatio || 1, shown = [first, box.wide, ratio, ...this.range];
    if (this.stripped && shown.every((v, i) => v === this.stripped[i])) return;
    this.stripped = shown;
    const rows = first.contacts.filter((c) => c.states.length).slice(0, 6), canvas = $("strips");
    const high = rows.length * 5 + (first.events.length ? 6 : 0);
    canvas.style.height = `${high}px`;
    if (!high) return;
    canvas.onpointerenter = () => { canvas.title = rows.map((c) => `${c.name}: ${first.looks[first.state(c, this.t)].name}`).join("\n"); };
    canvas.width = box.wide * ratio;
    canvas.height = high * ratio;
    const pen = canvas.getContext("2d"), X = (t) => ((t - this.range[0]) / (this.range[1] - this.range[0] || 1)) * canvas.width;
    const { time } = this.first;
    rows.forEach((contact, k) => {
      for (let i = 0, end; i + 1 < time.length; i = end) {
        for (end = i + 1; end + 1 < time.length && contact.states[end] === contact.states[i];) end++;
        pen.fillStyle = css(first.looks[contact.states[i]].colour);
        pen.fillRect(X(time[i]), k * 5 * ratio, X(time[end]) - X(time[i]) + 1, 4 * ratio);
      }
    });
    pen.fillStyle = css(first.looks[3].colour);
    for (const [, t] of this.first.events) pen.fillRect(X(t), rows.length * 5 * ratio, 1.5 * ratio, 5 * ratio);
  }

  // -- controls --

  wire() {
    $("problem").textContent = this.failed || "";
    $("problem").hidden = !this.failed;
    $("time").addEventListener("input", (e) => this.seek(Number(e.target.value)));
    $("play").addEventListener("click", () => this.toggle());
    $("again").addEventListener("click", () => this.repeat());
    $("filter").addEventListener("input", () => this.listNames());
    let pointed = null;  // one look for each frame
    $("view").addEventListener("pointermove", (e) => { if (!pointed) requestAnimationFrame(() => { this.point(pointed); pointed = null; }); pointed = e; });
    $("view").addEventListener("pointerleave", () => this.point(null));
    $("view").addEventListener("dblclick", (e) => {
      const thing = this.at(e);
      if (thing && thing.body > 0 && !thing.veil) this.followed(thing.body);
      else { this.followed(this.first.travels ? 0 : -1); this.home(); }
    });
    addEventListener("keydown", (e) => this.key(e));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.look = null; this.ask(); });
    $("options").open = innerWidth > 1400;
    $("quantities").open = innerWidth > 760;
  }

  repeat(on = !this.repeats) { this.repeats = on; $("again").setAttribute("aria-pressed", String(on)); }

  controls(again) {
    const { data, first } = this;
    $("title").textContent = data.title;
    $("note").textContent = data.note;
    $("note").className = data.ok ? "" : "bad";
    Object.assign($("time"), { min: this.range[0], max: this.range[1] });
    const long = this.range[1] - this.range[0];
    this.digits = clamp(Math.ceil(2 - Math.log10(long || 1)), 1, 6);
    $("clock").style.width = `${Math.max(...this.range.map((t) => this.clockText(t).length)) + 1}ch`;
    const fit = SPEEDS.reduce((best, s) => (Math.abs(Math.log(long / s / 8)) < Math.abs(Math.log(long / best / 8)) ? s : best), 1);
    if (!again) this.speed = long > 2 && long < 40 ? 1 : fit;
    select($("speed"), SPEEDS.map((s) => [s, `${s} ×`]), this.speed, (v) => { this.speed = v; });
    const choices = $("choices"), views = document.createElement("div");
    views.className = "views";
    for (const [name, angles] of Object.entries(VIEWS)) {
      const button = document.createElement("button");
      button.textContent = name;
      button.onclick = () => this.home(angles);
      views.append(button);
    }
    choices.replaceChildren(views);
    const bodies = first.bodies.slice(1).map((name, i) => [i + 1, name]);
    labelled(choices, "follow", [[-1, "nothing"], [0, "all bodies"], ...bodies], this.follow, (v) => this.followed(v));
    if (first.frames.length) {
      const seats = first.frames.map((b) => [b, first.bodies[b]]);
      labelled(choices, "seen from", [[0, "ground"], ...seats], this.seat, (v) => { this.seat = v; this.camera.offset = [0, 0, 0]; this.ask(); });
    }
    const present = new Set([...first.items.map((i) => i.layer), ...first.arrows.map((a) => a.layer), "centres of mass", "paths", "ghosts", "floor", "shadows"]);
    if (first.springs.length) present.add("springs");
    if (first.contacts.length) present.add("contacts");
    for (const layer of LAYERS.filter((l) => present.has(l))) {
      const box = check(layer, this.layers.has(layer), (on) => { this.layers[on ? "add" : "delete"](layer); this.ask(); });
      choices.append(box);
    }
    if (first.pathNames.length) {
      const more = document.createElement("details"), head = document.createElement("summary");
      head.textContent = "paths of points";
      more.append(head, ...first.pathNames.slice(0, 60).map((name) => check(name, this.layers.has(`path of ${name}`), (on) => {
        this.layers[on ? "add" : "delete"](`path of ${name}`);
        this.ask();
      })));
      choices.append(more);
    }
    const keys = document.createElement("details"), head = document.createElement("summary"), table = document.createElement("table");
    head.textContent = "keys and mouse";
    for (const [name, does] of KEYS) { const row = table.insertRow(); row.insertCell().textContent = name; row.insertCell().textContent = does; }
    keys.append(head, table);
    choices.append(keys);
    this.listNames();
  }

  faster(by) {
    this.speed = SPEEDS[clamp(SPEEDS.indexOf(this.speed) + by, 0, SPEEDS.length - 1)];
    $("speed").value = this.speed;
  }

  // To the next or the previous pose that was kept.
  step(by) {
    const { time } = this.first, [i, f] = bracket(time, this.t), at = f >= 1 ? i + 1 : i;
    this.seek(time[clamp(by > 0 ? at + 1 : f > 0 && f < 1 ? at : at - 1, 0, time.length - 1)]);
  }

  key(e) {
    if (!this.first || e.target.matches("input:not([type=range]):not([type=checkbox]), select, textarea")) return;
    if (e.key === " " && e.target.matches("button, summary, [type=checkbox]")) return;  // which it presses
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const step = (this.range[1] - this.range[0]) / 200;
    const does = {
      " ": () => this.toggle(), ArrowRight: () => this.seek(this.t + step), ArrowLeft: () => this.seek(this.t - step), Home: () => this.seek(this.range[0]),
      End: () => this.seek(this.range[1]), ".": () => this.step(1), ",": () => this.step(-1), "+": () => this.faster(1), "-": () => this.faster(-1),
      r: () => this.repeat(), h: () => this.home(),
    }[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (does) { e.preventDefault(); does(); }
  }

  listNames() {
    const wanted = $("filter").value.toLowerCase();
    const names = this.data.names.filter((n) => n.toLowerCase().includes(wanted));
    $("names").replaceChildren(...names.slice(0, 200).map((name) => check(name, this.chosen.has(name), (on) => this.pick(name, on))));
  }

  async pick(name, on) {
    this.chosen[on ? "add" : "delete"](name);
    if (on && !this.curves.some((c) => c.name === name)) await this.fetch(name);
    this.choose();
  }

  // A page that Python serves can ask for any quantity; a file has those that were put in.
  async fetch(name) {
    const answer = await fetch(`quantity/${encodeURIComponent(name)}`);
    if (!answer.ok) { this.chosen.delete(name); $("note").textContent = await answer.text(); return; }
    const found = await unpack(await answer.text());
    found.forEach((plot, k) => this.curves.push(this.curve(plot, k)));
  }

  choose() {
    const groups = new Map();
    for (const name of this.chosen) {
      for (const curve of this.curves.filter((c) => c.name === name)) groups.set(curve.unit, [...(groups.get(curve.unit) || []), curve]);
    }
    this.panels = [...groups].map(([unit, curves]) => new Panel(unit, curves, this.range, (t) => this.seek(t)));
    $("panels").replaceChildren(...this.panels.map((p) => p.element));
    this.ask();
  }
}

// Plots over time with a cursor: one panel for each unit.

const CURVES = 8;  // colours, which the style sheet has for light and for dark

// Round numbers between two ends.
function ticks(low, high, about) {
  const raw = (high - low) / Math.max(about, 1), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) || raw;
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
  return { step, values: out };
}

function tickText(value, step) {
  const largest = Math.max(Math.abs(value), step);
  if (largest >= 1e5 || largest < 1e-3) return value === 0 ? "0" : value.toExponential(1).replace("e+", "e");
  return value.toFixed(clamp(Math.ceil(-Math.log10(step) + 1e-9), 0, 6)).replace(/^-0(\.0*)?$/, "0");
}

// Units as they are printed: m/s^2 with a raised 2.
const unitText = (unit) => unit.replace(/\^(-?)(\d+)/g, (_, sign, digits) => (sign ? "\u207b" : "") + [...digits].map((d) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]).join(""));

function numberText(value) {
  if (!Number.isFinite(value)) return "none";
  const size = Math.abs(value);
  return size >= 1e6 || (size > 0 && size < 1e-4) ? value.toExponential(3).replace(/\.?0*e\+?/, "e") : Number(value.toPrecision(4)).toString();
}

// The value of a curve at a time, linear between its points.
function valueAt(curve, t) {
  const [i, f] = bracket(curve.t, t);
  const next = Math.min(i + 1, curve.y.length - 1);
  return f > 0 ? (1 - f) * curve.y[i] + f * curve.y[next] : curve.y[i];
}

class Panel {
  constructor(unit, curves, range, seek, across = "s") {
    Object.assign(this, { unit, curves, range, across });
    this.element = document.createElement("div");
    this.element.className = "panel";
    this.canvas = document.createElement("canvas");
    this.legend = document.createElement("div");
    this.legend.className = "legend";
    this.cursor = document.createElement("i");
    const plot = document.createElement("div");
    plot.className = "plot";
    plot.append(this.canvas, this.cursor);
    this.element.append(this.legend, plot);
    this.box = new Box(this.canvas, () => this.repaint());
    this.bounds = this.limits();
    const names = [...new Set(curves.map((c) => c.name))];
    this.colours = curves.map((c) => names.indexOf(c.name) % CURVES);
    this.sizes = curves.map(({ y }) => y.reduce((most, v) => (Math.abs(v) > most ? Math.abs(v) : most), 0));
    this.written = curves.map(() => "");
    this.values = curves.map((curve, k) => {
      const entry = document.createElement("span"), line = document.createElement("i"), value = document.createElement("b");
      const colour = `var(--curve${this.colours[k]})`;
      line.style.background = curve.run ? `repeating-linear-gradient(90deg, ${colour} 0 4px, transparent 4px 7px)` : colour;
      entry.append(line, `${curve.label} `, value, ` ${unitText(unit)}`);
      entry.title = curve.text;
      this.legend.append(entry);
      return value;
    });
    const go = (e) => { if (e.buttons & 1 || e.type === "pointerdown") seek(this.timeAt(e)); };
    this.canvas.addEventListener("pointerdown", go);
    this.canvas.addEventListener("pointermove", go);
  }

  timeAt(e) {
    const box = this.canvas.getBoundingClientRect(), [x0, x1] = this.frame();
    const f = clamp((e.clientX - box.left - x0) / (x1 - x0), 0, 1);
    return this.range[0] + f * (this.range[1] - this.range[0]);
  }

  frame() { return [52, this.box.wide - 8, 6, this.box.high - 20]; }

  limits() {
    let low = Infinity, high = -Infinity;
    for (const { y } of this.curves) for (const v of y) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (low > high) return [-1, 1];
    const room = Math.max(0.06 * (high - low), 1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
    return [low - room, high + room];
  }

  // The cursor and the values at a time; the curves are painted anew where colours or sizes have changed.
  draw(t, look) {
    const [x0, x1] = this.frame(), [a, b] = this.range, ratio = devicePixelRatio || 1;
    Object.assign(this, { t });
    if (this.look !== look || this.ratio !== ratio) { Object.assign(this, { look, ratio }); this.repaint(); }
    this.cursor.style.transform = `translateX(${x0 + ((clamp(t, a, b) - a) / (b - a || 1)) * (x1 - x0)}px)`;
    this.curves.forEach((curve, k) => {
      const value = valueAt(curve, t), text = numberText(Math.abs(value) < 1e-12 * this.sizes[k] ? 0 : value);
      if (this.written[k] !== text) this.values[k].textContent = this.written[k] = text;
    });
  }

  repaint() {
    const { canvas, box, look, ratio } = this, pen = canvas.getContext("2d");
    if (!look || !box.wide) return;
    canvas.width = box.wide * ratio;
    canvas.height = box.high * ratio;
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    const [x0, x1, y0, y1] = this.frame(), [low, high] = this.bounds, [a, b] = this.range;
    const X = (time) => x0 + ((time - a) / (b - a || 1)) * (x1 - x0), Y = (v) => y1 - ((v - low) / (high - low)) * (y1 - y0);
    pen.strokeStyle = look.line;
    pen.fillStyle = look.quiet;
    pen.lineWidth = 1;
    const across = ticks(a, b, (x1 - x0) / 80), up = ticks(low, high, 5.5);
    pen.textAlign = "center";
    for (const [k, v] of across.values.entries()) {
      const text = tickText(v, across.step) + (k === across.values.length - 1 ? ` ${unitText(this.across)}` : ""), half = pen.measureText(text).width / 2;
      stroke(pen, [[X(v), y0], [X(v), y1]]);
      pen.fillText(text, clamp(X(v), x0, x1 + 6 - half), y1 + 14);
    }
    pen.textAlign = "right";
    for (const v of up.values) { stroke(pen, [[x0, Y(v)], [x1, Y(v)]]); pen.fillText(tickText(v, up.step), x0 - 6, Y(v) + 4); }
    if (low < 0 && high > 0) { pen.strokeStyle = look.quiet; stroke(pen, [[x0, Y(0)], [x1, Y(0)]]); }
    pen.save();
    pen.beginPath();
    pen.rect(x0, y0 - 1, x1 - x0, y1 - y0 + 2);
    pen.clip();
    pen.lineWidth = 1.5;
    this.curves.forEach((curve, k) => {
      pen.strokeStyle = look.curves[this.colours[k]];
      pen.setLineDash(curve.run ? [5, 3] : []);
      stroke(pen, Array.from(curve.t, (time, i) => [X(time), Y(curve.y[i])]));
    });
    pen.restore();
    this.draw(this.t, look);
  }
}

function stroke(pen, points) {
  pen.beginPath();
  let down = false;
  for (const [x, y] of points) {
    if (!Number.isFinite(y)) { down = false; continue; }
    if (down) pen.lineTo(x, y); else pen.moveTo(x, y);
    down = true;
  }
  pen.stroke();
}

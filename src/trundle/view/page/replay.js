// One run as it is drawn: poses of its bodies at any time, and the list of things to paint.

const STATES = { 0: [0.6, 0.62, 0.65], 1: [0.835, 0.369, 0], 2: [0, 0.62, 0.451], 3: [0.78, 0.1, 0.12], 4: [0, 0.45, 0.7] };
const STATE_NAMES = { 0: "open", 1: "slides", 2: "sticks", 3: "strikes", 4: "touches" };

class Replay {
  constructor(scene, shared, painter) {
    Object.assign(this, scene);
    this.count = this.bodies.length;
    this.shared = shared;
    this.painter = painter;
    this.cards = painter ? this.meshes.map((mesh) => painter.upload(mesh)) : [];
    this.trails = new Map();
  }

  // Give back what it has on the graphics card.
  release() { for (const mesh of [...this.cards, ...[...this.trails.values()].map((t) => t.mesh)]) if (mesh) this.painter.release(mesh); }

  get end() { return this.time[this.time.length - 1]; }

  // Pose of a body (its number) at a time: linear between samples, which are hit exactly.
  pose(body, t) {
    const [i, f] = bracket(this.time, t), k = i * this.count + body;
    const next = f > 0 ? k + this.count : k;
    const p = [0, 1, 2].map((j) => (1 - f) * this.positions[3 * k + j] + f * this.positions[3 * next + j]);
    let q = [0, 1, 2, 3].map((j) => this.quaternions[4 * k + j]);
    const r = [0, 1, 2, 3].map((j) => this.quaternions[4 * next + j]);
    const near = q.reduce((sum, v, j) => sum + v * r[j], 0) < 0 ? -1 : 1;
    q = q.map((v, j) => (1 - f) * v + near * f * r[j]);
    const norm = Math.hypot(...q) || 1;
    return { p, R: columns(q.map((v) => v / norm)) };
  }

  sample(data, t) {
    const [i, f] = bracket(this.time, t), next = f > 0 ? i + 1 : i;
    return [0, 1, 2].map((j) => (1 - f) * data[3 * i + j] + f * data[3 * next + j]);
  }

  // The state of a contact belongs to the samples from which it holds on.
  state(contact, t) {
    const [i, f] = bracket(this.time, t);
    return contact.states.length ? contact.states[f >= 1 ? i + 1 : i] : 2;
  }

  // Middle of the moving bodies, which the camera may follow.
  middle(t) {
    const coms = [];
    for (let b = 1; b < this.count; b++) if (!this.frames.includes(b)) coms.push(place(this.pose(b, t), this.com(b)));
    return coms.length ? scaled(coms.reduce(add), 1 / coms.length) : [0, 0, 0];
  }

  com(body) { return [0, 1, 2].map((j) => this.coms[3 * body + j]); }

  // Everything to paint at a time; `seat` gives the pose in which the ground is seen and the target of the camera.
  things(t, layers, seat, faint = 1) {
    const out = [], poses = [];
    for (let b = 0; b < this.count; b++) poses.push(this.pose(b, t));
    const model = (pose, scale) => seat.model(pose, scale);
    for (const item of this.items) {
      if (!layers.has(item.layer)) continue;
      const pose = poses[item.body];
      const axes = item.layer === "frames" ? matrixScale(this.size * 0.12) : undefined;
      out.push({
        mesh: this.cards[item.mesh], model: model(pose, axes), hollow: item.hollow, shadow: item.shadow,
        colour: [...item.colour, item.opacity * faint],
      });
    }
    if (layers.has("springs")) this.addSprings(out, poses, model, faint);
    if (layers.has("contacts")) {
      for (const contact of this.contacts) {
        const state = this.state(contact, t), p = this.sample(contact.points, t), r = 0.014 * this.size;
        if (state === 0 || !p.every(Number.isFinite)) continue;
        out.push({ mesh: this.shared.dot, model: model({ R: IDENTITY, p }, [r, r, r]), colour: [...STATES[state], faint] });
      }
    }
    for (const arrow of this.arrows) if (layers.has(arrow.layer)) this.addArrow(out, arrow, t, model, faint);
    if (layers.has("centres of mass")) {
      poses.forEach((pose, b) => {
        const r = 0.02 * this.size;
        if (b) out.push({ mesh: this.shared.dot, model: model({ R: pose.R, p: place(pose, this.com(b)) }, [r, r, r]), colour: [0.1, 0.1, 0.1, faint] });
      });
    }
    for (const { mesh, colour } of this.paths(layers)) {
      if (mesh) out.push({ mesh, model: model({ R: IDENTITY, p: [0, 0, 0] }), colour: [...colour, 0.75 * faint] });
    }
    return out;
  }

  addSprings(out, poses, model, faint) {
    for (const spring of this.springs) {
      const foot = place(poses[spring.a], spring.pa), tip = place(poses[spring.b], spring.pb), v = sub(tip, foot);
      const length = Math.hypot(...v);
      if (!(length > 0)) continue;
      const r = spring.radius;
      out.push({ mesh: this.shared.coil, model: model({ R: along(v), p: foot }, [r, r, length]), colour: [0.42, 0.45, 0.5, faint], shadow: true });
    }
  }

  addArrow(out, arrow, t, model, faint) {
    const v = this.sample(arrow.vectors, t), p = this.sample(arrow.points, t);
    const size = Math.hypot(...v), longest = this.longest[arrow.layer];
    if (!(size > 1e-6 * longest)) return;
    const length = (0.55 * this.size * size) / longest, r = 0.012 * this.size, R = along(v);
    const head = Math.min(length, 5 * r), shaft = length - head;
    const colour = [...arrow.colour, faint];
    out.push({ mesh: this.shared.shaft, model: model({ R, p }, [r, r, shaft]), colour });
    out.push({ mesh: this.shared.head, model: model({ R, p: add(p, scaled(R[2], shaft)) }, [2.4 * r, 2.4 * r, head]), colour });
  }

  // Names of the points whose paths can be shown, besides the mass centres.
  get pathNames() { return [...this.points.map((p) => p.name), ...this.contacts.map((c) => `${c.name} (contact)`)]; }

  // Paths that are switched on, as thin tubes: all mass centres, and points by the layer "path of NAME".
  paths(layers) {
    const along = (body, at) => Array.from(this.time, (t) => place(this.pose(body, t), at));
    const out = [];
    if (layers.has("paths")) for (let b = 1; b < this.count; b++) out.push(this.trail(`body ${b}`, this.colours[b], () => along(b, this.com(b))));
    for (const p of this.points) if (layers.has(`path of ${p.name}`)) out.push(this.trail(p.name, this.colours[p.body], () => along(p.body, p.at)));
    for (const c of this.contacts) {
      if (layers.has(`path of ${c.name} (contact)`)) out.push(this.trail(`${c.name} (contact)`, STATES[1], () => Array.from(this.time, (t) => this.sample(c.points, t)).filter((p) => p.every(Number.isFinite))));
    }
    return out;
  }

  trail(name, colour, points) {
    if (!this.trails.has(name)) {
      const mesh = tube(points(), 0.004 * this.size);
      this.trails.set(name, { mesh: mesh && this.painter.upload(mesh), colour });
    }
    return this.trails.get(name);
  }
}

const matrixScale = (s) => [s, s, s];

function tube(points, radius) {
  const apart = points.filter((p, i) => i === 0 || Math.hypot(...sub(p, points[i - 1])) > 0.05 * radius);
  if (apart.length < 2) return null;
  const sides = 5, vertices = [], normals = [], triangles = [];
  apart.forEach((p, i) => {
    const [x, y] = along(sub(apart[Math.min(i + 1, apart.length - 1)], apart[Math.max(i - 1, 0)]));
    for (let k = 0; k < sides; k++) {
      const a = (2 * Math.PI * k) / sides, n = add(scaled(x, Math.cos(a)), scaled(y, Math.sin(a)));
      vertices.push(...add(p, scaled(n, radius)));
      normals.push(...n);
      if (i > 0) {
        const [c, d] = [i * sides + k, i * sides + ((k + 1) % sides)];
        triangles.push(c - sides, d - sides, d, c - sides, d, c);
      }
    }
  });
  const count = vertices.length / 3;
  return { vertices: new Float32Array(vertices), normals: new Float32Array(normals), stripes: new Float32Array(count), triangles: new Uint32Array(triangles) };
}

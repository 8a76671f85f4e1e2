// One run as it is drawn: poses of its bodies at any time, and the list of things to paint.

class Replay {
  constructor(scene, data, shared, painter) {
    Object.assign(this, scene);
    this.looks = data.states;  // names and colours of the states of contacts
    this.count = this.bodies.length;
    this.shared = shared;
    this.painter = painter;
    this.cards = painter ? this.meshes.map((mesh) => painter.upload(mesh)) : [];
    this.trails = new Map();
    this.states = [...new Set(this.contacts.flatMap((c) => [...new Set(c.states)]))];
    this.free = this.bodies.map((_, b) => b).filter((b) => b && !this.frames.includes(b));
    this.mass = this.bodies.map((_, b) => Array.from(this.coms.slice(3 * b, 3 * b + 3)));
  }

  // Give back what it has on the graphics card.
  release() { for (const mesh of [...this.cards, ...[...this.trails.values()].map((t) => t.mesh)]) if (mesh) this.painter.release(mesh); }

  get end() { return this.time[this.time.length - 1]; }

  // Pose of a body (its number) at a time: linear between samples, which are hit exactly.
  pose(body, t) {
    const [i, f] = bracket(this.time, t), k = i * this.count + body, next = f > 0 ? k + this.count : k, g = 1 - f;
    const { positions: P, quaternions: Q } = this, a = 3 * k, b = 3 * next, c = 4 * k, d = 4 * next;
    const h = Q[c] * Q[d] + Q[c + 1] * Q[d + 1] + Q[c + 2] * Q[d + 2] + Q[c + 3] * Q[d + 3] < 0 ? -f : f;
    const w = g * Q[c] + h * Q[d], x = g * Q[c + 1] + h * Q[d + 1], y = g * Q[c + 2] + h * Q[d + 2], z = g * Q[c + 3] + h * Q[d + 3];
    const n = 1 / (Math.hypot(w, x, y, z) || 1);
    return { p: [g * P[a] + f * P[b], g * P[a + 1] + f * P[b + 1], g * P[a + 2] + f * P[b + 2]], R: columns([n * w, n * x, n * y, n * z]) };
  }

  // Poses of all bodies at a time.
  poses(t) {
    if (this.last?.t !== t) this.last = { t, poses: this.bodies.map((_, b) => this.pose(b, t)) };
    return this.last.poses;
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
    const { free } = this, poses = this.poses(t);
    return free.length ? scaled(free.map((b) => place(poses[b], this.com(b))).reduce(add), 1 / free.length) : [0, 0, 0];
  }

  com(body) { return this.mass[body]; }

  // Everything to paint at a time; `seat` gives the pose in which the ground is seen and the target of the camera. What
  // has a veil is paler than the rest by `faint`; `about` says what a thing is.
  things(t, layers, seat, faint = 1, veil = null) {
    const out = [], poses = this.poses(t);
    const model = (pose, scale) => seat.model(pose, scale), axes = [1, 1, 1].map(() => this.detail * 0.14);
    for (const item of this.items) {
      if (!layers.has(item.layer)) continue;
      const mark = item.layer === "frames", [r, g, b] = item.colour;
      out.push({
        mesh: this.cards[item.mesh], model: model(poses[item.body], mark ? axes : undefined), hollow: item.hollow, shadow: item.shadow,
        colour: [r, g, b, item.opacity * faint], mark, veil, body: item.body, about: () => this.describe(item),
      });
    }
    if (layers.has("springs")) this.addSprings(out, poses, model, faint, veil);
    if (layers.has("contacts")) {
      for (const contact of this.contacts) {
        const state = this.state(contact, t), p = this.sample(contact.points, t), r = 0.024 * this.detail;
        if (state === 0 || !p.every(Number.isFinite)) continue;
        const about = () => `contact ${contact.name}: ${this.looks[state].name}`;
        out.push({ mesh: this.shared.dot, model: model({ R: IDENTITY, p }, [r, r, r]), colour: [...this.looks[state].colour, faint], mark: true, about });
      }
    }
    for (const arrow of this.arrows) if (layers.has(arrow.layer)) this.addArrow(out, arrow, t, model, faint);
    if (layers.has("centres of mass")) {
      for (const b of this.free) {
        const r = 0.016 * this.detail, p = place(poses[b], this.com(b)), about = () => `mass centre of ${this.bodies[b]}`;
        out.push({ mesh: this.shared.dot, model: model({ R: poses[b].R, p }, [r, r, r]), colour: [0.95, 0.77, 0.06, faint], mark: true, body: b, about });
      }
    }
    for (const { mesh, colour, name } of this.paths(layers, seat.body)) {
      if (mesh) out.push({ mesh, model: model(poses[seat.body]), colour: [...colour, 0.85 * faint], about: () => `path of ${name}` });
    }
    return out;
  }

  describe(item) {
    const name = this.bodies[item.body];
    return { frames: `axes of ${name}: x red, y green, z blue`, track: "track", joints: item.body ? `joint of ${name}` : "joint at the ground" }[item.layer] || name;
  }

  addSprings(out, poses, model, faint, veil) {
    for (const spring of this.springs) {
      const foot = place(poses[spring.a], spring.pa), tip = place(poses[spring.b], spring.pb), v = sub(tip, foot);
      const length = Math.hypot(...v);
      if (!(length > 0)) continue;
      const r = spring.radius;
      out.push({ mesh: this.shared.coil, model: model({ R: along(v), p: foot }, [r, r, length]), colour: [0.42, 0.45, 0.5, faint], shadow: true, veil, about: () => `spring from ${this.bodies[spring.a]} to ${this.bodies[spring.b]}: ${numberText(length)} m long` });
    }
  }

  addArrow(out, arrow, t, model, faint) {
    const v = this.sample(arrow.vectors, t), p = this.sample(arrow.points, t);
    const size = Math.hypot(...v), longest = this.longest[arrow.layer];
    if (!(size > 1e-6 * longest)) return;
    const length = (0.55 * this.size * size) / longest, r = 0.012 * this.size, R = along(v);
    const head = Math.min(length, 5 * r), shaft = length - head;
    const colour = [...arrow.colour, faint], about = () => `${arrow.layer === "reactions" ? "reaction" : "contact force"} at ${arrow.name}: ${numberText(size)} N`;
    out.push({ mesh: this.shared.shaft, model: model({ R, p }, [r, r, shaft]), colour, mark: true, about });
    out.push({ mesh: this.shared.head, model: model({ R, p: add(p, scaled(R[2], shaft)) }, [2.4 * r, 2.4 * r, head]), colour, mark: true, about });
  }

  // Names of the points whose paths can be shown, besides the mass centres.
  get pathNames() { return [...this.points.map((p) => p.name), ...this.contacts.map((c) => `${c.name} (contact)`)]; }

  // Paths that are switched on, as thin tubes: all mass centres, and points by the layer "path of NAME"; relative to the
  // ground, or to the moving frame (its number) from which they are seen.
  paths(layers, seat) {
    const relative = (p, t) => { const frame = this.pose(seat, t); return turnedBack(frame.R, sub(p, frame.p)); };
    const along = (body, at) => Array.from(this.time, (t) => relative(place(this.pose(body, t), at), t));
    const out = [];
    if (layers.has("paths")) for (let b = 1; b < this.count; b++) out.push(this.trail(seat, `mass centre of ${this.bodies[b]}`, this.colours[b], () => along(b, this.com(b))));
    for (const p of this.points) if (layers.has(`path of ${p.name}`)) out.push(this.trail(seat, p.name, this.colours[p.body], () => along(p.body, p.at)));
    for (const c of this.contacts) {
      if (layers.has(`path of ${c.name} (contact)`)) out.push(this.trail(seat, `${c.name} (contact)`, this.looks[1].colour, () => Array.from(this.time, (t) => relative(this.sample(c.points, t), t)).filter((p) => p.every(Number.isFinite))));
    }
    return out;
  }

  trail(seat, name, colour, points) {
    const key = `${seat} ${name}`;
    if (!this.trails.has(key)) {
      const mesh = tube(points(), 0.004 * this.size);
      this.trails.set(key, { mesh: mesh && this.painter.upload(mesh), colour, name });
    }
    return this.trails.get(key);
  }
}

function tube(points, radius) {
  const apart = points.slice(0, 1);
  for (const p of points) if (Math.hypot(...sub(p, apart[apart.length - 1])) > radius) apart.push(p);
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

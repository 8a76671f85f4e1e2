// A camera that turns about its target: drag to turn, shift or two fingers to move, wheel or pinch to zoom.

class Camera {
  constructor(canvas, changed) {
    Object.assign(this, { azimuth: -1.01, elevation: 0.38, distance: 5, stretch: 1, offset: [0, 0, 0], target: [0, 0, 0] });
    this.changed = changed;
    this.pointers = new Map();
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); this.pointers.set(e.pointerId, e); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
    canvas.addEventListener("pointermove", (e) => this.move(e, canvas));
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(0.0012 * e.deltaY)); }, { passive: false });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  get far() { return this.distance * this.stretch; }

  zoom(factor) { this.distance = clamp(this.distance * factor, 1e-12, 1e12); this.changed(); }

  move(e, canvas) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY;
    if (this.pointers.size > 1) {
      const other = [...this.pointers.values()].find((p) => p.pointerId !== e.pointerId);
      const gap = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
      if (gap(e) > 1) this.zoom(gap(before) / gap(e));
      this.pan(dx / 2, dy / 2, canvas);
    } else if (e.shiftKey || e.buttons & 6) {
      this.pan(dx, dy, canvas);
    } else {
      this.azimuth -= 0.008 * dx;
      this.elevation = clamp(this.elevation + 0.008 * dy, -1.55, 1.55);
    }
    this.pointers.set(e.pointerId, e);
    this.changed();
  }

  pan(dx, dy, canvas) {
    const [right, up] = this.axes(), step = (2 * this.far * Math.tan(0.3)) / canvas.clientHeight;
    this.offset = add(this.offset, add(scaled(right, -dx * step), scaled(up, dy * step)));
  }

  // Unit vectors to the right, up, and towards the eye.
  axes() {
    const [ce, se, ca, sa] = [Math.cos(this.elevation), Math.sin(this.elevation), Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const eye = [ce * ca, ce * sa, se], right = [-sa, ca, 0];
    return [right, cross(eye, right), eye];
  }

  // How far away it must be for these points about the target to be in the picture.
  room(points, aspect) {
    const [right, up, eye] = this.axes(), slope = Math.tan(0.3), across = slope * Math.max(1, aspect), along = slope * Math.max(1, 1 / aspect);
    let far = 0;
    for (const p of points) far = Math.max(far, Math.abs(dot(p, right)) / across + dot(p, eye), Math.abs(dot(p, up)) / along + dot(p, eye));
    return 1.1 * Math.max(far, 1e-12);
  }

  matrix() {
    const [r, u, e] = this.axes();
    return new Float32Array([r[0], u[0], e[0], 0, r[1], u[1], e[1], 0, r[2], u[2], e[2], 0, 0, 0, -this.far, 1]);
  }

  projection(aspect) {
    const angle = 2 * Math.atan(Math.tan(0.3) * Math.max(1, 1 / aspect));
    return perspective(angle, aspect, 0.01 * this.far, 60 * this.far);
  }
}

// Vectors, unit quaternions (w, x, y, z), poses and 4 x 4 matrices by columns.

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));

// Rotation matrix of a quaternion, as its three columns.
function columns(q) {
  const [w, x, y, z] = q;
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}
const turned = (R, v) => [0, 1, 2].map((i) => R[0][i] * v[0] + R[1][i] * v[1] + R[2][i] * v[2]);
const turnedBack = (R, v) => [dot(R[0], v), dot(R[1], v), dot(R[2], v)];
const place = (pose, point) => add(pose.p, turned(pose.R, point));

// Axes whose z goes along a vector.
function along(v) {
  const z = unit(v);
  const x = unit(cross(Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], z));
  return [x, cross(z, x), z];
}

function matrix(R, p, scale = [1, 1, 1]) {
  return new Float32Array([
    ...scaled(R[0], scale[0]), 0, ...scaled(R[1], scale[1]), 0, ...scaled(R[2], scale[2]), 0, ...p, 1,
  ]);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([
    f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
  ]);
}
const IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// Size of an element on the page. It is read when it changes, not in every frame: reading makes the browser lay out the page.
class Box {
  constructor(element, changed) {
    const read = () => { this.wide = element.clientWidth; this.high = element.clientHeight; };
    read();
    new ResizeObserver(() => { read(); changed(); }).observe(element);
  }
}

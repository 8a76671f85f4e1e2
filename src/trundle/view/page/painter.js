// WebGL: shaded meshes, their shadows on the floor, and the floor itself. Places are relative to the camera's target.

const MESH_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float stripe;
uniform mat4 model, view, projection;
uniform float flatten;  // height of the floor for shadows
uniform bool shadow;
out vec3 n, p;
out float s;
void main() {
  vec4 at = model * vec4(position, 1.0);
  if (shadow) at.z = flatten;
  vec4 seen = view * at;
  n = mat3(view) * mat3(model) * normal;
  p = seen.xyz;
  s = stripe;
  gl_Position = projection * seen;
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
in vec3 n, p;
in float s;
uniform vec4 colour;
uniform bool hollow, shadow;
out vec4 paint;
void main() {
  if (shadow) { paint = colour; return; }
  vec3 N = normalize(n), eye = normalize(-p);
  float facing = dot(N, eye);
  if (hollow && facing < 0.0) discard;  // to look into a bowl, or through the wall of a pipe
  if (facing < 0.0) N = -N;
  vec3 light = normalize(vec3(-0.35, 0.75, 0.55));
  float bright = 0.58 + 0.42 * max(dot(N, light), 0.0);
  float shine = 0.12 * pow(max(dot(reflect(-light, N), eye), 0.0), 24.0);
  paint = vec4(colour.rgb * bright * (1.0 - 0.42 * s) + shine, colour.a);
}`;

const FLOOR_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
uniform mat4 model, view, projection;
uniform float reach, height;
out vec2 at;
void main() {
  at = position.xy * reach;
  gl_Position = projection * view * model * vec4(at, height, 1.0);
}`;

const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
uniform vec2 origin;
uniform float reach, spacing;
uniform vec3 line;
out vec4 paint;
float grid(vec2 x) {
  vec2 w = fwidth(x), d = abs(fract(x - 0.5) - 0.5);
  vec2 l = 1.0 - smoothstep(vec2(0.0), 1.5 * w, d);
  return max(l.x, l.y) * (1.0 - smoothstep(0.2, 0.7, max(w.x, w.y)));
}
void main() {
  vec2 x = at / spacing + origin;
  float fade = 1.0 - smoothstep(0.25, 1.0, length(at) / reach);
  float strength = max(0.45 * grid(x), 0.8 * grid(x / 5.0));
  paint = vec4(line, fade * (0.10 + strength));
}`;

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("This browser offers no WebGL 2, which the picture needs; the plots work without it.");
    this.mesh = this.program(MESH_VERTEX, MESH_FRAGMENT);
    this.floor = this.program(FLOOR_VERTEX, FLOOR_FRAGMENT);
    this.square = this.upload({
      vertices: new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), normals: new Float32Array(12),
      stripes: new Float32Array(4), triangles: new Uint32Array([0, 1, 2, 0, 2, 3]),
    });
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    const places = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  // A mesh on the graphics card.
  upload(mesh) {
    const gl = this.gl, array = gl.createVertexArray(), buffers = [0, 1, 2, 3].map(() => gl.createBuffer());
    gl.bindVertexArray(array);
    for (const [place, data, size] of [[0, mesh.vertices, 3], [1, mesh.normals, 3], [2, mesh.stripes, 1]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[place]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[3]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles, gl.STATIC_DRAW);
    return { array, buffers, count: mesh.triangles.length };
  }

  release({ array, buffers }) {
    this.gl.deleteVertexArray(array);
    for (const buffer of buffers) this.gl.deleteBuffer(buffer);
  }

  begin(camera, sky) {
    const gl = this.gl, canvas = this.canvas, ratio = Math.min(devicePixelRatio || 1, 2);
    const wide = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const high = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
    gl.viewport(0, 0, wide, high);
    gl.clearColor(...sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.view = camera.matrix();
    this.projection = camera.projection(wide / high);
  }

  use({ program, places }, values) {
    const gl = this.gl;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.view, false, this.view);
    gl.uniformMatrix4fv(places.projection, false, this.projection);
    for (const [name, value] of Object.entries(values)) {
      if (value.length === undefined) gl.uniform1f(places[name], value);
      else gl[`uniform${value.length}fv`](places[name], value);
    }
  }

  // Things are {mesh, model, colour: [r, g, b, a], hollow}; see-through ones come last.
  draw(things, height) {
    const gl = this.gl, { places } = this.mesh;
    this.use(this.mesh, {});
    gl.uniform1i(places.shadow, 0);
    const order = [...things.filter((x) => x.colour[3] >= 1), ...things.filter((x) => x.colour[3] < 1)];
    for (const thing of order) {
      gl.depthMask(thing.colour[3] >= 1);
      gl.uniformMatrix4fv(places.model, false, thing.model);
      gl.uniform4fv(places.colour, thing.colour);
      gl.uniform1i(places.hollow, thing.hollow ? 1 : 0);
      gl.bindVertexArray(thing.mesh.array);
      gl.drawElements(gl.TRIANGLES, thing.mesh.count, gl.UNSIGNED_INT, 0);
    }
    gl.depthMask(true);
    if (height !== null) this.shadows(things.filter((x) => x.shadow && x.colour[3] >= 1), height);
  }

  shadows(things, height) {
    const gl = this.gl, { places } = this.mesh;
    gl.uniform1i(places.shadow, 1);
    gl.uniform1f(places.flatten, height);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1, -1);
    gl.uniform4fv(places.colour, [0, 0, 0, 0.16]);
    for (const thing of things) {
      gl.uniformMatrix4fv(places.model, false, thing.model);
      gl.bindVertexArray(thing.mesh.array);
      gl.drawElements(gl.TRIANGLES, thing.mesh.count, gl.UNSIGNED_INT, 0);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.STENCIL_TEST);
    gl.depthMask(true);
  }

  // A level grid at a height relative to the target; `origin` is where the target stands on it.
  drawFloor(model, height, origin, reach, spacing, line) {
    const gl = this.gl, { places } = this.floor;
    this.use(this.floor, { height, origin, reach, spacing, line });
    gl.uniformMatrix4fv(places.model, false, model);
    gl.depthMask(false);
    gl.bindVertexArray(this.square.array);
    gl.drawElements(gl.TRIANGLES, 6, gl.UNSIGNED_INT, 0);
    gl.depthMask(true);
  }
}

// WebGL: shaded meshes, their shadows on the floor, and the floor itself. Places are relative to the camera's target.

const MESH_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float stripe;
uniform mat4 model, view, projection;
uniform float flatten;  // height of the floor for shadows
uniform vec3 light;  // towards it, in the axes of the scene
uniform bool shadow;
out vec3 n, p;
out float s;
void main() {
  vec4 at = model * vec4(position, 1.0);
  if (shadow) at.xyz = vec3(at.xy - light.xy / light.z * max(at.z - flatten, 0.0), flatten);
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
uniform mat4 view;
uniform vec3 light;
uniform vec4 colour;
uniform bool hollow, plain;
out vec4 paint;
void main() {
  if (plain) { paint = colour; return; }
  vec3 N = normalize(n), eye = normalize(-p);
  float facing = dot(N, eye);
  if (hollow && facing < 0.0) discard;  // to look into a bowl, or through the wall of a pipe
  if (facing < 0.0) N = -N;
  vec3 sun = mat3(view) * light, up = mat3(view) * vec3(0.0, 0.0, 1.0);
  float bright = 0.50 + 0.10 * dot(N, up) + 0.14 * dot(N, eye) + 0.36 * max(dot(N, sun), 0.0);
  float shine = 0.14 * pow(max(dot(reflect(-sun, N), eye), 0.0), 28.0);
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

const LIGHT = unit([0.12, -0.34, 0.93]);  // towards it: from above, the front and the right

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

  // Things are {mesh, model, colour: [r, g, b, a], hollow, shadow, mark, veil}. Marks are seen through what hides them;
  // those of one veil are seen through together, as one pale body; what else is seen through comes last.
  draw(things, height) {
    const gl = this.gl, { places } = this.mesh, clear = (x) => x.colour[3] < 1;
    this.use(this.mesh, { light: LIGHT });
    gl.uniform1i(places.shadow, 0);
    gl.uniform1i(places.plain, 0);
    this.paint(things.filter((x) => !clear(x) && !x.mark));
    if (height !== null) this.shadows(things.filter((x) => x.shadow && !clear(x)), height);
    const marks = things.filter((x) => x.mark);
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    this.paint(marks, 0.3);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    this.paint(marks);
    gl.depthMask(false);
    this.paint(things.filter((x) => clear(x) && !x.mark && !x.veil));
    gl.depthMask(true);
    for (const veil of new Set(things.map((x) => x.veil).filter(Boolean))) {
      const pale = things.filter((x) => x.veil === veil && !x.mark);
      gl.colorMask(false, false, false, false);
      this.paint(pale);
      gl.colorMask(true, true, true, true);
      this.paint(pale);
    }
  }

  paint(things, share = 1) {
    const gl = this.gl, { places } = this.mesh;
    for (const { mesh, model, colour, hollow } of things) {
      gl.uniformMatrix4fv(places.model, false, model);
      gl.uniform4f(places.colour, colour[0], colour[1], colour[2], share * colour[3]);
      gl.uniform1i(places.hollow, hollow ? 1 : 0);
      gl.bindVertexArray(mesh.array);
      gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    }
  }

  shadows(things, height) {
    const gl = this.gl, { places } = this.mesh;
    gl.uniform1i(places.shadow, 1);
    gl.uniform1i(places.plain, 1);
    gl.uniform1f(places.flatten, height);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1, -1);
    this.paint(things.map((x) => ({ ...x, hollow: false, colour: [0, 0, 0, 0.18] })));
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.STENCIL_TEST);
    gl.depthMask(true);
    gl.uniform1i(places.shadow, 0);
    gl.uniform1i(places.plain, 0);
  }

  // Number of the thing at a pixel of the page (from the left and the top of the canvas), or -1: each is painted with its
  // number as its colour, into one pixel.
  pick(things, x, y) {
    const gl = this.gl, { places } = this.mesh, { clientWidth: wide, clientHeight: high } = this.canvas;
    if (!this.spot) this.spot = this.pixel();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.spot);
    gl.viewport(0, 0, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    this.use(this.mesh, { light: LIGHT });
    const near = new Float32Array(this.projection), shift = [wide - 2 * x - 1, 2 * y + 1 - high];  // this pixel fills the view
    for (let i = 0; i < 4; i++) [wide, high].forEach((n, j) => { near[4 * i + j] = n * this.projection[4 * i + j] + shift[j] * this.projection[4 * i + 3]; });
    gl.uniformMatrix4fv(places.projection, false, near);
    gl.uniform1i(places.shadow, 0);
    gl.uniform1i(places.plain, 1);
    const solid = things.map((thing, k) => ({ ...thing, hollow: false, colour: [((k + 1) & 255) / 255, ((k + 1) >> 8) / 255, 0, 1] }));
    this.paint(solid.filter((_, k) => !things[k].hollow && (things[k].colour[3] >= 1 || things[k].veil)));  // not through panes
    const found = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
    gl.enable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return found[0] + 256 * found[1] - 1;
  }

  // A picture of one pixel.
  pixel() {
    const gl = this.gl, frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    for (const [place, format] of [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT16]]) {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    return frame;
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

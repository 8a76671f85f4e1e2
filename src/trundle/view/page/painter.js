// WebGL: shaded meshes, their shadows on the floor, and the floor itself. Places are relative to the camera's target.
// Things of the same mesh are drawn by one call; a texture holds the poses and colours of all.

const TEXELS = 5, ROW = 64;  // of a thing; things in a row of the texture

const MESH_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float stripe;
uniform highp sampler2D things;  // columns of the pose of each thing (the last entry of the first: hollow) and its colour
uniform int first;  // number of the first thing of this mesh
uniform mat4 view, projection;
uniform float flatten;  // height of the floor for shadows
uniform vec3 light;  // towards it, in the axes of the scene
uniform bool shadow;
out vec3 n, p;
out float s;
flat out vec4 colour;
flat out float hollow;
void main() {
  int k = first + gl_InstanceID;
  ivec2 from = ivec2(${TEXELS} * (k % ${ROW}), k / ${ROW});
  vec4 x = texelFetch(things, from, 0);
  mat4 model = mat4(
    vec4(x.xyz, 0.0), texelFetch(things, from + ivec2(1, 0), 0), texelFetch(things, from + ivec2(2, 0), 0), texelFetch(things, from + ivec2(3, 0), 0)
  );
  colour = texelFetch(things, from + ivec2(4, 0), 0);
  hollow = x.w;
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
flat in vec4 colour;
flat in float hollow;
uniform mat4 view;
uniform vec3 light;
uniform float share;  // of the opacity
uniform bool shadow, plain;
out vec4 paint;
void main() {
  if (shadow) { paint = vec4(0.0, 0.0, 0.0, 0.18); return; }
  if (plain) { paint = colour; return; }
  vec3 N = normalize(n), eye = normalize(-p);
  float facing = dot(N, eye);
  if (hollow > 0.0 && facing < 0.0) discard;  // to look into a bowl, or through the wall of a pipe
  if (facing < 0.0) N = -N;
  vec3 sun = mat3(view) * light, up = mat3(view) * vec3(0.0, 0.0, 1.0);
  float bright = 0.50 + 0.10 * dot(N, up) + 0.14 * dot(N, eye) + 0.36 * max(dot(N, sun), 0.0);
  float shine = 0.14 * pow(max(dot(reflect(-sun, N), eye), 0.0), 28.0);
  paint = vec4(colour.rgb * bright * (1.0 - 0.42 * s) + shine, share * colour.a);
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

function gather(groups, key, thing) {
  const group = groups.get(key);
  if (group) group.push(thing); else groups.set(key, [thing]);
}

class Painter {
  constructor(canvas, box) {
    this.canvas = canvas;
    this.box = box;
    this.gl = canvas.getContext("webgl2", { antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("This browser offers no WebGL 2, which the picture needs; the plots work without it.");
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.polygonOffset(-1, -1);
    this.numbers = new Float32Array(0);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
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
    const wide = Math.max(1, Math.round(this.box.wide * ratio)), high = Math.max(1, Math.round(this.box.high * ratio));
    if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
    gl.viewport(0, 0, wide, high);
    gl.clearColor(...sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
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
    const gl = this.gl, { places } = this.mesh, groups = { casting: [], solid: [], marks: [], clear: [] }, veils = new Map();
    for (const thing of things) {
      if (thing.mark) groups.marks.push(thing);
      else if (thing.veil) gather(veils, thing.veil, thing);
      else groups[thing.colour[3] < 1 ? "clear" : thing.shadow ? "casting" : "solid"].push(thing);
    }
    const [casting, solid, marks, clear, ...pale] = this.lay([...Object.values(groups), ...veils.values()]);
    this.use(this.mesh, { light: LIGHT, share: 1 });
    this.paint(casting);
    this.paint(solid);
    if (height !== null) this.shadows(casting, height);
    if (marks.length) {
      gl.depthFunc(gl.GREATER);
      gl.depthMask(false);
      gl.uniform1f(places.share, 0.3);
      this.paint(marks);
      gl.depthFunc(gl.LEQUAL);
      gl.depthMask(true);
      gl.uniform1f(places.share, 1);
      this.paint(marks);
    }
    gl.depthMask(false);
    this.paint(clear);
    gl.depthMask(true);
    for (const veil of pale) {
      gl.colorMask(false, false, false, false);
      this.paint(veil);
      gl.colorMask(true, true, true, true);
      this.paint(veil);
    }
  }

  // Each group of things as stretches of one mesh; poses and colours of all go to the graphics card in one piece.
  lay(groups) {
    const gl = this.gl, total = groups.reduce((n, group) => n + group.length, 0), rows = Math.ceil(total / ROW);
    if (this.numbers.length < 4 * TEXELS * ROW * rows) {
      this.numbers = new Float32Array(8 * TEXELS * ROW * rows);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, TEXELS * ROW, 2 * rows, 0, gl.RGBA, gl.FLOAT, null);
    }
    const { numbers } = this;
    let k = 0;
    const stretches = groups.map((group) => {
      const meshes = new Map();
      for (const thing of group) gather(meshes, thing.mesh, thing);
      return [...meshes].map(([mesh, same]) => {
        const first = k;
        for (const { model, colour, hollow } of same) {
          const at = 4 * TEXELS * k++;
          numbers.set(model, at);
          numbers[at + 3] = hollow ? 1 : 0;
          numbers.set(colour, at + 16);
        }
        return { mesh, first, count: same.length };
      });
    });
    if (rows) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXELS * ROW, rows, gl.RGBA, gl.FLOAT, numbers);
    return stretches;
  }

  paint(stretches) {
    const gl = this.gl, { places } = this.mesh;
    for (const { mesh, first, count } of stretches) {
      gl.uniform1i(places.first, first);
      gl.bindVertexArray(mesh.array);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, count);
    }
  }

  shadows(stretches, height) {
    const gl = this.gl, { places } = this.mesh;
    gl.uniform1i(places.shadow, 1);
    gl.uniform1f(places.flatten, height);
    gl.enable(gl.STENCIL_TEST);
    gl.depthMask(false);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    this.paint(stretches);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.STENCIL_TEST);
    gl.depthMask(true);
    gl.uniform1i(places.shadow, 0);
  }

  // Number of the thing at a pixel of the page (from the left and the top of the canvas), or -1: each is painted with its
  // number as its colour, into one pixel.
  pick(things, x, y) {
    const gl = this.gl, { places } = this.mesh, { wide, high } = this.box;
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
    gl.uniform1i(places.plain, 1);
    const numbered = things.map(({ mesh, model }, k) => ({ mesh, model, colour: [((k + 1) & 255) / 255, ((k + 1) >> 8) / 255, 0, 1] }));
    const [solid] = this.lay([numbered.filter((_, k) => !things[k].hollow && (things[k].colour[3] >= 1 || things[k].veil))]);  // not through panes
    this.paint(solid);
    gl.uniform1i(places.plain, 0);
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

// Reading what Python packed: one JSON header and one run of bytes, deflated, in base64.

async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  return revive(header, buffer, 8 + length + ((8 - (length % 8)) % 8));
}

const KINDS = { f4: Float32Array, f8: Float64Array, u4: Uint32Array, u1: Uint8Array };

// Arrays stand in the header as {"$": [kind, offset, count]}.
function revive(value, buffer, base) {
  if (Array.isArray(value)) return value.map((v) => revive(v, buffer, base));
  if (value === null || typeof value !== "object") return value;
  if ("$" in value) return new KINDS[value.$[0]](buffer, base + value.$[1], value.$[2]);
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revive(v, buffer, base)]));
}

// Number of the last time that is not later than t, and how far t has gone to the next one.
function bracket(times, t) {
  let low = 0, high = times.length - 1;
  if (high <= 0 || t <= times[0]) return [0, 0];
  if (t >= times[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  const step = times[high] - times[low];
  return [low, step > 0 ? (t - times[low]) / step : 0];
}

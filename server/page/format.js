// Numbers, quantities and names as people read them.

const UNITS = {
  "": 1, m: 1e-3, u: 1e-6, n: 1e-9, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

// "1500m" -> 1.5; NaN when it is no quantity.
export function parseQuantity(text) {
  const match = /^([+-]?[0-9.]+)([A-Za-z]*)$/.exec(String(text));
  if (!match || !(match[2] in UNITS)) return NaN;
  return Number(match[1]) * UNITS[match[2]];
}

const plain = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });

export function number(value) {
  return plain.format(value);
}

export const isBytes = (resource) => /(^|[.-])(memory|storage)$/.test(resource) || resource.startsWith("hugepages");

export function bytes(value) {
  const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let step = 0;
  while (Math.abs(value) >= 1024 && step < names.length - 1) {
    value /= 1024;
    step += 1;
  }
  return `${value >= 100 ? Math.round(value).toLocaleString("en-GB") : number(Number(value.toFixed(1)))} ${names[step]}`;
}

// An amount of a resource without its name: bytes with units, counts as they are.
export function amount(resource, value) {
  return isBytes(resource) ? bytes(value) : number(value);
}

export const isGpu = (resource) => /(^|[/.-])gpu$/.test(resource);

export function resourceName(resource, many = true) {
  if (isGpu(resource)) return many ? "GPUs" : "GPU";
  if (resource === "cpu") return many ? "CPUs" : "CPU";
  return resource.includes("/") ? resource.slice(resource.lastIndexOf("/") + 1) : resource;
}

// What explain writes: {"resource": "memory", "by": "1600Gi"} as "1.6 TiB memory".
export function quantity(resource, text) {
  const value = parseQuantity(text);
  const shown = Number.isNaN(value) ? text : amount(resource, value);
  return `${shown} ${resourceName(resource, value !== 1)}`;
}

export function seconds(value) {
  if (!(value > 0)) return "0";
  if (value < 1e-3) return `${number(Number((value * 1e6).toPrecision(3)))} µs`;
  if (value < 1) return `${number(Number((value * 1e3).toPrecision(3)))} ms`;
  return `${number(Number(value.toPrecision(3)))} s`;
}

// "500ms", "1m30s" -> milliseconds.
export function milliseconds(text) {
  const units = { ms: 1, s: 1000, m: 60000, h: 3600000 };
  let sum = 0;
  for (const [, count, unit] of String(text ?? "").matchAll(/([0-9.]+)(ms|s|m|h)/g)) sum += count * units[unit];
  return sum;
}

// "example.com/rack" -> "rack"
export const levelName = (label) => (label ? label.slice(label.lastIndexOf("/") + 1) : "root");

// "TopologyNoFit" -> "Topology no fit"
export function words(code) {
  const text = code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const ago = (since, now) => duration(Math.max(0, Math.round((Date.parse(now) - Date.parse(since)) / 1000)));

// Seconds as people say them: "40 s", "12 min", "3 h 20 min", "5 d 2 h".
export function duration(passed) {
  if (!Number.isFinite(passed)) return "";
  if (passed < 60) return `${passed} s`;
  const minutes = Math.floor(passed / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 && days < 14 ? `${days} d ${hours % 24} h` : `${number(days)} d`;
}

export const count = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

const collator = new Intl.Collator("en", { numeric: true });

// r2 before r10.
export const byName = (a, b) => collator.compare(a, b);

export const percent = (share) => (Number.isFinite(share) ? `${Math.round(share * 100)} %` : "–");

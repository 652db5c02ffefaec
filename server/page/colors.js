// Colours of the canvas in both themes, and which theme is on. The ramp's lightness is monotone, so it reads
// without colour vision; warm colours mean attention, except where gangs or queues have colours of their own.

export const STEPS = 64;       // of the ramp; the categories follow
export const CATEGORIES = 24;  // colours that can be distinguished, the first best
const PALETTES = {
  light: {
    ramp: ["#dce5ec", "#c6dee7", "#90c4d5", "#53a0bc", "#2a769c", "#174a73"],
    ground: "#ffffff", boxes: ["#f5f7f9", "#edf1f4", "#e6ebef"], edge: "#d3dbe2", tray: "#fbfcfd",
    ink: "#17202b", muted: "#5d6b7a", inverse: "#ffffff", none: "#eef0f2", hatch: "rgba(20,30,40,.38)",
    warm: "#c96a05", select: "#0b1016", veil: "rgba(255,255,255,.62)",
  },
  dark: {
    ramp: ["#273543", "#1f4455", "#22687d", "#2b90a1", "#56bfbd", "#abead6"],
    ground: "#10161d", boxes: ["#141b23", "#19222c", "#1e2934"], edge: "#2c3947", tray: "#18212b",
    ink: "#e6ebf0", muted: "#92a0af", inverse: "#0b1016", none: "#1a222b", hatch: "rgba(230,240,250,.34)",
    warm: "#f5b14a", select: "#ffffff", veil: "rgba(16,22,29,.62)",
  },
};

const parse = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

function ramp(stops) {
  const colors = [];
  for (let step = 0; step < STEPS; step += 1) {
    const place = (step / (STEPS - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(place), stops.length - 2);
    const [a, b] = [parse(stops[low]), parse(stops[low + 1])];
    const mixed = a.map((value, at) => Math.round(value + (b[at] - value) * (place - low)));
    colors.push(mixed);
  }
  return colors;
}

// Neighbours in the list are far apart on the wheel; the first are violet and orange.
function categories(light) {
  return Array.from({ length: CATEGORIES }, (_, index) => {
    const hue = (265 + index * 137.5) % 360;
    const [saturation, lightness] = [0.5, light ? [0.5, 0.64][index % 2] : [0.6, 0.46][index % 2]];
    const part = (n) => {
      const k = (n + hue / 30) % 12;
      return Math.round(255 * (lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
    };
    return [part(0), part(8), part(4)];
  });
}

for (const [name, palette] of Object.entries(PALETTES)) {
  palette.name = name;
  palette.stops = palette.ramp;
  palette.rgb = [...ramp(palette.ramp), ...categories(name === "light")];
  palette.steps = palette.rgb.map(([r, g, b]) => `rgb(${r},${g},${b})`);
  // Ink that is readable on each step.
  palette.inks = palette.rgb.map(([r, g, b]) => (0.3 * r + 0.59 * g + 0.11 * b > 140 ? "#17202b" : "#f4f8fb"));
}

// -1 where there is nothing to have a share of.
export function stepOf(share) {
  if (!Number.isFinite(share)) return -1;
  return Math.max(0, Math.min(STEPS - 1, Math.round(share * (STEPS - 1))));
}

const system = matchMedia("(prefers-color-scheme: dark)");
const KEY = "trellis-theme";
const listeners = new Set();
let chosen = "auto";
try {
  chosen = localStorage.getItem(KEY) ?? "auto";
} catch {
  // No storage: the system's theme.
}

function apply() {
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  for (const listener of listeners) listener();
}

export const theme = () => chosen;
export const palette = () => PALETTES[chosen === "auto" ? (system.matches ? "dark" : "light") : chosen];

export function nextTheme() {
  const order = system.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
  chosen = order[(order.indexOf(chosen) + 1) % order.length];
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Kept for this visit only.
  }
  apply();
}

export function onTheme(listener) {
  listeners.add(listener);
}

system.addEventListener("change", apply);
apply();

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Colours of the drawings, for the light and the dark page.

const dark = matchMedia("(prefers-color-scheme: dark)");
const HEAT = {
  light: ["#f1eee7", "#a9c1ea", "#e79a58", "#bd4a1f", "#5f160a"],
  dark: ["#101827", "#28508f", "#d97b38", "#ffc27d", "#fff6e6"],
};

export const palette = {};

function hex(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

// One colour for each strength from 0 to 128.
function gradient(stops) {
  const colors = [];
  for (let strength = 0; strength <= 128; strength++) {
    const at = Math.pow(strength / 128, 0.8) * (stops.length - 1);
    const below = Math.min(Math.floor(at), stops.length - 2);
    const [from, to] = [hex(stops[below]), hex(stops[below + 1])];
    colors.push(from.map((part, i) => Math.round(part + (to[i] - part) * (at - below))));
  }
  return colors;
}

function read() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["bg", "card", "line", "text", "muted", "stitch", "accent", "indigo", "good", "warn", "bad"]) {
    palette[name] = style.getPropertyValue(`--${name}`).trim();
  }
  palette.dark = dark.matches;
  palette.heat = gradient(dark.matches ? HEAT.dark : HEAT.light);
}

// Calls `changed` whenever the colours change.
export function watchPalette(changed) {
  read();
  dark.addEventListener("change", () => { read(); changed(); });
}

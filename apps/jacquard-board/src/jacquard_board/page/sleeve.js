// The picture of a sleeve: the sensed touches, the last gesture, the tag's light, and fingers on the software tag.

import { palette } from "./palette.js";
import { surface } from "./drawing.js";

const LINES = 12;
export const MARKS = { weak: "?", dead: "×", stuck: "!" };
// A tag sends nothing when the finger is lifted, so the last sample fades.
const FRESH = 0.08, FADING = 0.25;
const GESTURE_SECONDS = 0.9;
const GLOW = "#ff9d42", CORE = "#fff4e2", TRACKED = "#7fe3ff";
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Sleeve {
  constructor(canvas) {
    this.surface = surface(canvas);
    this.fabric = document.createElement("canvas");
    this.fabricKey = "";
  }

  // The part with the lines.
  area() {
    const { width, height } = this.surface;
    const w = Math.min(width * 0.62, 290);
    return { x: width / 2 - w / 2, y: height * 0.17, width: w, height: height * 0.53 };
  }

  // Returns whether the picture moves.
  draw({ now, tag, fingers, connected }) {
    const { context, fit } = this.surface;
    fit();
    const { width, height } = this.surface;
    const vibration = age(tag.vibration, now) < (tag.vibration?.seconds || 0);
    context.clearRect(0, 0, width, height);
    context.save();
    if (vibration && !still.matches) context.translate(Math.sin(now * 130) * 1.8, Math.cos(now * 170) * 0.8);
    context.drawImage(this.weave(width, height), 0, 0, width, height);
    const sample = tag.samples.at(-1);
    const fresh = sample && connected ? Math.min(Math.max(1 - (now - sample[0] - FRESH) / FADING, 0), 1) : 0;
    const gesture = tag.gestures.at(-1);
    const part = gesture ? (now - gesture.time) / GESTURE_SECONDS : 1;
    const gestured = part >= 0 && part < 1 && !still.matches;
    this.lines(gestured && !fresh ? glowOf(gesture.name, part) : glowOfSample(sample, fresh));
    this.brokenLines(tag.line_health || []);
    if (gestured && gesture.name === "double-tap") this.rings(part);
    if (fresh) for (const touch of tag.touches || []) this.touch(touch, fresh);
    for (const finger of fingers) this.finger(finger);
    const lit = this.tag(tag, now, connected);
    if (!connected) this.veil();
    context.restore();
    return fresh > 0 || gestured || fingers.length > 0 || lit || vibration;
  }

  // x of a line, or of any part across the sleeve, at a height from 0 to 1: a sleeve is narrower at the wrist.
  across(part, down) {
    const area = this.area();
    return area.x + area.width / 2 + (part - 0.5) * area.width * (1.04 - 0.09 * down);
  }

  // glow: for each line its strength from 0 to 1, and the part of it that glows.
  lines(glow) {
    const { context } = this.surface, area = this.area();
    context.lineCap = "round";
    glow.forEach(({ strength, from, to }, line) => {
      if (strength <= 0.02) return;
      const part = (line + 0.5) / LINES, hot = Math.min(strength * 1.15, 1);
      context.save();
      context.globalAlpha = Math.min(0.25 + hot * 0.75, 1);
      context.strokeStyle = context.shadowColor = GLOW;
      context.shadowBlur = 8 + 26 * hot;
      context.lineWidth = 1.5 + hot * 6;
      this.path(part, from, to);
      context.shadowBlur = 0;
      context.globalAlpha = hot * hot;
      context.strokeStyle = CORE;
      context.lineWidth = 0.5 + hot * 3;
      this.path(part, from, to);
      context.restore();
    });
    context.fillStyle = "#d3def2";
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const line of [1, 4, 8, 12]) {
      context.fillText(line, this.across((line - 0.5) / LINES, 1), area.y + area.height + 9);
    }
  }

  // Marks each line that is weak, dead or stuck with ?, × or ! below it.
  brokenLines(health) {
    const { context } = this.surface, area = this.area();
    context.fillStyle = CORE;
    context.font = "bold 13px system-ui, sans-serif";
    health.forEach((each, line) => {
      const mark = MARKS[each];
      if (mark) context.fillText(mark, this.across((line + 0.5) / LINES, 1), area.y + area.height - 6);
    });
  }

  path(part, from, to) {
    const { context } = this.surface, area = this.area();
    context.beginPath();
    context.moveTo(this.across(part, from), area.y + area.height * from);
    context.lineTo(this.across(part, to), area.y + area.height * to);
    context.stroke();
  }

  // A double tap also has its rings.
  rings(part) {
    const { context } = this.surface, area = this.area();
    context.save();
    context.globalCompositeOperation = "lighter";
    for (const delay of [0, 0.3]) {
      const one = (part - delay) / 0.7;
      if (one <= 0 || one >= 1) continue;
      context.strokeStyle = `rgba(255, 196, 132, ${1 - one})`;
      context.lineWidth = 5 * (1 - one) + 1;
      context.beginPath();
      context.arc(area.x + area.width / 2, area.y + area.height / 2, 12 + one * area.width * 0.36, 0, 2 * Math.PI);
      context.stroke();
    }
    context.restore();
  }

  // A tracked touch: its position and width, and an arrow as long as its way in a tenth of a second. Its place along
  // the lines is unknown.
  touch([, position, width, strength, speed], fresh) {
    const { context } = this.surface, area = this.area();
    const x = (at) => this.across((at + 0.5) / LINES, 0.5), y = area.y + area.height / 2;
    const [left, right] = [x(position - width), x(position + width)], middle = x(position);
    context.save();
    context.globalAlpha = fresh * Math.min(0.45 + strength / 200, 1);
    context.strokeStyle = context.fillStyle = TRACKED;
    context.lineWidth = 2.5;
    context.beginPath();
    context.ellipse(middle, y, (right - left) / 2, 26, 0, 0, 2 * Math.PI);
    context.stroke();
    context.beginPath();
    context.arc(middle, y, 3.5, 0, 2 * Math.PI);
    context.fill();
    const way = x(position + speed / 10) - middle, side = Math.sign(way);
    if (Math.abs(way) > 4) {
      const from = side > 0 ? right : left, tip = from + way;
      line(context, from, y, tip, y);
      line(context, tip, y, tip - side * 6, y - 5);
      line(context, tip, y, tip - side * 6, y + 5);
    }
    context.restore();
  }

  finger(finger) {
    const { context } = this.surface, area = this.area();
    const point = (at) => [area.x + at.x * area.width, area.y + at.y * area.height];
    context.save();
    context.lineCap = context.lineJoin = "round";
    for (let i = 1; i < finger.trail.length; i++) {
      context.strokeStyle = `rgba(255, 214, 170, ${(i / finger.trail.length) * 0.35})`;
      context.lineWidth = 3 + (i / finger.trail.length) * 16;
      context.beginPath();
      context.moveTo(...point(finger.trail[i - 1]));
      context.lineTo(...point(finger.trail[i]));
      context.stroke();
    }
    const [x, y] = point(finger.at);
    const glow = context.createRadialGradient(x, y, 2, x, y, 30);
    glow.addColorStop(0, "rgba(255, 244, 228, .95)");
    glow.addColorStop(0.4, "rgba(255, 205, 150, .45)");
    glow.addColorStop(1, "rgba(255, 180, 110, 0)");
    context.fillStyle = glow;
    context.fillRect(x - 30, y - 30, 60, 60);
    context.restore();
  }

  // The tag in the cuff. Returns whether its light moves.
  tag(tag, now, connected) {
    const { context } = this.surface, { width, height } = this.surface;
    const light = tag.light, since = age(light, now);
    const lit = connected && light?.color && since < light.seconds;
    const brightness = lit ? brightnessOf(light.pattern, since) : 0;
    const [x, y] = [width / 2 + Math.min(width * 0.62, 290) * 0.36, height * 0.862];
    context.save();
    if (lit && light.gear && brightness > 0.01) {
      context.strokeStyle = context.shadowColor = light.color;
      context.shadowBlur = 24;
      context.globalAlpha = brightness;
      context.lineWidth = 4;
      context.beginPath();
      context.moveTo(width * 0.17, height * 0.785);
      context.lineTo(width * 0.83, height * 0.785);
      context.stroke();
      context.stroke();
      context.globalAlpha = 1;
      context.shadowBlur = 0;
    }
    context.fillStyle = "#10151f";
    context.strokeStyle = "#55617a";
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(x - 32, y - 12, 64, 24, 12);
    context.fill();
    context.stroke();
    const on = lit && !light.gear && brightness > 0.01;
    context.beginPath();
    context.arc(x + 18, y, 4.5, 0, 2 * Math.PI);
    context.fillStyle = "#2b3446";
    context.fill();
    if (on) {
      context.globalAlpha = brightness;
      const halo = context.createRadialGradient(x + 18, y, 2, x + 18, y, 46);
      halo.addColorStop(0, light.color);
      halo.addColorStop(0.25, `${light.color}99`);
      halo.addColorStop(1, `${light.color}00`);
      context.fillStyle = halo;
      context.fillRect(x - 30, y - 48, 96, 96);
      context.beginPath();
      context.arc(x + 18, y, 5, 0, 2 * Math.PI);
      context.fillStyle = light.color;
      context.fill();
      context.beginPath();
      context.arc(x + 18, y, 2, 0, 2 * Math.PI);
      context.shadowBlur = 0;
      context.fillStyle = "#fff";
      context.fill();
    }
    context.restore();
    return Boolean(lit);
  }

  veil() {
    const { context } = this.surface, { width, height } = this.surface;
    context.save();
    context.globalCompositeOperation = "source-atop";
    context.globalAlpha = 0.6;
    context.fillStyle = palette.card;
    context.fillRect(0, 0, width, height);
    context.restore();
  }

  // Denim with its seams, drawn once for each size.
  weave(width, height) {
    const scale = window.devicePixelRatio || 1, key = `${width} ${height} ${scale} ${palette.dark}`;
    if (key === this.fabricKey) return this.fabric;
    this.fabricKey = key;
    this.fabric.width = width * scale;
    this.fabric.height = height * scale;
    const context = this.fabric.getContext("2d");
    context.scale(scale, scale);
    const cx = width / 2, half = Math.min(width * 0.46, 205);
    const edge = (down) => half * (0.97 - 0.1 * down);

    context.save();
    context.beginPath();
    context.moveTo(cx - edge(0), 0);
    context.bezierCurveTo(cx - edge(0.2), height * 0.3, cx - edge(0.9), height * 0.5, cx - edge(1), height * 0.785);
    context.lineTo(cx + edge(1), height * 0.785);
    context.bezierCurveTo(cx + edge(0.9), height * 0.5, cx + edge(0.2), height * 0.3, cx + edge(0), 0);
    context.closePath();
    denim(context, cx, half, width, height);
    folds(context, cx, half, height);
    context.restore();

    // The cuff.
    context.save();
    context.beginPath();
    const band = edge(1) + 5;
    context.roundRect(cx - band, height * 0.785, band * 2, height * 0.165, [4, 4, 12, 12]);
    denim(context, cx, half, width, height, 0.16);
    context.restore();
    context.strokeStyle = palette.dark ? "#0a1226" : "#142546";
    context.lineWidth = 1.5;
    line(context, cx - band, height * 0.785, cx + band, height * 0.785);

    // Seams.
    context.strokeStyle = "#d99a57";
    context.lineWidth = 1.6;
    context.lineCap = "round";
    context.setLineDash([6, 4]);
    for (const y of [0.802, 0.935]) line(context, cx - band + 8, height * y, cx + band - 8, height * y);
    line(context, cx - edge(1) + 2, height * 0.765, cx + edge(1) - 2, height * 0.765);
    for (const side of [-1, 1]) {
      context.beginPath();
      context.moveTo(cx + side * (edge(0) - 12), 0);
      context.bezierCurveTo(cx + side * (edge(0.2) - 12), height * 0.3, cx + side * (edge(0.9) - 10), height * 0.5,
        cx + side * (edge(1) - 10), height * 0.765);
      context.stroke();
    }
    context.setLineDash([]);
    button(context, cx - band + 34, height * 0.868);

    // The woven lines.
    const area = this.area();
    context.strokeStyle = "rgba(222, 170, 116, .62)";
    context.lineWidth = 1.7;
    context.setLineDash([7, 3]);
    for (let one = 0; one < LINES; one++) {
      const part = (one + 0.5) / LINES;
      line(context, this.across(part, 0), area.y, this.across(part, 1), area.y + area.height);
    }
    context.setLineDash([]);

    // The sleeve continues above the picture.
    context.globalCompositeOperation = "destination-out";
    const fade = context.createLinearGradient(0, 0, 0, height * 0.14);
    fade.addColorStop(0, "#000f");
    fade.addColorStop(1, "#0000");
    context.fillStyle = fade;
    context.fillRect(0, 0, width, height * 0.14);
    return this.fabric;
  }
}

function glowOfSample(sample, fresh) {
  return Array.from({ length: LINES }, (_, line) => (
    { strength: sample ? Math.min(sample[3 + line] / 128, 1) * fresh : 0, from: 0, to: 1 }));
}

// Draws a gesture, which the tag reports without touch data. part: the elapsed part of its duration, from 0 to 1.
function glowOf(name, part) {
  const fade = Math.sin(Math.PI * part), along = 1 - Math.pow(1 - part, 2.2);
  return Array.from({ length: LINES }, (_, line) => {
    const across = (line + 0.5) / LINES;
    switch (name) {
      case "brush-in":
      case "brush-out": {
        const head = name === "brush-out" ? along * 1.7 - 0.1 : 1.1 - along * 1.7;
        const behind = (name === "brush-out" ? head - across : across - head) * LINES;
        const strength = behind < 0 ? Math.exp(-behind * behind * 1.5) : Math.exp(-behind / 2.6);
        return { strength: strength * Math.min(fade * 1.6, 1), from: 0, to: 1 };
      }
      case "brush-up":
      case "brush-down": {
        const head = name === "brush-down" ? along * 1.4 : 1 - along * 1.4;
        const tail = name === "brush-down" ? head - 0.4 : head + 0.4;
        const [from, to] = [head, tail].map((at) => Math.min(Math.max(at, 0), 1)).sort((a, b) => a - b);
        const middle = Math.exp(-Math.pow((across - 0.5) * 4.2, 2));
        return { strength: from < to ? middle * fade : 0, from, to };
      }
      case "cover": return { strength: fade * 0.9, from: 0, to: 1 };
      default: {
        const tap = Math.exp(-Math.pow((across - 0.5) * 7, 2));
        return { strength: tap * Math.max(Math.sin(Math.PI * 2 * part), -Math.sin(Math.PI * 2 * part), 0) * fade, from: 0.38, to: 0.62 };
      }
    }
  });
}

function age(event, now) {
  return event ? Math.max(now - event.time, 0) : Infinity;
}

function brightnessOf(pattern, since) {
  const within = since % 1;
  switch (pattern) {
    case "breathe": return 0.5 - 0.5 * Math.cos(Math.PI * since * 1.33);
    case "pulse": return Math.exp(-3 * within);
    case "blink": return within < 0.4 ? 1 : 0;
    case "double-blink": return within < 0.5 && within % 0.25 < 0.13 ? 1 : 0;
    case "triple-blink": return within < 0.75 && within % 0.25 < 0.13 ? 1 : 0;
    default: return 1;
  }
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

// Fills the current path with twill that is round like an arm.
function denim(context, cx, half, width, height, lighter = 0) {
  const shade = context.createLinearGradient(cx - half, 0, cx + half, 0);
  for (const [at, color] of [[0, "#14264c"], [0.2, "#26457f"], [0.45, "#3a62a6"], [0.62, "#335797"], [0.85, "#203a6d"], [1, "#122143"]]) {
    shade.addColorStop(at, color);
  }
  context.fillStyle = shade;
  context.fill();
  context.clip();
  if (lighter) {
    context.fillStyle = `rgba(12, 22, 48, ${lighter})`;
    context.fillRect(0, 0, width, height);
  }
  context.lineWidth = 1;
  for (let i = -height; i < width + height; i += 4) {
    context.strokeStyle = i % 8 ? "rgba(255, 255, 255, .06)" : "rgba(6, 14, 36, .14)";
    line(context, i, 0, i - height * 0.62, height);
  }
  context.strokeStyle = "rgba(255, 255, 255, .022)";
  for (let x = 0; x < width; x += 3) line(context, x, 0, x, height);
}

function folds(context, cx, half, height) {
  context.lineCap = "round";
  for (const [x, y, dx, dy, width, dark] of [
    [-0.95, 0.1, 0.62, 0.07, 22, true], [-0.9, 0.15, 0.5, 0.05, 12, false], [0.98, 0.32, -0.5, 0.08, 22, true],
    [0.92, 0.36, -0.36, 0.06, 10, false], [-0.95, 0.62, 0.42, -0.06, 20, true], [0.9, 0.7, -0.5, -0.05, 18, true],
  ]) {
    context.save();
    context.filter = "blur(7px)";
    context.strokeStyle = dark ? "rgba(6, 13, 34, .42)" : "rgba(150, 185, 245, .22)";
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(cx + x * half, y * height);
    context.quadraticCurveTo(cx + (x + dx * 0.5) * half, (y + dy * 1.4) * height, cx + (x + dx) * half, (y + dy) * height);
    context.stroke();
    context.restore();
  }
}

function button(context, x, y) {
  const metal = context.createRadialGradient(x - 4, y - 4, 1, x, y, 13);
  metal.addColorStop(0, "#f6cf9f");
  metal.addColorStop(0.6, "#b9783c");
  metal.addColorStop(1, "#6b3e18");
  context.fillStyle = metal;
  context.beginPath();
  context.arc(x, y, 11.5, 0, 2 * Math.PI);
  context.fill();
  context.strokeStyle = "#4a2a10";
  context.lineWidth = 1;
  context.stroke();
  context.beginPath();
  context.arc(x, y, 7.5, 0, 2 * Math.PI);
  context.strokeStyle = "rgba(74, 42, 16, .6)";
  context.stroke();
}

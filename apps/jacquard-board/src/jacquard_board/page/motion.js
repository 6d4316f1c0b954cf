// Motion over time: the three axes of a sensor as lines. Gaps stay empty and show the number of missing samples.

import { palette } from "./palette.js";
import { surface } from "./drawing.js";
import { $, set } from "./panels.js";

export const WINDOW = 10;
// Samples that are further apart are not joined, even without a gap: the stream was stopped between them.
const LONGEST_PAUSE = 0.3;
const LEFT = 66, RIGHT = 18, TOP = 16, BOTTOM = 20;
// People cannot read values that change more often, and screen readers cannot announce gaps more often.
const VALUES_PAUSE = 250, GAPS_PAUSE = 3000;
const AXES = ["x", "y", "z"];

// An item is a gap (time, missing, uncertainty), or a sample (time, and six values).
const isGap = (item) => item.length === 3;

class MotionChart {
  // first: the index of the first axis in a sample; ranges: the possible maximum values of the scale.
  constructor(canvas, first, ranges, unit) {
    this.surface = surface(canvas);
    this.first = first;
    this.ranges = ranges;
    this.unit = unit;
  }

  draw(now, items) {
    const { context, fit } = this.surface;
    fit();
    const { width, height } = this.surface;
    const [w, h] = [width - LEFT - RIGHT, height - TOP - BOTTOM];
    if (w <= 0) return;
    const visible = items.filter((item) => item[0] > now - WINDOW - 1);
    const range = this.range(visible);
    const x = (time) => LEFT + w * (1 - (now - time) / WINDOW);
    const y = (value) => TOP + h / 2 - (h / 2) * (value / range);
    context.clearRect(0, 0, width, height);
    this.axes(w, h, range, y);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, w, height);
    context.clip();
    this.gaps(visible, x, h);
    AXES.forEach((_, axis) => this.line(visible, this.first + axis, x, y, color(axis)));
    context.restore();
    this.names(visible.at(-1), LEFT + w + 5, y, h);
  }

  range(items) {
    let largest = 0;
    for (const item of items) {
      if (!isGap(item)) for (let axis = 0; axis < 3; axis++) largest = Math.max(largest, Math.abs(item[this.first + axis]));
    }
    return this.ranges.find((range) => range >= largest) || this.ranges.at(-1);
  }

  axes(w, h, range, y) {
    const { context } = this.surface;
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = palette.muted;
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of [range, 0, -range]) {
      context.beginPath();
      context.moveTo(LEFT, y(value));
      context.lineTo(LEFT + w, y(value));
      context.stroke();
      context.fillText(`${signed(value, 0)} ${this.unit}`, LEFT - 7, y(value));
    }
    context.textBaseline = "alphabetic";
    for (let ago = 0; ago <= WINDOW; ago += 5) {
      context.textAlign = ago === 0 ? "right" : ago === WINDOW ? "left" : "center";
      context.fillText(ago ? `−${ago} s` : "now", LEFT + w * (1 - ago / WINDOW), TOP + h + 16);
    }
  }

  line(items, place, x, y, style) {
    const { context } = this.surface;
    context.beginPath();
    let last = -Infinity;
    for (const item of items) {
      if (isGap(item)) {
        last = -Infinity;
        continue;
      }
      if (item[0] - last < LONGEST_PAUSE) context.lineTo(x(item[0]), y(item[place]));
      else context.moveTo(x(item[0]), y(item[place]));
      last = item[0];
    }
    context.strokeStyle = style;
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.stroke();
  }

  gaps(items, x, h) {
    const { context } = this.surface;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    let free = -Infinity;
    items.forEach((item, i) => {
      if (!isGap(item)) return;
      const before = items[i - 1]?.[0] ?? item[0], after = items[i + 1]?.[0] ?? item[0];
      const from = x(Math.min(before, after)), to = Math.max(x(after), from + 2);
      context.fillStyle = palette.muted;
      context.globalAlpha = 0.3;
      context.fillRect(from, TOP, to - from, h);
      context.globalAlpha = 1;
      const text = item[1] === null ? "↺" : `${item[2] ? "≈" : ""}${item[1]}`;
      const half = context.measureText(text).width / 2 + 3, center = (from + to) / 2;
      // Labels that would overlap are in the text below instead.
      if (center - half < free) return;
      free = center + half;
      context.fillStyle = palette.bad;
      context.fillText(text, center, TOP - 4);
    });
  }

  // The letters of the axes at the ends of their lines, so that they differ without colour, too.
  names(item, left, y, h) {
    if (!item || isGap(item)) return;
    const { context } = this.surface;
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    const places = AXES.map((name, axis) => ({ name, axis, y: y(item[this.first + axis]) })).sort((a, b) => a.y - b.y);
    places.forEach((place, i) => { if (i) place.y = Math.max(place.y, places[i - 1].y + 13); });
    const over = Math.max(0, places[2].y - (TOP + h));
    for (const place of places) {
      context.fillStyle = color(place.axis);
      context.fillText(place.name, left, place.y - over);
    }
  }
}

function color(axis) {
  return [palette.accent, palette.indigo, palette.good][axis];
}

function signed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) ? `−${text}` : text;
}

// The current values of acceleration or rotation.
export function valuesText(items, first, digits, unit) {
  const sample = items.findLast((item) => !isGap(item));
  if (!sample) return "";
  return `${AXES.map((name, axis) => `${name} ${signed(sample[first + axis], digits)}`).join("  ")} ${unit}`;
}

export function moves(now, items) {
  return items.length > 0 && now - items.at(-1)[0] < WINDOW + 0.2;
}

export function rateOf(now, items) {
  return items.filter((item) => !isGap(item) && item[0] > now - 1.1 && item[0] <= now - 0.1).length;
}

function gapText([, missing, uncertainty]) {
  if (missing === null) return "the tag's clock restarted";
  return `${uncertainty ? "about " : ""}${missing} ${missing === 1 ? "sample" : "samples"} missing`;
}

// The gaps of the last ten seconds, newest first.
export function gapsText(now, items, time) {
  const gaps = items.filter((item) => isGap(item) && item[0] > now - WINDOW).reverse();
  const shown = gaps.slice(0, 3).map((gap) => `${gapText(gap)} at ${time(gap[0])}`);
  if (gaps.length > shown.length) shown.push(`${gaps.length - shown.length} more gaps`);
  return shown.join(" · ");
}

// For screen readers: the gaps among new items.
export function newGapsText(items) {
  const gaps = items.filter(isGap);
  if (!gaps.length) return "";
  if (gaps.length === 1) return `Motion: ${gapText(gaps[0])}.`;
  return `Motion: ${gaps.reduce((sum, gap) => sum + (gap[1] ?? 0), 0)} samples missing.`;
}

// The card with both charts, their values and gaps.
export class MotionPanel {
  constructor() {
    this.acceleration = new MotionChart($("acceleration"), 1, [2, 4, 8], "g");
    this.rotation = new MotionChart($("rotation"), 4, [250, 500, 1000, 2000], "°/s");
    this.shown = 0;
    this.spoken = -GAPS_PAUSE;
  }

  // time: returns the text of a time.
  show(tag, now, time) {
    $("moved").hidden = !tag.streaming && !tag.motion_problem && !moves(now, tag.motion);
    if ($("moved").hidden) return;
    this.acceleration.draw(now, tag.motion);
    this.rotation.draw(now, tag.motion);
    if (performance.now() - this.shown < VALUES_PAUSE) return;
    this.shown = performance.now();
    const rate = rateOf(now, tag.motion), problem = tag.motion_problem;
    set("acceleration-now", tag.streaming ? valuesText(tag.motion, 1, 2, "g") : "");
    set("rotation-now", tag.streaming ? valuesText(tag.motion, 4, 0, "°/s") : "");
    set("motion-rate", tag.streaming ? (rate ? `${rate} samples/s` : "no motion data") : problem || "stopped");
    set("motion-gaps", gapsText(now, tag.motion, time));
  }

  speakGaps(items) {
    const text = newGapsText(items);
    if (!text || performance.now() - this.spoken < GAPS_PAUSE) return;
    this.spoken = performance.now();
    $("spoken-gaps").textContent = text;
  }
}

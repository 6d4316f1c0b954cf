// Touch over time: a picture with one column per 1/60 s, used as a ring, so that a frame costs two copies.

import { palette } from "./palette.js";
import { surface } from "./drawing.js";
import { GESTURES } from "./store.js";

export const WINDOW = 10;
const RATE = 60;
const COLUMNS = 1024;
const LINES = 12;
// Longer pauses between samples are shown as gaps.
const LONGEST_GAP = 6;
const LEFT = 30, BOTTOM = 20, TOP = 16;

export class HeatMap {
  constructor(canvas) {
    this.surface = surface(canvas);
    this.ring = new OffscreenCanvas(COLUMNS, LINES).getContext("2d");
    this.column = this.ring.createImageData(1, LINES);
    this.clear();
  }

  clear() {
    this.ring.clearRect(0, 0, COLUMNS, LINES);
    this.head = -Infinity;
    this.last = -Infinity;
  }

  add(samples) {
    for (const sample of samples) {
      const at = Math.floor(sample[0] * RATE);
      if (at < this.head - WINDOW * RATE) continue;
      this.erase(at);
      const data = this.column.data;
      for (let line = 0; line < LINES; line++) {
        const color = palette.heat[Math.min(sample[3 + line], 128)];
        // Line 12 is at the top.
        data.set([...color, 255], (LINES - 1 - line) * 4);
      }
      const from = at - this.last <= LONGEST_GAP && at > this.last ? this.last + 1 : at;
      for (let one = from; one <= at; one++) this.ring.putImageData(this.column, ring(one), 0);
      this.last = at;
    }
  }

  // Reused columns must not show old data.
  erase(at) {
    if (at <= this.head) return;
    const count = Math.min(at - this.head, COLUMNS);
    for (let one = at - count + 1; one <= at; one++) this.ring.clearRect(ring(one), 0, 1, LINES);
    this.head = at;
  }

  draw(now, tag) {
    const { context, fit } = this.surface;
    fit();
    const { width, height } = this.surface;
    const [w, h] = [width - LEFT, height - BOTTOM - TOP];
    context.clearRect(0, 0, width, height);
    context.fillStyle = `rgb(${palette.heat[0]})`;
    context.beginPath();
    context.roundRect(LEFT, TOP, w, h, 6);
    context.fill();
    context.save();
    context.clip();
    const end = now * RATE, begin = Math.floor(end - WINDOW * RATE);
    if (this.head > begin) {
      context.imageSmoothingEnabled = false;
      const perColumn = w / (WINDOW * RATE);
      // At most two pieces of the ring.
      for (let from = begin; from < end;) {
        const count = Math.min(COLUMNS - ring(from), Math.ceil(end) - from);
        const visible = Math.min(count, this.head + 1 - from);
        if (visible <= 0) break;
        const x = LEFT + (from - (end - WINDOW * RATE)) * perColumn;
        context.drawImage(this.ring.canvas, ring(from), 0, visible, LINES, x, TOP, visible * perColumn, h);
        from += count;
      }
    }
    context.strokeStyle = palette.card;
    context.lineWidth = 1.5;
    context.globalAlpha = 0.75;
    for (let line = 1; line < LINES; line++) {
      context.beginPath();
      context.moveTo(LEFT, TOP + (h * line) / LINES);
      context.lineTo(width, TOP + (h * line) / LINES);
      context.stroke();
    }
    context.restore();
    this.axes(now, w, h);
    this.marks(now, w, h, tag);
    if (tag.source === "tag" && tag.mode === "gesture" && !this.moves(now, tag)) {
      context.fillStyle = palette.muted;
      context.font = "14px system-ui, sans-serif";
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText("Select Touch above the sleeve to see its lines.", LEFT + w / 2, TOP + h / 2, w - 20);
    }
  }

  axes(now, w, h) {
    const { context } = this.surface;
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = palette.muted;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const line of [1, 4, 8, 12]) context.fillText(line, LEFT - 9, TOP + (h * (LINES - line + 0.5)) / LINES);
    context.textBaseline = "alphabetic";
    for (let ago = 0; ago <= WINDOW; ago += 2) {
      context.textAlign = ago === 0 ? "right" : ago === WINDOW ? "left" : "center";
      context.fillText(ago ? `−${ago} s` : "now", LEFT + w * (1 - ago / WINDOW), TOP + h + 16);
    }
  }

  marks(now, w, h, tag) {
    const { context } = this.surface;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (let i = tag.gestures.length - 1; i >= 0; i--) {
      const gesture = tag.gestures[i], ago = now - gesture.time;
      if (ago > WINDOW) break;
      if (ago < 0) continue;
      const x = LEFT + w * (1 - ago / WINDOW);
      context.strokeStyle = context.fillStyle = palette.accent;
      context.lineWidth = 2;
      context.setLineDash([2, 4]);
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, TOP + h);
      context.stroke();
      context.setLineDash([]);
      context.font = "600 14px system-ui, sans-serif";
      context.fillText(GESTURES[gesture.name]?.[1] || "◆", Math.min(Math.max(x, LEFT + 8), LEFT + w - 8), TOP - 4);
    }
  }

  // Whether the picture moves.
  moves(now, tag) {
    const gesture = tag.gestures.at(-1);
    return now - this.head / RATE < WINDOW + 0.2 || (gesture && now - gesture.time < WINDOW + 0.2);
  }
}

function ring(column) {
  return ((column % COLUMNS) + COLUMNS) % COLUMNS;
}

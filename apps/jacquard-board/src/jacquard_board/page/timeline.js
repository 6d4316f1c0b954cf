// The connection over time: its phases as a strip, with a mark where an attempt failed or the link was lost.

import { palette } from "./palette.js";
import { surface } from "./drawing.js";
import { stateOf } from "./store.js";

const SHORTEST = 60, LONGEST = 1800;
const STRIP = 22;

export class Timeline {
  constructor(canvas) {
    this.surface = surface(canvas);
  }

  draw(now, tag) {
    const { context, fit } = this.surface;
    fit();
    const { width } = this.surface;
    const first = tag.events[0]?.time ?? now;
    const span = Math.min(Math.max(now - first, Math.min(SHORTEST, tag.duration || SHORTEST)), LONGEST);
    const x = (time) => Math.max(0, width * (1 - (now - time) / span));
    context.clearRect(0, 0, width, 60);
    context.save();
    context.beginPath();
    context.roundRect(0, 0, width, STRIP, 6);
    context.clip();
    context.fillStyle = palette.line;
    context.fillRect(0, 0, width, STRIP);
    const colors = { connected: palette.good, trying: palette.warn, off: palette.line };
    tag.events.forEach((event, i) => {
      const from = x(event.time), to = x(tag.events[i + 1]?.time ?? now);
      if (to <= 0) return;
      const state = stateOf(event.phase);
      context.fillStyle = colors[state];
      context.fillRect(from, 0, Math.max(to - from, 1), STRIP);
      if (state === "trying") hatch(context, from, to);
    });
    context.restore();
    context.fillStyle = palette.bad;
    tag.events.forEach((event, i) => {
      if (!event.reason || event.reason === tag.events[i - 1]?.reason || x(event.time) <= 0) return;
      const at = Math.min(Math.max(x(event.time), 4), width - 4);
      context.beginPath();
      context.moveTo(at, STRIP + 1);
      context.lineTo(at - 5, STRIP + 9);
      context.lineTo(at + 5, STRIP + 9);
      context.fill();
    });
    context.fillStyle = palette.muted;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "top";
    context.textAlign = "left";
    context.fillText(`−${span < 120 ? `${Math.round(span)} s` : `${Math.round(span / 60)} min`}`, 0, STRIP + 9);
    context.textAlign = "right";
    context.fillText("now", width, STRIP + 9);
  }
}

// Hatches a phase, so that the phases differ without colour, too.
function hatch(context, from, to) {
  context.save();
  context.beginPath();
  context.rect(from, 0, to - from, STRIP);
  context.clip();
  context.strokeStyle = palette.card;
  context.globalAlpha = 0.45;
  context.lineWidth = 2;
  for (let x = Math.floor(from / 8) * 8 - STRIP; x < to; x += 8) {
    context.beginPath();
    context.moveTo(x, STRIP);
    context.lineTo(x + STRIP, 0);
    context.stroke();
  }
  context.restore();
}

// Converts mouse, touch and keyboard input on the sleeve to touches of the software tag's lines, or to gestures.

const LINES = 12;
const STRONGEST = 128;
// Width of a finger, in lines.
const FINGER = 0.95;
const FAR = 0.12;
const HOLD = 650;
const BETWEEN_TAPS = 420;
const SWEEP = 450;

// The effect on each line of a finger at this position, from 0 to 1 across the lines.
export function strengths(positions) {
  return Array.from({ length: LINES }, (_, line) => {
    const each = positions.map((at) => {
      const distance = (at * LINES - 0.5 - line) / FINGER;
      return STRONGEST * Math.exp(-(distance * distance) / 2);
    });
    const strength = Math.round(Math.max(0, ...each));
    return strength < 3 ? 0 : strength;
  });
}

export class Strokes {
  // area: returns the part of the canvas with the lines. make: called with a gesture's name. touch: with positions.
  constructor(canvas, area, { make, touch, lift, moved }) {
    Object.assign(this, { canvas, area, make, touch, lift, moved });
    this.fingers = new Map();
    this.enabled = false;
    this.lastTap = -Infinity;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => this.up(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  enable(enabled) {
    this.enabled = enabled;
    if (!enabled) this.fingers.clear();
  }

  // The positions of the fingers, from 0 to 1.
  get positions() {
    return [...this.fingers.values()].map((finger) => finger.at);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect(), area = this.area();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { x: (x - area.x) / area.width, y: (y - area.y) / area.height };
  }

  down(event) {
    if (!this.enabled || event.button > 0) return;
    const at = this.at(event);
    if (at.x < -0.15 || at.x > 1.15 || at.y < -0.15 || at.y > 1.15) return;
    this.canvas.setPointerCapture(event.pointerId);
    const finger = { from: at, at, since: performance.now(), far: 0, trail: [at] };
    finger.timer = setTimeout(() => this.held(finger), HOLD);
    this.fingers.set(event.pointerId, finger);
    this.moved();
  }

  move(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    finger.at = this.at(event);
    finger.far = Math.max(finger.far, distance(finger.from, finger.at));
    finger.trail.push(finger.at);
    if (finger.trail.length > 40) finger.trail.shift();
    this.moved();
  }

  up(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    this.fingers.delete(event.pointerId);
    clearTimeout(finger.timer);
    if (this.fingers.size === 0) this.lift();
    this.moved();
    if (event.type === "pointercancel" || finger.made) return;
    if (finger.far < FAR) {
      const now = performance.now();
      if (now - this.lastTap < BETWEEN_TAPS) this.make("double-tap");
      this.lastTap = now - this.lastTap < BETWEEN_TAPS ? -Infinity : now;
      return;
    }
    const [dx, dy] = [finger.at.x - finger.from.x, finger.at.y - finger.from.y];
    if (Math.abs(dx) >= Math.abs(dy)) this.make(dx > 0 ? "brush-out" : "brush-in");
    else this.make(dy > 0 ? "brush-down" : "brush-up");
  }

  held(finger) {
    if (finger.far < FAR && this.fingers.size > 0) {
      finger.made = true;
      this.make("cover");
    }
  }

  key(event) {
    const gesture = {
      ArrowLeft: "brush-in", ArrowRight: "brush-out", ArrowUp: "brush-up", ArrowDown: "brush-down",
      Enter: "double-tap", " ": "double-tap", c: "cover",
    }[event.key];
    if (!this.enabled || !gesture || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.perform(gesture);
  }

  // Draws a gesture as if a finger made it.
  perform(gesture) {
    this.make(gesture);
    const path = {
      "brush-in": [0.95, 0.5, 0.05, 0.5], "brush-out": [0.05, 0.5, 0.95, 0.5],
      "brush-up": [0.5, 0.9, 0.5, 0.1], "brush-down": [0.5, 0.1, 0.5, 0.9],
    }[gesture] || [0.5, 0.5, 0.5, 0.5];
    const [x1, y1, x2, y2] = path, begin = performance.now(), id = `made ${begin}`;
    const finger = { from: { x: x1, y: y1 }, at: { x: x1, y: y1 }, trail: [], far: 0 };
    this.fingers.set(id, finger);
    const step = () => {
      const part = Math.min((performance.now() - begin) / SWEEP, 1);
      finger.at = { x: x1 + (x2 - x1) * part, y: y1 + (y2 - y1) * part };
      finger.trail.push(finger.at);
      this.moved();
      if (part < 1) {
        requestAnimationFrame(step);
      } else if (this.fingers.delete(id) && this.fingers.size === 0) {
        this.lift();
      }
    };
    step();
  }
}

function distance(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

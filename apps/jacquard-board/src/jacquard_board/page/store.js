// The data from the board: tags and recordings with their histories. The histories are bounded.

// Slightly more than the heat map and the motion charts show.
const SAMPLE_SECONDS = 11;
const MOST = { samples: 1200, motion: 1200, gestures: 60, events: 300 };

export class Store {
  constructor() {
    this.tags = new Map();
    this.machine = {};
    this.rules = this.taught = undefined;
    this.simulated = false;
    this.strokes = {};
    this.live = false;
    this.started = 0;
    this.wanted = null;
  }

  // Returns what is new in each tag.
  apply(message) {
    if (message.type === "machine") {
      this.machine = message.machine;
      return [];
    }
    if (message.type === "rules" || message.type === "taught") {
      this[message.type] = message[message.type];
      return [];
    }
    if (message.type === "everything") {
      const { simulated, strokes, live, started, machine, rules, taught } = message;
      Object.assign(this, { simulated, strokes, live, started, machine, rules, taught });
      this.tags = new Map(message.tags.map((tag) => [tag.key, tag]));
    }
    return message.tags.map((change) => this.change(change, message.type === "everything"));
  }

  change(change, isKnown) {
    if (isKnown || change.whole || !this.tags.has(change.key)) {
      this.tags.set(change.key, change);
      return { tag: change, whole: true };
    }
    const tag = this.tags.get(change.key);
    for (const [name, value] of Object.entries(change)) {
      if (name in MOST) {
        tag[name].push(...value);
        trim(tag[name], MOST[name]);
      } else {
        tag[name] = value;
      }
    }
    return { tag, samples: change.samples, motion: change.motion, gestures: change.gestures, changed: change };
  }

  // The tag to show: the selected one, else the one that the board was started for, else a connected one, else the
  // first.
  get selected() {
    const all = [...this.tags.values()];
    return this.tags.get(this.wanted) || (!this.simulated && all.find((tag) => tag.source === "recording"))
      || all.find((tag) => stateOf(tag.state?.phase) === "connected" && tag.source === "tag") || all.find((tag) => tag.wanted) || all[0];
  }
}

function trim(history, most) {
  let old = Math.max(0, history.length - most);
  if (Array.isArray(history[old])) while (history[old][0] < history.at(-1)[0] - SAMPLE_SECONDS) old++;
  if (old) history.splice(0, old);
}

// The state in one word: connected, trying, off, or recording.
export function state(tag) {
  if (tag.source === "recording" && !tag.state) return "recording";
  return stateOf(tag.state?.phase);
}

export function stateOf(phase) {
  if (phase === "connected") return "connected";
  return !phase || phase === "disconnected" ? "off" : "trying";
}

export function titleOf(tag) {
  return tag.source === "recording" ? tag.title : tag.name || tag.title;
}

export const GESTURES = {
  "double-tap": ["Double tap", "◎"], "brush-in": ["Brush in", "←"], "brush-out": ["Brush out", "→"],
  "brush-up": ["Brush up", "↑"], "brush-down": ["Brush down", "↓"], "cover": ["Cover", "●"],
};

export function gestureName(gesture) {
  if (gesture.taught) return gesture.name;
  return GESTURES[gesture.name]?.[0] || gesture.name.replaceAll("-", " ") || `Number ${gesture.number}`;
}

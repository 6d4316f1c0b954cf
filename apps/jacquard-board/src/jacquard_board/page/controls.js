// The controls of the page: what they request, and the player's.

import { $, duration, element } from "./panels.js";
import { GESTURES } from "./store.js";

const COLORS = { red: "#ff0000", orange: "#ff8000", yellow: "#ffff00", green: "#00ff00", teal: "#008080", blue: "#0000ff", purple: "#8000ff", pink: "#ff60a0", white: "#ffffff" };
const VIBRATIONS = { insert: "Insert", gesture: "Gesture", notification: "Notification", error: "Error", alert: "Alert", off: "Stop" };
const MISHAPS = {
  "drop-link": "Drop the link", "out-of-range": "Out of range, 5 s", "kill-bluetoothd": "Kill bluetoothd",
  "adapter-off": "Adapter off, 4 s", "detach-gear": "Detach gear", "attach-gear": "Attach gear",
};

export class Controls {
  // shown: returns the selected tag. panels: shows its state again.
  constructor({ ask, link, strokes, shown, panels }) {
    Object.assign(this, { ask, link, strokes, shown, panels, seeking: false });
    this.connection();
    this.effects();
    this.simulation();
    this.player();
  }

  connection() {
    $("search").onclick = () => this.link.request({ action: "search" });
    $("connect").onclick = () => this.ask({ action: this.shown().wanted ? "disconnect" : "connect" });
    for (const input of document.getElementsByName("mode")) {
      input.onchange = async () => {
        if (await this.ask({ action: "mode", value: input.value })) this.panels();
      };
    }
    $("motion").onchange = async () => {
      if (await this.ask({ action: "motion", value: $("motion").checked })) this.panels();
    };
  }

  effects() {
    const onGear = () => document.querySelector("input[name=where]:checked").value === "gear";
    $("colors").append(...Object.entries(COLORS).map(([name, color]) => {
      const button = element("button", { type: "button", className: "swatch", title: name, ariaLabel: name });
      button.style.background = color;
      button.onclick = () => this.ask({ action: "light", color, pattern: $("pattern").value, gear: onGear() });
      return button;
    }));
    $("light-off").onclick = () => this.ask({ action: "light", color: null, gear: onGear() });
    $("vibrations").append("Vibrate ", ...Object.entries(VIBRATIONS).map(([value, text]) =>
      element("button", { type: "button", textContent: text, onclick: () => this.ask({ action: "vibrate", value }) })));
  }

  simulation() {
    $("gestures-to-make").append(...Object.entries(GESTURES).map(([value, [text, sign]]) =>
      element("button", { type: "button", textContent: `${sign} ${text}`, onclick: () => this.strokes.perform(value) })));
    $("stroke").onclick = () => this.ask({ action: "person", value: $("person-stroke").value, person: Number($("person").value) });
    $("mishaps").append(...Object.entries(MISHAPS).map(([value, text]) =>
      element("button", { type: "button", textContent: text, onclick: () => this.ask({ action: "simulate", value }) })));
    const charge = () => this.ask({ action: "battery", percent: Number($("charge").value), charging: $("charging").checked });
    $("charge").onchange = $("charging").onchange = charge;
  }

  player() {
    $("play").onclick = () => this.ask({ action: this.shown().player.playing ? "pause" : "play" });
    $("seek").oninput = () => { this.seeking = true; this.link.sendSoon({ tag: this.shown().key, action: "seek", value: Number($("seek").value) }); };
    $("seek").onchange = () => { this.seeking = false; };
    $("speed").onchange = () => this.ask({ action: "speed", value: Number($("speed").value) });
  }

  showPlayer(tag) {
    $("play").textContent = tag.player.playing ? "Pause" : "Play";
    $("seek").max = tag.duration;
    $("speed").value = String(tag.player.speed);
  }

  showPosition(tag, now) {
    if (!this.seeking) $("seek").value = now;
    const text = `${duration(now)} / ${duration(tag.duration)}`;
    if ($("position").textContent !== text) {
      $("position").textContent = text;
      $("seek").setAttribute("aria-valuetext", text);
    }
  }

  // The strokes of the simulated person, which the board knows.
  fillStrokes(strokes) {
    const menu = $("person-stroke"), groups = Object.entries(strokes || {});
    if (menu.children.length === groups.length) return;
    const option = (value) => element("option", { value, textContent: value[0].toUpperCase() + value.slice(1).replaceAll("-", " ") });
    menu.replaceChildren(...groups.map(([label, names]) => {
      const group = element("optgroup", { label });
      group.append(...names.map(option));
      return group;
    }));
  }
}

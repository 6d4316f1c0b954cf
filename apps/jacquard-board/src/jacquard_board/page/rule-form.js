// The form for a new rule, or for one that is changed. A gesture can be recorded by making it.

import { $, element, set } from "./panels.js";
import { GESTURES } from "./store.js";

const TOUCHES = ["tap", "double-tap", "hold", "press", "swipe-in", "swipe-out", "scrub", "two-finger-tap", "spread", "pinch", "cover"];
const TAG = { 'gear = "attached"': "attached to gear", 'gear = "detached"': "detached from gear", "battery_below = 20": "battery below 20 %", "connected_for = 5": "connected for 5 s", "away_for = 60": "away for 60 s" };
const FADERS = { 'fader = "relative"': "moved along the lines", 'fader = "absolute"': "position on the lines" };
const OFFERS = {
  Music: { 'media = "next"': "Skip the song", 'media = "previous"': "Previous song", 'media = "play-pause"': "Play or pause", 'volume = "+5%"': "Louder", 'volume = "-5%"': "Quieter", 'volume = "toggle-mute"': "Mute" },
  Tag: { 'led = "teal:0.3"': "Light", 'haptic = "alert"': "Vibrate" },
  Desktop: { 'key = "page-down"': "Next slide", 'key = "page-up"': "Previous slide", 'run = ["notify-send", "Hello"]': "Run a command", 'mqtt = "a/topic"': "Send a message to MQTT" },
  "With a fader": { 'volume = "fader"': "Volume", 'scroll = "fader"': "Scroll" },
};
const RECORDING_SECONDS = 30;

export class RuleForm {
  // ask: as in RuleList. taught: returns the names of the taught gestures. version: returns that of the shown file.
  constructor(ask, taught, version) {
    Object.assign(this, { ask, taught, version });
    this.line = null;
    this.timer = 0;
    $("rule-new").onclick = () => this.open(null);
    $("rule-cancel").onclick = () => this.close();
    $("rule-record").onclick = () => (this.timer ? this.stop("") : this.record());
    $("rule-events").onchange = () => this.take($("rule-events").value);
    $("rule-add").onclick = () => this.add($("rule-offers").value);
    $("rule-try").onclick = () => this.send({ action: "try-rule" }, "Trying …", "Tried, it worked.");
    $("rule-form").onkeydown = (event) => {
      if (event.key === "Escape") this.close();
    };
    $("rule-form").onsubmit = (event) => {
      event.preventDefault();
      this.save();
    };
    fill("rule-offers", "Choose an action …", OFFERS);
  }

  // rule: to change, or null for a new one.
  open(rule) {
    Object.assign(this, { line: rule?.line ?? null, opener: document.activeElement?.dataset?.key, opened: this.version() });
    const listed = (names, key, sign = (name) => name) => Object.fromEntries(names.map((name) => [`${key} = ${JSON.stringify(name)}`, sign(name)]));
    fill("rule-events", "Choose an event …", {
      Gesture: listed([...Object.keys(GESTURES), "any"], "gesture", (name) => GESTURES[name]?.[0] || "Any gesture"),
      "Taught gesture": listed(this.taught(), "trained"),
      Fader: FADERS,
      "Touch mode": listed(TOUCHES, "touch"),
      Tag: TAG,
    });
    set("rule-form-title", rule ? "Change the rule" : "New rule");
    this.take(rule?.source.event || "");
    $("rule-conditions").value = rule?.source.conditions || "";
    $("rule-actions").value = (rule?.source.actions || []).join("\n");
    $("rule-name").value = rule?.name || "";
    set("rules-told", "");
    $("rule-form").hidden = false;
    $("rule-events").focus();
  }

  close() {
    this.stop("");
    $("rule-form").hidden = true;
    ($("rules").querySelector(`[data-key="${CSS.escape(this.opener || "")}"]`) || $("rule-new")).focus();
  }

  take(event) {
    $("rule-event").value = event;
    $("rule-events").value = event;
    if ($("rule-events").selectedIndex < 0) $("rule-events").selectedIndex = 0;
  }

  add(action) {
    const before = $("rule-actions").value.trimEnd();
    $("rule-actions").value = [before, action].filter(Boolean).join("\n");
  }

  record() {
    this.timer = setTimeout(() => this.stop("No gesture was seen. Is the tag connected, and attached to its garment?"), RECORDING_SECONDS * 1000);
    set("rule-record", "Stop waiting");
    tell("Make the gesture on the sleeve now.");
  }

  // gesture: a gesture that was made just now, on any tag.
  made(gesture) {
    if (!this.timer || gesture.may_be_copy) return;
    const name = gesture.name ? JSON.stringify(gesture.name) : gesture.number;
    this.take(`${gesture.taught ? "trained" : "gesture"} = ${name}`);
    this.stop(`Recorded: ${gesture.name || gesture.number}.`);
  }

  stop(text) {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = 0;
    set("rule-record", "Make the gesture now");
    tell(text);
  }

  get values() {
    const texts = ["rule-event", "rule-conditions"].map((id) => $(id).value.trim()), name = $("rule-name").value.trim();
    const event = [name && `name = ${JSON.stringify(name)}`, ...texts].filter(Boolean).join(", ");
    return { event, actions: $("rule-actions").value.split("\n").map((line) => line.trim()).filter(Boolean) };
  }

  async save() {
    const isNew = this.line === null, place = isNew ? {} : { line: this.line };
    const request = { action: isNew ? "add-rule" : "change-rule", version: isNew ? this.version() : this.opened, ...place };
    if (await this.send(request, "", isNew ? "The rule was added." : "The rule was changed.")) this.close();
  }

  async send(request, before, after) {
    tell(before);
    const error = await this.ask({ ...request, ...this.values });
    tell(error || after, Boolean(error));
    return !error;
  }
}

function tell(text, isBad = false) {
  set("rules-told", text);
  $("rules-told").className = isBad ? "bad" : "";
}

function fill(id, first, groups) {
  $(id).replaceChildren(element("option", { value: "", textContent: first }), ...Object.entries(groups).filter(([, options]) => Object.keys(options).length).map(([label, options]) => {
    const group = element("optgroup", { label });
    group.append(...Object.entries(options).map(([value, textContent]) => element("option", { value, textContent })));
    return group;
  }));
}

// The page: connects the board's messages, the drawings and the controls.

import { animation } from "./drawing.js";
import { HeatMap } from "./heat.js";
import { Link } from "./link.js";
import { $, clockTime, dateText, duration, element, latencyText, phaseName, showEvents, showGestures, showRules, showTags, showTaught, showTiles } from "./panels.js";
import { MotionChart, gapsText, moves as motionMoves, newGapsText, rateOf, valuesText } from "./motion.js";
import { watchPalette } from "./palette.js";
import { MARKS, Sleeve } from "./sleeve.js";
import { GESTURES, gestureName, Store, stateOf, titleOf } from "./store.js";
import { Strokes, strengths } from "./strokes.js";
import { Timeline } from "./timeline.js";

const COLORS = { red: "#ff0000", orange: "#ff8000", yellow: "#ffff00", green: "#00ff00", teal: "#008080", blue: "#0000ff", purple: "#8000ff", pink: "#ff60a0", white: "#ffffff" };
const VIBRATIONS = { insert: "Insert", gesture: "Gesture", notification: "Notification", error: "Error", alert: "Alert", off: "Stop" };
const MISHAPS = {
  "drop-link": "Drop the link", "out-of-range": "Out of range, 5 s", "kill-bluetoothd": "Kill bluetoothd",
  "adapter-off": "Adapter off, 4 s", "detach-gear": "Detach gear", "attach-gear": "Attach gear",
};
const LATEST_SECONDS = 2.5;
const SPEAK_PAUSE = 250;
// People cannot read values that change more often, and screen readers cannot announce gaps more often.
const VALUES_PAUSE = 250, GAPS_PAUSE = 3000;

const store = new Store();
const heat = new HeatMap($("heat"));
const acceleration = new MotionChart($("acceleration"), 1, [2, 4, 8], "g");
const rotation = new MotionChart($("rotation"), 4, [250, 500, 1000, 2000], "°/s");
const sleeve = new Sleeve($("sleeve"));
const timeline = new Timeline($("timeline"));
const link = new Link(receive, reportServer);
let shown = null, told = "", touching = false, dropped = 0;
// What is wrong with the board, and with the last request.
let serverTrouble = "", complaint = "";

const strokes = new Strokes($("sleeve"), () => sleeve.area(), {
  make: (name) => {
    if (shown?.mode !== "touch") link.send({ action: "gesture", value: name });
  },
  touch: () => {},
  lift: () => {
    if (shown?.mode === "touch") link.send({ action: "lift" });
  },
  moved: () => redraw(),
});

const redraw = animation(draw);
watchPalette(() => { refill(); redraw(); });
new ResizeObserver(redraw).observe($("sleeve"));
new ResizeObserver(redraw).observe($("heat"));

// The displayed time: the board's clock, or the position in a recording.
function nowOf(tag) {
  if (tag.source === "tag") return link.now();
  const { playing, position, speed } = tag.player;
  return playing ? Math.min(position + (link.now() - tag.playerSince) * speed, tag.duration) : position;
}

function draw() {
  const tag = shown;
  if (!tag) return Infinity;
  const now = nowOf(tag), kind = stateOf(tag.state?.phase);
  heat.draw(now, tag);
  timeline.draw(now, tag);
  showMotion(tag, now);
  touch(tag);
  const isStale = link.state !== "live", isConnected = kind === "connected" && !isStale;
  const moves = sleeve.draw({ now, tag, fingers: [...strokes.fingers.values()], connected: isConnected });
  const latest = tag.gestures.at(-1), isRecent = latest && now >= latest.time && now - latest.time < LATEST_SECONDS;
  $("latest").classList.toggle("old", !isRecent);
  showTimes(tag, now, isConnected);
  if (tag.source === "recording") showPosition(tag, now);
  if (isStale) return Infinity;
  if (moves || heat.moves(now, tag) || motionMoves(now, tag.motion) || tag.player?.playing) return 0;
  return isRecent ? 100 : 1000;
}

// While fingers are on the sleeve, the software tag senses them, like a tag at about 60 samples per second.
function touch(tag) {
  const positions = strokes.positions;
  if (!strokes.enabled || tag.mode !== "touch" || positions.length === 0) return;
  const on = positions.filter(({ y }) => y > -0.1 && y < 1.1).map(({ x }) => x);
  link.sendSoon({ action: "stroke", lines: strengths(on), proximity: on.length ? 128 : 0 });
}

function receive(message) {
  if (message.type === "error") {
    complain(message.error);
    return;
  }
  if (message.dropped) {
    dropped += message.dropped;
    showServer();
  }
  const before = store.selected?.key;
  const changes = store.apply(message);
  const selected = store.selected;
  if (selected?.key !== before || selected !== shown) return show(selected);
  for (const change of changes) if (change.tag === shown) update(change);
  frame();
  redraw();
}

function show(tag) {
  shown = tag;
  // The selected tag stays selected when another tag connects.
  if (tag && tag.source === "tag" && stateOf(tag.state?.phase) === "connected") store.wanted = tag.key;
  frame();
  if (!tag) return;
  if (tag.player) tag.playerSince = link.now();
  refill();
  $("latest").textContent = "";
  panels();
  redraw();
}

function refill() {
  heat.clear();
  if (shown) heat.add(shown.samples);
}

function update({ tag, whole, samples, motion, gestures, changed }) {
  if (whole) return show(tag);
  if (samples) heat.add(samples);
  if (motion) speakGaps(motion);
  if (changed.player) tag.playerSince = link.now();
  if (gestures) for (const gesture of gestures) arrived(tag, gesture);
  // Touch and motion data change nothing else on the page.
  if (Object.keys(changed).some((name) => !["key", "samples", "motion"].includes(name))) panels();
}

function arrived(tag, gesture) {
  const finish = () => {
    if (tag.source === "tag" && !gesture.taught) gesture.latency = Math.max(0, link.now() - (gesture.made ?? gesture.time));
    const about = gesture.taught ? "taught" : tag.source === "tag" ? latencyText(gesture) : "";
    $("latest").replaceChildren(gestureName(gesture), element("small", { textContent: about }));
    showGestures(tag, timeIn(tag));
  };
  requestAnimationFrame(finish);
  if (!gesture.may_be_copy) speak(gestureName(gesture));
}

function timeIn(tag) {
  return (time) => (tag.source === "tag" ? clockTime(store.started + time) : duration(time));
}

function panels() {
  const tag = shown;
  const isCurrent = link.state === "live";
  showTiles(tag, isCurrent);
  showGestures(tag, timeIn(tag));
  showEvents(tag, timeIn(tag));
  const isLive = tag.source === "tag", isConnected = isCurrent && stateOf(tag.state?.phase) === "connected";
  const canSimulate = store.simulated && isLive;
  for (const input of document.getElementsByName("mode")) {
    input.checked = input.value === (isLive ? tag.mode : tag.samples.length ? "touch" : "gesture");
    input.disabled = !isLive || !isCurrent;
  }
  $("mode").hidden = $("motion-switch").hidden = !isLive;
  $("motion").checked = Boolean(tag.streaming);
  $("motion").disabled = !isConnected && !(tag.streaming && isCurrent);
  $("controls").hidden = !isLive;
  $("simulation").hidden = !canSimulate;
  const isTouched = tag.mode === "touch";
  $("gestures-to-make").hidden = !canSimulate || isTouched;
  $("person-to-stroke").hidden = !canSimulate || !isTouched;
  $("player").hidden = isLive;
  $("shown").classList.toggle("recorded", !isLive);
  $("shown").classList.toggle("plain", isLive && !canSimulate);
  for (const button of $("controls").querySelectorAll("button, select")) button.disabled = !isConnected;
  for (const control of $("simulation").querySelectorAll("button, input")) control.disabled = !isCurrent;
  for (const control of $("player").querySelectorAll("button, input, select")) control.disabled = !isCurrent;
  const canTouch = canSimulate && isConnected && Boolean(tag.gear);
  for (const button of $("gestures-to-make").children) button.disabled = !canTouch;
  for (const control of $("person-to-stroke").querySelectorAll("button, input, select")) control.disabled = !canTouch;
  strokes.enable(canTouch);
  describeSleeve(canTouch, tag.line_health || []);
  $("hint").textContent = isCurrent ? hint(tag, canSimulate, isConnected) : "";
  if (canSimulate && tag.battery && document.activeElement !== $("charge")) {
    $("charge").value = tag.battery.percent;
    $("charging").checked = tag.battery.charging;
  }
  if (!isLive) showPlayer(tag);
  const kind = tag.state ? stateOf(tag.state.phase) : "";
  const reason = kind === "connected" ? "" : tag.state?.reason || "";
  if (told !== `${tag.key} ${kind}`) {
    told = `${tag.key} ${kind}`;
    speak(`${titleOf(tag)}: ${phaseName(tag.state?.phase)}. ${reason}`);
  }
}

function hint(tag, canSimulate, isConnected) {
  if (tag.source === "recording") {
    const date = dateText(tag.started);
    return `A recording${date && ` of ${date}`}: play it, or move the position with the slider.`;
  }
  if (!isConnected) return "The sleeve shows what the tag senses while it is connected.";
  if (!tag.gear) return "No gear is attached: the tag senses nothing. Put it into its garment or bag.";
  if (tag.mode === "touch") return (canSimulate ? "Touch the lines with mouse, finger or arrow keys, or select a stroke. " : "") + "In this mode the tag sends touch data and recognises no gestures." + (tag.mode_setter ? ` It was set by ${tag.mode_setter}.` : "");
  if (canSimulate) return "Stroke the sleeve in any direction, tap twice, or hold. With the keyboard: arrow keys, Enter, C.";
  return "The tag recognises gestures by itself. Select Touch to see its twelve lines.";
}

// health: of each line, as in the marks on the sleeve.
function describeSleeve(canTouch, health) {
  const canvas = $("sleeve");
  const broken = health.flatMap((each, line) => (MARKS[each] ? [`line ${line + 1} is ${each}`] : [])).join(", ");
  let text = "Sleeve with twelve touch lines";
  if (canvas.classList.toggle("touchable", canTouch)) {
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    text = "Sleeve to touch. Arrow keys brush, Enter taps twice, C covers.";
  } else {
    canvas.removeAttribute("tabindex");
    canvas.setAttribute("role", "img");
  }
  canvas.setAttribute("aria-label", broken ? `${text.replace(/\.$/, "")}. Broken: ${broken}.` : text);
}

function showTimes(tag, now, isConnected) {
  const recent = tag.samples.filter((sample) => sample[0] > now - 1 && sample[0] <= now).length;
  const text = recent ? `${recent} samples/s` : tag.mode === "touch" || tag.source === "recording" ? "no touch" : "";
  if ($("rate").textContent !== text) $("rate").textContent = text;
  const last = tag.events.at(-1), uptime = isConnected && last ? `for ${duration(now - last.time)}` : "";
  if ($("uptime").textContent !== uptime) $("uptime").textContent = uptime;
}

let valuesShown = 0;
function showMotion(tag, now) {
  $("moved").hidden = !tag.streaming && !tag.motion_problem && !motionMoves(now, tag.motion);
  if ($("moved").hidden) return;
  acceleration.draw(now, tag.motion);
  rotation.draw(now, tag.motion);
  if (performance.now() - valuesShown < VALUES_PAUSE) return;
  valuesShown = performance.now();
  const rate = rateOf(now, tag.motion), problem = tag.motion_problem;
  const texts = {
    "acceleration-now": tag.streaming ? valuesText(tag.motion, 1, 2, "g") : "",
    "rotation-now": tag.streaming ? valuesText(tag.motion, 4, 0, "°/s") : "",
    "motion-rate": tag.streaming ? (rate ? `${rate} samples/s` : "no motion data") : problem || "stopped",
    "motion-gaps": gapsText(now, tag.motion, timeIn(tag)),
  };
  for (const [id, text] of Object.entries(texts)) if ($(id).textContent !== text) $(id).textContent = text;
}

let gapsSpoken = -GAPS_PAUSE;
function speakGaps(items) {
  const text = newGapsText(items);
  if (!text || performance.now() - gapsSpoken < GAPS_PAUSE) return;
  gapsSpoken = performance.now();
  $("spoken-gaps").textContent = text;
}

function showPlayer(tag) {
  $("play").textContent = tag.player.playing ? "Pause" : "Play";
  $("seek").max = tag.duration;
  $("speed").value = String(tag.player.speed);
}

function showPosition(tag, now) {
  if (!touching) $("seek").value = now;
  const text = `${duration(now)} / ${duration(tag.duration)}`;
  if ($("position").textContent !== text) {
    $("position").textContent = text;
    $("seek").setAttribute("aria-valuetext", text);
  }
}

// The strokes of the simulated person, which the board knows.
function fillStrokes() {
  const menu = $("person-stroke"), groups = Object.entries(store.strokes || {});
  if (menu.children.length === groups.length) return;
  const option = (value) => element("option", { value, textContent: value[0].toUpperCase() + value.slice(1).replaceAll("-", " ") });
  menu.replaceChildren(...groups.map(([label, names]) => {
    const group = element("optgroup", { label });
    group.append(...names.map(option));
    return group;
  }));
}

// Everything around the selected tag.
function frame() {
  fillStrokes();
  showTags(store, shown, link.state === "live", (key) => { store.wanted = key; show(store.selected); });
  showRules(store.rules, (time) => clockTime(store.started + time));
  showTaught(store.taught, (time) => clockTime(store.started + time));
  $("shown").hidden = !shown;
  $("nothing").hidden = Boolean(shown) || link.state !== "live";
  const { adapter, searching, problem } = store.machine;
  $("search").hidden = !store.live || store.simulated;
  $("search").disabled = Boolean(searching) || link.state !== "live";
  $("search").textContent = searching ? "Searching …" : "Search for tags";
  $("nothing-text").textContent = searching
    ? "Searching for tags in range. Move one, or hold its button for three seconds until its light pulses."
    : "No tag is bound to this machine, and none was found. Hold a tag's button for three seconds until its light pulses, and search again.";
  const left = store.machine.left_out || 0;
  $("left-out").hidden = !left;
  $("left-out").textContent = `${left} more ${left === 1 ? "tag" : "tags"} in range not shown`;
  const trouble = shown?.source === "recording" ? "" : adapter?.message || problem || "";
  banner(serverTrouble || complaint || trouble);
  if (!shown) $("player").hidden = true;
}

function banner(text) {
  if ($("banner").textContent !== text) $("banner").textContent = text;
  $("banner").hidden = !text;
}

let errorTimer = 0;
function complain(text) {
  complaint = text;
  frame();
  clearTimeout(errorTimer);
  errorTimer = setTimeout(() => { complaint = ""; frame(); }, 6000);
}

function reportServer(state, text) {
  link.state = state;
  const last = link.ended !== null && store.started ? ` What is shown here is its state at ${clockTime(store.started + link.ended)}.` : "";
  if (state !== "waiting") {
    serverTrouble = {
      gone: `The board is not running, or not reachable.${last} This page continues when the board is reachable again.`,
      refused: `The board has been restarted. Open the link that jacquardctl board has printed.${last}`,
      full: text,
    }[state] || "";
  }
  showServer();
  if (shown) panels();
  frame();
  redraw();
}

function showServer() {
  const texts = { live: dropped ? `live, ${dropped} updates dropped` : "live", waiting: "reconnecting", gone: "not reachable", refused: "link needed", full: "full" };
  $("server").textContent = texts[link.state];
  $("server").dataset.state = link.state;
  $("shown").classList.toggle("stale", link.state !== "live");
}

// For screen readers: no more than they can announce.
let speakTimer = 0;
function speak(text) {
  clearTimeout(speakTimer);
  speakTimer = setTimeout(() => { $("spoken").textContent = text; }, SPEAK_PAUSE);
}

async function ask(request) {
  const error = await link.request({ tag: shown.key, ...request });
  if (error) complain(error);
  return error;
}

$("search").onclick = () => link.request({ action: "search" });
$("connect").onclick = () => ask({ action: shown.wanted ? "disconnect" : "connect" });
for (const input of document.getElementsByName("mode")) {
  input.onchange = async () => {
    if (await ask({ action: "mode", value: input.value })) panels();
  };
}
$("motion").onchange = async () => {
  if (await ask({ action: "motion", value: $("motion").checked })) panels();
};
const onGear = () => document.querySelector("input[name=where]:checked").value === "gear";
$("colors").append(...Object.entries(COLORS).map(([name, color]) => {
  const button = element("button", { type: "button", className: "swatch", title: name, ariaLabel: name });
  button.style.background = color;
  button.onclick = () => ask({ action: "light", color, pattern: $("pattern").value, gear: onGear() });
  return button;
}));
$("light-off").onclick = () => ask({ action: "light", color: null, gear: onGear() });
$("vibrations").append("Vibrate ", ...Object.entries(VIBRATIONS).map(([value, text]) =>
  element("button", { type: "button", textContent: text, onclick: () => ask({ action: "vibrate", value }) })));
$("gestures-to-make").append(...Object.entries(GESTURES).map(([value, [text, sign]]) =>
  element("button", { type: "button", textContent: `${sign} ${text}`, onclick: () => strokes.perform(value) })));
$("stroke").onclick = () => ask({ action: "person", value: $("person-stroke").value, person: Number($("person").value) });
$("mishaps").append(...Object.entries(MISHAPS).map(([value, text]) =>
  element("button", { type: "button", textContent: text, onclick: () => ask({ action: "simulate", value }) })));
const charge = () => ask({ action: "battery", percent: Number($("charge").value), charging: $("charging").checked });
$("charge").onchange = $("charging").onchange = charge;
$("play").onclick = () => ask({ action: shown.player.playing ? "pause" : "play" });
$("seek").oninput = () => { touching = true; link.sendSoon({ tag: shown.key, action: "seek", value: Number($("seek").value) }); };
$("seek").onchange = () => { touching = false; };
$("speed").onchange = () => ask({ action: "speed", value: Number($("speed").value) });
document.addEventListener("visibilitychange", () => redraw());

// For tests: the shown state.
window.board = { store, link, heat, strokes, receive };

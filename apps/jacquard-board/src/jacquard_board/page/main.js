// The page: connects the board's messages, the drawings and the controls.

import { Controls } from "./controls.js";
import { animation } from "./drawing.js";
import { HeatMap } from "./heat.js";
import { Link } from "./link.js";
import { describeSleeve, hint } from "./hints.js";
import { MotionPanel, moves as motionMoves } from "./motion.js";
import { $, clockTime, duration, element, latencyText, phaseName, showEvents, showGestures, showTags, showTaught, showTiles } from "./panels.js";
import { watchPalette } from "./palette.js";
import { RuleForm } from "./rule-form.js";
import { RuleList } from "./rules.js";
import { Sleeve } from "./sleeve.js";
import { gestureName, Store, stateOf, titleOf } from "./store.js";
import { Strokes, strengths } from "./strokes.js";
import { Timeline } from "./timeline.js";

const LATEST_SECONDS = 2.5;
const SPEAK_PAUSE = 250;

const store = new Store();
const heat = new HeatMap($("heat"));
const motionPanel = new MotionPanel();
const sleeve = new Sleeve($("sleeve"));
const timeline = new Timeline($("timeline"));
const link = new Link(receive, reportServer);
let shown = null, told = "", dropped = 0;
// The errors of the board and of the last request, as text.
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

const controls = new Controls({ ask, link, strokes, shown: () => shown, panels });
const form = new RuleForm(change, () => (store.taught?.gestures || []).map(({ name }) => name), () => store.rules?.version);
const ruleList = new RuleList(change, (rule) => form.open(rule));
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
  motionPanel.show(tag, now, timeIn(tag));
  touch(tag);
  const isStale = link.state !== "live", isConnected = kind === "connected" && !isStale;
  const moves = sleeve.draw({ now, tag, fingers: [...strokes.fingers.values()], connected: isConnected });
  const latest = tag.gestures.at(-1), isRecent = latest && now >= latest.time && now - latest.time < LATEST_SECONDS;
  $("latest").classList.toggle("old", !isRecent);
  showTimes(tag, now, isConnected);
  if (tag.source === "recording") controls.showPosition(tag, now);
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
  for (const { gestures = [], whole } of changes) if (!whole) gestures.forEach((gesture) => form.made(gesture));
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
  if (motion) motionPanel.speakGaps(motion);
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
  if (!isLive) controls.showPlayer(tag);
  const kind = tag.state ? stateOf(tag.state.phase) : "";
  const reason = kind === "connected" ? "" : tag.state?.reason || "";
  if (told !== `${tag.key} ${kind}`) {
    told = `${tag.key} ${kind}`;
    speak(`${titleOf(tag)}: ${phaseName(tag.state?.phase)}. ${reason}`);
  }
}

function showTimes(tag, now, isConnected) {
  const recent = tag.samples.filter((sample) => sample[0] > now - 1 && sample[0] <= now).length;
  const text = recent ? `${recent} samples/s` : tag.mode === "touch" || tag.source === "recording" ? "no touch" : "";
  if ($("rate").textContent !== text) $("rate").textContent = text;
  const last = tag.events.at(-1), uptime = isConnected && last ? `for ${duration(now - last.time)}` : "";
  if ($("uptime").textContent !== uptime) $("uptime").textContent = uptime;
}

// Everything around the selected tag.
function frame() {
  controls.fillStrokes(store.strokes);
  showTags(store, shown, link.state === "live", (key) => { store.wanted = key; show(store.selected); });
  ruleList.show(store.rules, (time) => clockTime(store.started + time));
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

// Changes the rules: the error is shown beside them.
function change(request) {
  return link.request({ tag: shown?.key, ...request });
}

async function ask(request) {
  const error = await link.request({ tag: shown.key, ...request });
  if (error) complain(error);
  return error;
}

document.addEventListener("visibilitychange", () => redraw());

// For tests: the shown state.
window.board = { store, link, heat, strokes, receive };

// All text on the page: the tiles and the lists. Text from a tag or a file is never parsed as HTML.

import { GESTURES, gestureName, state, stateOf, titleOf } from "./store.js";

export const $ = (id) => document.getElementById(id);

export function element(name, members = {}, ...children) {
  const made = document.createElement(name);
  const { dataset, ...others } = members;
  Object.assign(made, others);
  Object.assign(made.dataset, dataset);
  made.append(...children.filter(Boolean));
  return made;
}

export function set(id, text) {
  const node = $(id);
  if (node.textContent !== text) node.textContent = text;
}

const PHASES = {
  disconnected: "Disconnected", preparing: "Waiting", connecting: "Connecting", authenticating: "Pairing",
  initializing: "Setting up", configuring: "Setting up", connected: "Connected",
};

export function phaseName(phase) {
  return PHASES[phase] || phase || "Not connected";
}

export function clockTime(seconds, options = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }) {
  return new Date(seconds * 1000).toLocaleTimeString([], options);
}

export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds)), two = (part) => String(part).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// The date of a recording's first line, which other programs may have written; "" if it is not one.
export function dateText(started) {
  const date = new Date(started || NaN);
  return isNaN(date) ? "" : date.toLocaleString([], { dateStyle: "long", timeStyle: "short", hour12: false });
}

// isCurrent: whether the board is reachable; otherwise the state of tags is unknown.
export function showTags(store, selected, isCurrent, choose) {
  const wanted = [isCurrent, ...[...store.tags.values()].map((tag) => `${tag.key}|${titleOf(tag)}|${state(tag)}|${tag === selected}`)].join("\n");
  if ($("tags").dataset.shown === wanted) return;
  $("tags").dataset.shown = wanted;
  const focused = document.activeElement?.dataset?.key;
  $("tags").replaceChildren(...[...store.tags.values()].map((tag) => {
    const kind = tag.source === "recording" ? "recording" : state(tag);
    const about = !isCurrent && tag.source === "tag" ? "unknown" : { connected: "connected", trying: "connecting", off: "not connected", recording: "recording" }[kind];
    const button = element("button", { type: "button", dataset: { key: tag.key }, onclick: () => choose(tag.key) },
      element("span", { className: "dot", dataset: { state: isCurrent ? kind : "unknown" } }), titleOf(tag),
      element("span", { className: "hidden", textContent: `, ${about}` }));
    if (tag === selected) button.setAttribute("aria-current", "true");
    return element("li", {}, button);
  }));
  if (focused) $("tags").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

export function showTiles(tag, isCurrent) {
  const live = tag.source === "tag", now = tag.state, kind = stateOf(now?.phase);
  const phase = now ? phaseName(now.phase) : live ? "Not connected" : "No link yet";
  set("link", live && !isCurrent ? "Unknown" : phase);
  $("link").dataset.state = now && (isCurrent || !live) ? kind : "";
  const attempt = now?.attempt > 1 && kind === "trying" ? `attempt ${now.attempt}` : "";
  const step = kind === "trying" && now.step ? `step ${now.step} of ${now.steps}` : "";
  const reason = kind === "connected" ? "" : now?.reason || "";
  const note = [[step, attempt].filter(Boolean).join(", "), reason].filter(Boolean).join(" · ");
  set("link-note", live && !isCurrent ? `last: ${phase}` : note);
  $("link-progress").hidden = kind !== "trying" || !isCurrent;
  $("link-progress").max = now?.steps || 14;
  $("link-progress").value = now?.step || 0;
  $("connect").hidden = !live;
  set("connect", tag.ending ? "Disconnecting …" : tag.wanted ? "Disconnect" : "Connect");
  $("connect").disabled = !isCurrent || Boolean(tag.ending);
  $("connect").className = tag.wanted ? "" : "primary";

  const percent = tag.battery?.percent;
  set("battery", percent === undefined ? "–" : `${percent} %`);
  set("battery-note", percent === undefined ? "not reported yet" : tag.battery.charging ? "charging" : percent <= 10 ? "nearly empty" : "");
  $("battery-level").style.width = `${Math.min(percent || 0, 100)}%`;
  $("battery-level").parentNode.classList.toggle("low", percent <= 15);

  const rssi = tag.rssi ?? null;
  set("signal", rssi === null ? "–" : `−${Math.abs(rssi)} dBm`);
  set("signal-note", rssi === null ? (live ? "unknown" : "not recorded") : `${["very weak", "weak", "fair", "good", "strong"][bars(rssi)]}, last advertisement`);
  [...$("signal-bars").children].forEach((bar, i) => bar.classList.toggle("on", rssi !== null && i < bars(rssi)));

  const gear = tag.gear;
  set("gear", gear ? gear.product || gear.product_text || "Unknown" : "None");
  const firmware = tag.tag?.firmware ? `firmware ${tag.tag.firmware.join(".")}` : "";
  set("gear-note", [gear?.vendor, gear?.capabilities?.join(", "), firmware].filter(Boolean).join(" · "));
}

function bars(rssi) {
  return [-90, -80, -70, -60].filter((limit) => rssi >= limit).length;
}

export function latencyText(gesture) {
  if (gesture.latency === undefined) return "";
  return `${Math.max(1, Math.round(gesture.latency * 1000))} ms`;
}

export function showGestures(tag, time) {
  const last = tag.gestures.slice(-30).reverse();
  $("gestures").replaceChildren(...(last.length ? last.map((gesture) => element("li", {},
    element("span", { textContent: GESTURES[gesture.name]?.[1] || "◆", ariaHidden: "true" }),
    element("b", { textContent: gestureName(gesture) }),
    element("span", { textContent: gesture.may_be_copy ? "may be a copy" : gesture.taught ? "taught" : latencyText(gesture) }),
    element("time", { textContent: time(gesture.time) }))) : [element("li", { className: "none", textContent: "No gesture yet." })]));
  const known = tag.gestures.map((gesture) => gesture.latency).filter((latency) => latency !== undefined).sort((a, b) => a - b);
  const kind = tag.gestures.at(-1)?.made ? "finger to screen" : "receipt to screen";
  set("latency", known.length ? `${kind}, median ${Math.max(1, Math.round(known[known.length >> 1] * 1000))} ms` : "");
}

export function showEvents(tag, time) {
  const last = tag.events.slice(-40).reverse();
  $("events").replaceChildren(...(last.length ? last.map((event) => {
    const kind = stateOf(event.phase), item = element("div", {},
      element("b", { textContent: kind === "trying" ? "Connecting" : phaseName(event.phase), dataset: { state: kind } }),
      event.attempt > 1 ? ` attempt ${event.attempt}` : "");
    if (event.reason && kind !== "connected") {
      item.append(element("p", { textContent: event.reason }));
      if (event.advice) item.append(element("p", { textContent: `Advice: ${event.advice}` }));
    }
    return element("li", {}, element("time", { textContent: time(event.time) }), item);
  }) : [element("li", { className: "none", textContent: "Nothing has happened yet." })]));
}

// The gestures of jacquardctl gesture, with the last one made.
let shownTaught;
export function showTaught(taught, time) {
  if (taught === shownTaught) return;
  shownTaught = taught;
  const { file = "", problem = null, gestures = [] } = taught || {};
  $("taught").hidden = !problem && !gestures.length;
  set("taught-file", file);
  $("taught-problem").replaceChildren(...(problem ? [element("li", { textContent: problem })] : []));
  const last = Math.max(...gestures.map((gesture) => gesture.time ?? -1));
  $("taught-gestures").replaceChildren(...gestures.map((gesture) => element("li", { className: gesture.time === last ? "latest" : "" },
    element("b", { textContent: gesture.name }),
    element("span", { textContent: `${gesture.examples} examples` }),
    element("span", { textContent: gesture.count ? `made ${times(gesture.count)}, last at ${time(gesture.time)} by ${gesture.tag}` : "" }))));
}

export function times(count) {
  return count === 1 ? "once" : `${count} times`;
}

// The rules of jacquardctl run, with their results and buttons.

import { $, clockTime, element, set, times } from "./panels.js";

// All other reasons: not run.
const RESULTS = { ran: "ran", running: "still running", "dry-run": "matched", failed: "failed", "no-player": "failed" };

// How a rule is written in a request.
export function written({ name, source }) {
  const event = [name && `name = ${JSON.stringify(name)}`, source.event, source.conditions].filter(Boolean).join(", ");
  return { event, actions: source.actions };
}

export class RuleList {
  // ask: sends a request, and resolves to an error or null. change: opens the form for a rule.
  constructor(ask, change) {
    Object.assign(this, { ask, change });
    this.shown = null;
    // The key of the rule that would be removed by the next press of its button.
    this.removing = "";
    $("rules").addEventListener("focusout", () => {
      if (this.removing) setTimeout(() => this.confirm(""));
    });
  }

  show(rules, time) {
    if (rules === this.shown) return;
    Object.assign(this, { shown: rules, time });
    const { file = "", problems = [], obstacles = [], rules: all = [], may_edit: mayEdit = false } = rules || {};
    $("automations").hidden = !problems.length && !all.length && !mayEdit;
    $("rule-new").hidden = !mayEdit;
    set("rules-file", mayEdit ? file : `${file} · To change them here: jacquardctl board --edit-rules`);
    set("rules-state", obstacles.map(({ text }) => text).join(" "));
    $("problems").replaceChildren(...problems.map(({ line, text }) => element("li", { textContent: line ? `Line ${line}: ${text}` : text })));
    this.list();
  }

  list() {
    const all = this.shown?.rules || [], focused = document.activeElement?.dataset?.key;
    const last = Math.max(...all.map((rule) => rule.time ?? -1));
    const items = all.map((rule) => this.item(rule, rule.count && last - rule.time < 0.1));
    $("rules").replaceChildren(...(items.length ? items : [element("li", { className: "none", textContent: "No rule yet." })]));
    if (focused) $("rules").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  item(rule, isLatest) {
    const about = [rule.tags.join(", "), ...rule.conditions].filter(Boolean).join(" · ");
    const item = element("li", { className: [isLatest && "latest", !rule.is_enabled && "off"].filter(Boolean).join(" ") },
      element("b", { textContent: rule.name ? `${rule.name}: ${rule.event}` : rule.event }),
      element("span", {}, element("code", { textContent: rule.actions.join("; ") }), about && element("small", { textContent: ` ${about}` })),
      element("span", { className: "result" }, ...this.results(rule)));
    if (this.shown.may_edit) item.append(this.buttons(rule));
    return item;
  }

  // When it matched last, whether it ran, and why not.
  results(rule) {
    const lines = [];
    if (rule.count) lines.push(element("span", { textContent: `matched ${times(rule.count)}, last at ${this.time(rule.time)} by ${rule.tag}` }));
    const { last, last_ran: ran } = rule;
    if (last) {
      const isGood = ["ran", "running", "dry-run"].includes(last.reason);
      lines.push(element("span", { className: isGood ? "good" : "bad", textContent: `${clockTime(last.time)} ${last.tag} ${last.event}: ${resultOf(last)}` }));
    }
    if (ran && ran.time !== last?.time) lines.push(element("span", { textContent: `ran last at ${clockTime(ran.time)}` }));
    if (rule.ran || rule.not_run) lines.push(element("small", { textContent: `ran: ${rule.ran}, not run: ${rule.not_run}` }));
    for (const { text } of rule.obstacles) lines.push(element("span", { className: "bad", textContent: `Cannot run: ${text}` }));
    return lines.length ? lines : [element("small", { textContent: "no event yet" })];
  }

  buttons(rule) {
    const isOpen = this.shown.may_run_commands || !rule.may_run_commands, canChange = isOpen && rule.source, key = (name) => `${name} ${rule.line}`;
    const { version } = this.shown, place = { line: rule.line, version };
    const label = rule.name || rule.event;
    const button = (name, text, action, isShown = canChange) => isShown && element("button", {
      type: "button", textContent: text, ariaLabel: `${text}: ${label}`, dataset: { key: key(name) }, onclick: action,
    });
    const isSure = this.removing === key("remove");
    return element("div", { className: "row" },
      button("try", "Try", () => this.carryOut({ action: "try-rule", ...written(rule) }, `Trying ${label} …`, `${label}: tried, it worked.`)),
      button("change", "Change", () => this.change(rule)),
      rule.is_enabled
        ? button("switch", "Switch off", () => this.carryOut({ action: "switch-rule", value: false, ...place }, "", `${label}: switched off.`), true)
        : button("switch", "Switch on", () => this.carryOut({ action: "switch-rule", value: true, ...place }, "", `${label}: switched on.`), isOpen),
      button("remove", isSure ? "Really remove" : "Remove", () => {
        if (!isSure) return this.confirm(key("remove"));
        this.confirm("");
        return this.carryOut({ action: "remove-rule", ...place }, "", `${label}: removed.`);
      }, isOpen),
      !isOpen && element("small", { textContent: "It can run commands: see --allow-commands." }));
  }

  confirm(key) {
    if (this.removing === key || (!key && document.activeElement?.dataset?.key === this.removing)) return;
    this.removing = key;
    this.list();
  }

  async carryOut(request, before, after) {
    set("rules-told", before);
    const error = await this.ask(request);
    set("rules-told", error || after);
    $("rules-told").className = error ? "bad" : "";
  }
}

function resultOf({ reason, text }) {
  return (RESULTS[reason] || "not run") + (text ? `: ${text}` : "");
}

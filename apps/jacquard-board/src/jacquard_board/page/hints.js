// The sleeve in words: what can be done with it, and which lines are broken.

import { $, dateText } from "./panels.js";
import { MARKS } from "./sleeve.js";

export function hint(tag, canSimulate, isConnected) {
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

// health: the health of each line, as in the marks on the sleeve.
export function describeSleeve(canTouch, health) {
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

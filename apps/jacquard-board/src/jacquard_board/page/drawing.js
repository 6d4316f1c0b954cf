// Canvases as sharp as the screen, and frames only while something moves.

export function surface(canvas) {
  const context = canvas.getContext("2d");
  let width = 0, height = 0;
  function fit() {
    const scale = window.devicePixelRatio || 1;
    width = canvas.clientWidth;
    height = canvas.clientHeight;
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
  }
  return { context, fit, get width() { return width; }, get height() { return height; } };
}

// draw returns for how many milliseconds it needs no further frame: 0 for an animation, Infinity for a still picture.
export function animation(draw) {
  let frame = 0, timer = 0;
  function run() {
    frame = 0;
    const rest = draw(performance.now());
    if (rest <= 0) {
      request();
    } else if (rest !== Infinity) {
      timer = setTimeout(request, rest);
    }
  }
  function request() {
    clearTimeout(timer);
    if (!frame) frame = requestAnimationFrame(run);
  }
  return request;
}

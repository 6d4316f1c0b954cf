// The WebSocket to the board: messages, requests with replies, the board's clock, and reconnection.

const LONGEST_PAUSE = 5000;
const MOST_BUFFERED = 8192;
const PINGS = 4;
// A server that does not respond for this time is regarded as gone: the browser notices a lost machine or tunnel late.
const WATCH = 10000;
// The status of a WebSocket that is closed because there are too many.
const TRY_AGAIN_LATER = 1013;

// Reports its state: live, waiting (for a reconnection), gone (the board does not respond), full or refused; and a text.
export class Link {
  constructor(receive, report) {
    this.receive = receive;
    this.report = report;
    this.pending = new Map();
    this.number = 0;
    this.pause = 250;
    this.offset = 0;
    // The board's time at the end of the last connection, until the next one.
    this.ended = null;
    this.unanswered = 0;
    this.open();
    setInterval(() => this.watch(), WATCH);
  }

  open() {
    this.bestTrip = Infinity;
    const socket = this.socket = new WebSocket(new URL("live", location.href.replace("http", "ws")));
    socket.onopen = () => {
      this.unanswered = 0;
      for (let i = 0; i < PINGS; i++) setTimeout(() => this.ping(), i * 150);
    };
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = (event) => this.closed(event);
  }

  watch() {
    const { socket } = this;
    if (socket.readyState !== WebSocket.OPEN) return;
    if (this.unanswered) {
      socket.onclose = socket.onmessage = null;
      socket.close();
      this.closed();
    } else {
      this.unanswered++;
      this.ping();
    }
  }

  async closed(event) {
    if (this.ended === null) this.ended = this.now();
    for (const settle of this.pending.values()) settle("The board is not reachable.");
    this.pending.clear();
    if (event?.code === TRY_AGAIN_LATER) {
      this.report("full", event.reason);
      this.pause = LONGEST_PAUSE;
    } else {
      if (this.state === "live" || !this.state) this.report("waiting");
      let status = 0;
      try {
        status = (await fetch(location.pathname, { method: "HEAD", signal: AbortSignal.timeout(LONGEST_PAUSE) })).status;
      } catch {
        // The board is not running.
      }
      if (status === 403) {
        this.report("refused");
        return;
      }
      if (!status) this.report("gone");
    }
    setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(this.pause * 1.6, LONGEST_PAUSE);
  }

  take(message) {
    if (message.type === "pong") {
      this.unanswered = 0;
      const trip = performance.now() - message.id;
      if (trip < this.bestTrip) {
        this.bestTrip = trip;
        this.offset = message.now - (message.id + trip / 2) / 1000;
      }
    } else if (message.type === "reply") {
      const settle = this.pending.get(message.id);
      this.pending.delete(message.id);
      if (settle) settle(message.error);
      else if (message.error) this.receive({ type: "error", error: message.error });
    } else {
      if (this.bestTrip === Infinity) this.offset = message.now - performance.now() / 1000 || this.offset;
      if (message.type === "everything" && this.state !== "live") {
        this.pause = 250;
        this.ended = null;
        this.report("live");
      }
      this.receive(message);
    }
  }

  // Seconds of the board's clock, which stands still without a connection: nothing is known about that time.
  now() {
    return this.ended ?? performance.now() / 1000 + this.offset;
  }

  ping() {
    this.send({ action: "ping", id: performance.now() });
  }

  send(request) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  // For touches: drops messages that a slow connection would only delay.
  sendSoon(request) {
    if (this.socket.bufferedAmount < MOST_BUFFERED) this.send(request);
  }

  // Resolves to an error message, or null.
  request(request) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve("The board is not reachable.");
    const id = ++this.number;
    return new Promise((settle) => {
      this.pending.set(id, settle);
      this.send({ ...request, id });
    });
  }
}

// The pointer and the keyboard.

const TIMELINE_KEYS = [
  ["w s, + −, wheel", "zoom in and out"], ["a d, ← →, drag", "earlier and later"], ["↑ ↓, wheel over names", "scroll lanes"],
  ["f", "whole recording"], ["z", "zoom to the markers, or to the selection"], ["drag in the ruler", "set markers A and B"],
  ["[ ]", "set marker A or B at the pointer"], ["x", "remove the markers"], ["/", "search: text, field=value, field>value, field~text"],
  ["n N", "next and previous match"], [", .", "previous and next event of the selected lane"], ["e", "choose events"], ["t", "dark or light"], ["Esc", "close, then deselect"], ["?", "this list"],
];

class Input {
  constructor(page) {
    this.page = page;
    this.pointers = new Map();
    const { canvas } = page;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => this.up(event, kind));
    canvas.addEventListener("pointerleave", () => { if (this.pointers.size === 0) page.hover(null); });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => page.zoomAt(page.timeAt(event.offsetX), 0.25));
    document.addEventListener("keydown", (event) => this.key(event));
    const map = byId("map");
    const jump = (event) => { if (event.buttons) page.centre(event.offsetX / Math.max(map.clientWidth, 1) * page.length); };
    map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); jump(event); });
    map.addEventListener("pointermove", jump);
  }

  down(event) {
    const { page } = this;
    page.canvas.setPointerCapture(event.pointerId);
    page.canvas.focus({ preventScroll: true });
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.moved = this.pointers.size > 1;
    this.start = { x: event.offsetX, y: event.offsetY, ruler: event.offsetY < RULER && event.offsetX >= page.names };
    if (this.start.ruler) {
      const time = page.timeAt(event.offsetX), near = ["a", "b"].find((name) => page.markers[name] !== null && Math.abs(page.xOf(page.markers[name]) - event.offsetX) < 7);
      this.start.marker = near || "b";
      if (!near) this.start.first = time;
    }
  }
  move(event) {
    const { page } = this, held = this.pointers.get(event.pointerId);
    if (!held) return page.hover({ x: event.offsetX, y: event.offsetY, clientX: event.clientX, clientY: event.clientY });
    const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
    if (Math.hypot(event.offsetX - this.start.x, event.offsetY - this.start.y) > 4) this.moved = true;
    if (!this.moved) return;
    if (this.pointers.size === 2) this.pinch(event, held);
    else if (this.start.ruler) this.dragMarker(event);
    else page.pan(-dx, -dy);
    Object.assign(held, { x: event.offsetX, y: event.offsetY });
  }
  dragMarker(event) {
    const { page } = this, time = page.timeAt(event.offsetX);
    if (this.start.first !== undefined) page.setMarkers({ a: Math.min(this.start.first, time), b: Math.max(this.start.first, time) });
    else page.setMarkers({ [this.start.marker]: time });
  }
  pinch(event, held) {
    const { page } = this, other = Array.from(this.pointers.values()).find((one) => one !== held);
    const before = Math.max(Math.abs(held.x - other.x), 10), after = Math.max(Math.abs(event.offsetX - other.x), 10);
    page.zoomAt(page.timeAt(other.x), before / after);
    page.pan(0, -(event.offsetY - held.y) / 2);
  }
  up(event, kind) {
    const { page } = this, known = this.pointers.delete(event.pointerId);
    if (!known || this.pointers.size > 0) return;
    if (this.moved || kind === "pointercancel") return page.settle();
    if (this.start.ruler) return page.setMarkers({ a: null, b: null });
    page.click(event.offsetX, event.offsetY);
  }
  wheel(event) {
    event.preventDefault();
    const { page } = this, unit = event.deltaMode === 1 ? 16 : 1;
    if (event.offsetX < page.names && !event.ctrlKey) return page.pan(0, event.deltaY * unit);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return page.pan((event.deltaX || event.deltaY) * unit, 0);
    page.zoomAt(page.timeAt(event.offsetX), Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit / (event.ctrlKey ? 100 : 300)))));
  }

  key(event) {
    const { page } = this, typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") return this.escape(typing);
    if (event.target.id === "find" && event.key === "Enter") return page.search(event.shiftKey ? -1 : 1);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = () => page.pointer && page.pointer.x >= page.names ? page.timeAt(page.pointer.x) : page.view.from + page.view.span / 2;
    const pan = (share) => page.pan(share * page.plot, 0);
    const act = {
      w: () => page.zoomAt(middle(), 0.7), "+": () => page.zoomAt(middle(), 0.7), "=": () => page.zoomAt(middle(), 0.7),
      s: () => page.zoomAt(middle(), 1 / 0.7), "-": () => page.zoomAt(middle(), 1 / 0.7),
      a: () => pan(-0.15), ArrowLeft: () => pan(-0.15), d: () => pan(0.15), ArrowRight: () => pan(0.15),
      ArrowUp: () => page.pan(0, -60), ArrowDown: () => page.pan(0, 60), PageUp: () => page.pan(0, -page.lanesHeight()), PageDown: () => page.pan(0, page.lanesHeight()),
      f: () => page.look(0, page.length), z: () => page.zoomToChosen(), "[": () => page.setMarkers({ a: middle() }), "]": () => page.setMarkers({ b: middle() }),
      x: () => page.setMarkers({ a: null, b: null }), n: () => page.search(1), N: () => page.search(-1), ",": () => page.stepEvent(-1), ".": () => page.stepEvent(1),
      "/": () => { byId("find").focus(); byId("find").select(); }, e: () => page.togglePicker(), t: () => page.turnTheme(), "?": () => page.help(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    page.settle();
  }
  escape(typing) {
    if (byId("keys").open) return;
    if (typing) document.activeElement.blur();
    else if (!byId("picker").hidden) this.page.togglePicker();
    else this.page.select(null);
  }
}

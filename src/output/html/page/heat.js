// One column per second, fractions of the second from bottom to top: shows what sums over time hide, such as work every
// 100 ms. Dragging, or a first and a second click, selects a time range. Slots are joined to cells so that all of a second
// is visible at once.

const LEFT = 60;  // room for the labels of the fractions
const LEAST_CELL = 3;  // pixels

class HeatMap {
  constructor(profile, canvas, on) {
    Object.assign(this, { profile, canvas, on, slots: null, range: null, most: 0, joined: 1 });
    this.perSecond = Math.max(1, Math.round(1e9 / Math.max(profile.time.length, 1)));
    this.columns = Math.ceil(profile.time.slots / this.perSecond);
    this.rows = this.perSecond;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.from = this.cellAt(event);
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => {
      const cell = this.cellAt(event);
      if (this.from === undefined || cell === undefined) return;
      const range = this.span(this.from, cell);
      this.from = undefined;
      on.choose(range);
    });
    canvas.addEventListener("pointerleave", () => on.hover(null));
  }
  static fits(profile) { return profile.timed && profile.time.length <= 200e6; }

  // The slots of cells; the last cell of a second may be shorter.
  slotsOf(cell) {
    const second = Math.floor(cell / this.rows) * this.perSecond, first = second + cell % this.rows * this.joined;
    return [first, Math.min(first + this.joined, second + this.perSecond, this.profile.time.slots)];
  }
  span(a, b) { return [this.slotsOf(Math.min(a, b))[0], this.slotsOf(Math.max(a, b))[1]]; }
  cellAt(event) {
    const column = Math.floor((event.offsetX - LEFT) / this.wide), row = this.rows - 1 - Math.floor(event.offsetY / this.tall);
    const cell = column * this.rows + row;
    return column >= 0 && row >= 0 && row < this.rows && this.slotsOf(cell)[0] < this.profile.time.slots ? cell : undefined;
  }
  move(event) {
    const cell = this.cellAt(event);
    if (cell === undefined) return this.on.hover(null);
    if (this.from !== undefined) {
      this.range = this.span(this.from, cell);
      this.draw();
    }
    this.on.hover({ range: this.slotsOf(cell), value: this.sums[cell] }, event);
  }
  show(slots, range) {
    Object.assign(this, { slots, range });
    this.layOut();
    this.draw();
  }
  // Joins slots until a second fits, and sums the cells.
  layOut() {
    const room = this.canvas.parentElement;
    if (room.clientWidth === 0) return;
    this.joined = Math.max(1, Math.ceil(this.perSecond * LEAST_CELL / Math.max(room.clientHeight - 30, 60)));
    this.rows = Math.ceil(this.perSecond / this.joined);
    this.wide = Math.max(3, Math.floor((room.clientWidth - LEFT - 16) / this.columns));
    this.tall = Math.max(2, Math.min(26, Math.floor((room.clientHeight - 30) / this.rows)));
    this.sums = new Float64Array(this.rows * this.columns);
    this.slots.forEach((sum, slot) => {
      this.sums[Math.floor(slot / this.perSecond) * this.rows + Math.floor(slot % this.perSecond / this.joined)] += sum;
    });
    this.most = this.sums.reduce((max, sum) => Math.max(max, sum), 0);
  }

  draw() {
    const { canvas, sums, rows, columns } = this;
    const dark = document.documentElement.classList.contains("dark");
    if (!sums || canvas.parentElement.clientWidth === 0) return;
    const width = LEFT + this.wide * columns + 8, height = this.tall * rows + 22, ratio = window.devicePixelRatio || 1;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);

    for (let cell = 0; cell < sums.length && this.slotsOf(cell)[0] < this.profile.time.slots; ++cell) {
      const column = Math.floor(cell / rows), row = cell % rows;
      context.fillStyle = heatColor(sums[cell] / Math.max(this.most, 1e-9), dark);
      context.fillRect(LEFT + column * this.wide, (rows - 1 - row) * this.tall, this.wide - (this.wide > 5 ? 1 : 0), this.tall - (this.tall > 5 ? 1 : 0));
    }
    this.axes(context, height);
    if (this.range) this.outline(context);
  }
  axes(context, height) {
    context.fillStyle = cssColor("--dim");
    context.font = "11px system-ui, sans-serif";
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const y = (1 - part) * this.tall * this.rows;
      context.fillText(`${part * 1000} ms`, 0, Math.min(Math.max(y + 4, 10), this.tall * this.rows));
    }
    const every = Math.max(1, Math.ceil(50 / this.wide));
    for (let column = 0; column < this.columns; column += every) context.fillText(`${column} s`, LEFT + column * this.wide, height - 6);
  }
  outline(context) {
    context.strokeStyle = cssColor("--accent");
    context.lineWidth = 2;
    const [from, to] = this.range;
    for (let column = Math.floor(from / this.perSecond); column * this.perSecond < to; ++column) {
      const low = Math.floor(Math.max(from - column * this.perSecond, 0) / this.joined);
      const high = Math.ceil(Math.min(to - column * this.perSecond, this.perSecond) / this.joined);
      context.strokeRect(LEFT + column * this.wide, (this.rows - high) * this.tall, this.wide - 1, (high - low) * this.tall - 1);
    }
  }
}

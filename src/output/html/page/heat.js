// One column per second, fractions of the second from bottom to top: shows what sums over time hide, such as work every
// 100 ms. Dragging, or a first and a second click, selects a time range.

const LEFT = 60;  // room for the labels of the fractions

class HeatMap {
  constructor(profile, canvas, on) {
    Object.assign(this, { profile, canvas, on, slots: null, range: null });
    const { length, slots } = profile.time;
    this.rows = Math.max(1, Math.round(1e9 / Math.max(length, 1)));
    this.columns = Math.ceil(slots / this.rows);
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.from = this.slotAt(event);
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => {
      const slot = this.slotAt(event);
      if (this.from === undefined || slot === undefined) return;
      const range = [Math.min(this.from, slot), Math.max(this.from, slot) + 1];
      this.from = undefined;
      on.choose(range);
    });
    canvas.addEventListener("pointerleave", () => on.hover(null));
  }
  static fits(profile) { return profile.timed && profile.time.length <= 200e6; }

  place(slot) { return [Math.floor(slot / this.rows), slot % this.rows]; }
  slotAt(event) {
    const column = Math.floor((event.offsetX - LEFT) / this.wide), row = this.rows - 1 - Math.floor(event.offsetY / this.tall);
    const slot = column * this.rows + row;
    return column >= 0 && row >= 0 && row < this.rows && slot < this.profile.time.slots ? slot : undefined;
  }
  move(event) {
    const slot = this.slotAt(event);
    if (slot === undefined) return this.on.hover(null);
    if (this.from !== undefined) {
      this.range = [Math.min(this.from, slot), Math.max(this.from, slot) + 1];
      this.draw();
    }
    this.on.hover({ slot, value: this.slots[slot] }, event);
  }
  // `most`: the value of the strongest colour.
  show(slots, range, most) {
    Object.assign(this, { slots, range, most });
    this.draw();
  }

  draw() {
    const { canvas, slots, rows, columns } = this;
    const room = canvas.parentElement, dark = document.documentElement.classList.contains("dark");
    if (!slots || room.clientWidth === 0) return;
    this.wide = Math.max(3, Math.floor((room.clientWidth - LEFT - 16) / columns));
    this.tall = Math.max(2, Math.min(26, Math.floor((room.clientHeight - 30) / rows)));
    const width = LEFT + this.wide * columns + 8, height = this.tall * rows + 22, ratio = window.devicePixelRatio || 1;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);

    for (let slot = 0; slot < slots.length; ++slot) {
      const [column, row] = this.place(slot);
      context.fillStyle = heatColor(slots[slot] / Math.max(this.most, 1e-9), dark);
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
    for (let column = Math.floor(from / this.rows); column * this.rows < to; ++column) {
      const low = Math.max(from - column * this.rows, 0), high = Math.min(to - column * this.rows, this.rows);
      context.strokeRect(LEFT + column * this.wide, (this.rows - high) * this.tall, this.wide - 1, (high - low) * this.tall - 1);
    }
  }
}

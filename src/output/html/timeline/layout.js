// The list of lanes, from top to bottom: CPUs, tasks by process, events, devices and cgroups.

const HEIGHTS = { head: 20, cpu: 30, step: 15, process: 18, task: 30, type: 16, device: 16, cgroup: 16 };

class Layout {
  constructor(store) {
    this.store = store;
    this.closed = new Set();
    this.find = "";
    this.shown = null;  // by type; null: all
    this.version = 0;   // of `shown`
    this.changes = 0;   // of the list of lanes
    const { head, overview } = store, { tasks } = head;
    // Processes by run time, then by events; the threads of each likewise.
    const processes = new Map();
    for (let task = 1; task < head.taskCount; ++task) {
      const pid = tasks.pid[task] || tasks.tid[task];
      if (!processes.has(pid)) processes.set(pid, { pid, run: 0, events: 0, threads: [] });
      const process = processes.get(pid);
      process.run += tasks.run[task];
      process.events += tasks.events[task];
      process.threads.push(task);
    }
    const busiest = (run, events) => (a, b) => run(b) - run(a) || events(b) - events(a);
    this.processes = Array.from(processes.values()).sort(busiest((one) => one.run, (one) => one.events));
    for (const process of this.processes) process.threads.sort(busiest((task) => tasks.run[task], (task) => tasks.events[task]));
    this.hasSteps = ["power:cpu_frequency", "power:cpu_idle"].map((name) => head.types.some((type) => type.name === name && type.count > 0));
    this.states = overview.taskRuns.length > 0;
    this.make();
  }

  visible(type) { return !this.shown || this.shown[type] === 1; }
  show(shown) {
    this.shown = shown.every((own) => own === 1) ? null : shown;
    ++this.version;
    for (const block of this.store.blocks) if (block.rows) block.rows.forgetEvents();
    this.make();
  }

  make() {
    const { head } = this.store, lanes = [];
    const add = (lane) => lanes.push({ height: HEIGHTS[lane.kind], ...lane });
    const section = (key, title, fill) => {
      add({ kind: "head", key, name: title });
      if (!this.closed.has(key)) fill();
    };
    section("cpus", counted(head.cpus.length, "CPU"), () => {
      for (const cpu of head.cpus) {
        add({ kind: "cpu", owner: cpu, name: `CPU ${cpu}` });
        ["frequency", "idle state"].forEach((name, step) => { if (this.hasSteps[step]) add({ kind: "step", step, owner: cpu, name }); });
      }
    });
    const wanted = this.wantedTasks();
    if (wanted.count > 0 || this.find) section("tasks", counted(wanted.count, "task"), () => this.addTasks(wanted, add));
    const types = head.types.map((type, at) => at).filter((at) => head.types[at].count > 0 && this.visible(at));
    if (types.length > 0) section("events", counted(types.length, "event"), () => {
      for (const type of types) add({ kind: "type", owner: type, name: head.types[type].name });
    });
    if (head.devices.length > 0) section("devices", "Devices", () => head.devices.forEach((name, owner) => add({ kind: "device", owner, name: `disk ${name}` })));
    if (head.cgroups.length > 0) section("cgroups", "Cgroups", () => head.cgroups.forEach((name, at) => add({ kind: "cgroup", owner: at + 1, name })));
    let y = 0;
    for (const lane of lanes) {
      lane.y = y;
      y += lane.height;
    }
    Object.assign(this, { lanes, height: y });
    ++this.changes;
    this.laneOfTask = new Map(lanes.filter((lane) => lane.kind === "task").map((lane) => [lane.owner, lane]));
    this.laneOfCpu = new Map(lanes.filter((lane) => lane.kind === "cpu").map((lane) => [lane.owner, lane]));
  }
  wantedTasks() {
    const find = this.find.toLowerCase();
    let count = 0;
    const processes = this.processes.map((process) => {
      const threads = find ? process.threads.filter((task) => this.store.taskName(task).toLowerCase().includes(find)) : process.threads;
      count += threads.length;
      return { ...process, threads };
    }).filter((process) => process.threads.length > 0);
    return { processes, count };
  }
  addTasks({ processes }, add) {
    const { tasks } = this.store.head;
    for (const process of processes) {
      const key = "process" + process.pid, many = process.threads.length > 1;
      if (many) {
        const main = process.threads.find((task) => tasks.tid[task] === process.pid) ?? process.threads[0];
        add({ kind: "process", key, owner: process.pid, threads: process.threads, name: `${tasks.comm[main]} ${process.pid} · ${process.threads.length} threads` });
        if (this.closed.has(key)) continue;
      }
      for (const task of process.threads) add({ kind: "task", owner: task, name: many ? "  " + tasks.comm[task] + " " + tasks.tid[task] : this.store.taskName(task) });
    }
  }
  // The lane at a height, or null.
  at(y) {
    let low = 0, high = this.lanes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.lanes[middle].y + this.lanes[middle].height <= y) low = middle + 1;
      else high = middle;
    }
    return low < this.lanes.length && y >= this.lanes[low].y ? this.lanes[low] : null;
  }
}

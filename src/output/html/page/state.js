// The state of the page, kept in the address after #, so that links reproduce the view and the browser's back button works.

const FIRST_STATE = {
  view: "flame", series: 0, measure: "period", down: false, reversed: false, zoom: [], find: "", range: null,
  frame: -1, lanes: "", sort: "own", code: -1, threads: [], merged: false, named: "", ordered: false, file: "",
};

class State {
  constructor(first) {
    this.first = { ...FIRST_STATE, ...first };
    Object.assign(this, this.first);
  }
  write(replace) {
    const parts = [];
    for (const key of Object.keys(FIRST_STATE)) {
      const value = this[key];
      if (JSON.stringify(value) === JSON.stringify(this.first[key])) continue;
      parts.push(key + "=" + encodeURIComponent(Array.isArray(value) ? value.join(".") : String(value)));
    }
    const hash = "#" + parts.join("&");
    if (hash === (window.location.hash || "#")) return;
    try {
      window.history[replace ? "replaceState" : "pushState"](null, "", hash);
    } catch (error) { /* not permitted in frames */ }
  }
  read(profile) {
    Object.assign(this, this.first);
    for (const part of window.location.hash.slice(1).split("&")) {
      const [key, raw] = part.split("=");
      if (!(key in FIRST_STATE) || raw === undefined) continue;
      let text = "";
      try { text = decodeURIComponent(raw); } catch (error) { continue; }
      const numbers = text.split(".").map(Number);
      if (key === "zoom") this.zoom = numbers.filter((at) => at >= 0 && at < profile.frameNames.length);
      else if (key === "threads") this.threads = profile.threaded ? numbers.filter((at) => profile.lanes.rows[at] && profile.lanes.rows[at].cpu === undefined) : [];
      else if (key === "range") this.range = numbers.length === 2 && numbers[0] >= 0 && numbers[0] < numbers[1] && numbers[1] <= profile.time.slots ? numbers : null;
      else if (typeof this.first[key] === "boolean") this[key] = text === "true";
      else if (typeof this.first[key] === "number") this[key] = Number.isInteger(Number(text)) ? Number(text) : this.first[key];
      else this[key] = text;
    }
    if (this.series < 0 || this.series >= profile.series.length) this.series = 0;
    if (this.frame >= profile.frameNames.length) this.frame = -1;
    if (this.measure !== "samples") this.measure = "period";
  }
}

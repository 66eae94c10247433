// Facts about the recording, what is missing from it, and what this page omits.

function factTable(facts) {
  const body = element("tbody");
  for (const [label, text] of facts) body.append(element("tr", {}, element("td", { textContent: label }), element("td", { textContent: text })));
  return element("table", {}, body);
}

function showAbout(profile, host) {
  const parts = [element("h2", { textContent: "Recording" }), factTable(profile.facts)];
  parts.push(element("h2", { textContent: "Events" }), factTable(profile.series.map((series) => [
    series.name, `${grouped(series.samples.reduce((a, b) => a + b, 0))} samples, ${amount(series.period.reduce((a, b) => a + b, 0), series.unit)}`])));
  parts.push(element("h2", { textContent: "Missing data" }));
  if (profile.losses) parts.push(element("pre", { className: "warn", textContent: profile.losses }));
  else parts.push(element("p", { textContent: "None: no record was lost, damaged or skipped." }));
  if (profile.narrow > 0)
    parts.push(element("p", { textContent: `To keep this page small, stacks below ${(profile.narrow * 100).toPrecision(2)} % are merged into [narrower stacks].` }));
  if (profile.lanes && !profile.threaded) parts.push(element("p", { textContent: "To keep this page small, stacks of all threads are merged: threads cannot be selected." }));
  if (profile.header) parts.push(element("h2", { textContent: "Header" }), element("pre", { textContent: profile.header }));
  parts.push(element("p", { textContent: `Written by ${profile.made_by}.` }));
  host.replaceChildren(...parts);
}

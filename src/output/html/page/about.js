// What the recording says of itself, what is missing from it, and what this page left out.

function factTable(facts) {
  const body = element("tbody");
  for (const [label, text] of facts) body.append(element("tr", {}, element("td", { textContent: label }), element("td", { textContent: text })));
  return element("table", {}, body);
}

function showAbout(profile, host) {
  const parts = [element("h2", { textContent: "Recording" }), factTable(profile.facts)];
  parts.push(element("h2", { textContent: "Events" }), factTable(profile.series.map((series) => [
    series.name, `${grouped(series.samples.reduce((a, b) => a + b, 0))} samples, ${amount(series.period.reduce((a, b) => a + b, 0), series.unit)}`])));
  parts.push(element("h2", { textContent: "What is missing" }));
  if (profile.losses) parts.push(element("pre", { className: "warn", textContent: profile.losses }));
  else parts.push(element("p", { textContent: "Nothing: no record was lost, broken or left out." }));
  if (profile.narrow > 0)
    parts.push(element("p", { textContent: `To keep this page small, stacks of less than ${(profile.narrow * 100).toPrecision(2)} % are shown together, as [narrower stacks].` }));
  if (profile.header) parts.push(element("h2", { textContent: "Header" }), element("pre", { textContent: profile.header }));
  parts.push(element("p", { textContent: `Written by ${profile.made_by}.` }));
  host.replaceChildren(...parts);
}

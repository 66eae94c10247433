// The box beside the pointer, buttons that stay pressed, and the list of keys.

function placeTip(event) {
  const tip = byId("tip");
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), x = event.clientX + 14, y = event.clientY + 16;
  tip.style.left = Math.max(4, x + box.width > innerWidth ? event.clientX - box.width - 10 : x) + "px";
  tip.style.top = Math.max(4, y + box.height > innerHeight ? event.clientY - box.height - 10 : y) + "px";
}

function toggle(words, on, act, title) {
  const button = element("button", { textContent: words, title });
  button.setAttribute("aria-pressed", String(on));
  button.onclick = act;
  return button;
}

// Opens the dialog with [key, what it does] pairs.
function showKeys(title, keys) {
  const body = element("tbody", {}, ...keys.map(([key, words]) => element("tr", {}, element("td", {}, element("kbd", { textContent: key })), element("td", { textContent: words }))));
  const dialog = byId("keys");
  dialog.replaceChildren(element("h2", { textContent: title }), element("table", {}, body));
  dialog.showModal();
}

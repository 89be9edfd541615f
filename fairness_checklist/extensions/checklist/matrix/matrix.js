// One script for the page, whose cases stand in its markup, and for the widget, which asks the kernel for them.
const PAGE = 10;
const SLOW = 4000;
const KINDS = [["fail", "failing"], ["pass", "passing"], ["all", "all"]];
let groups = 0;

function make(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

// The cases that stand in a list: taken out of the document, so that only one page of them is laid out.
function casesOf(list) {
  const all = [...list.children];
  list.replaceChildren();
  const words = (one) => [...one.querySelectorAll("blockquote, .predicted, .label")].map((part) => part.textContent).join("\n").toLowerCase();
  return async ({ which, text, start, count }) => {
    const wanted = text.toLowerCase();
    const found = all.filter((one) => (which === "all" || one.dataset.state === which) && (!wanted || words(one).includes(wanted)));
    return { nodes: found.slice(start, start + count), more: found.length > start + count, total: found.length };
  };
}

function kernel(model) {
  const waiting = new Map();
  const own = Math.random().toString(36).slice(2);
  let sent = 0;
  const heard = (reply) => {
    const settle = waiting.get(reply.request);
    if (!settle) return;
    waiting.delete(reply.request);
    if (reply.error) return settle.reject(new Error(reply.error));
    const holder = make("template", { innerHTML: reply.html });
    settle.resolve({ nodes: [...holder.content.children], more: reply.more, total: null });
  };
  model.on("msg:custom", heard);
  const ask = (test, query) => new Promise((resolve, reject) => {
    const request = `${own}-${(sent += 1)}`;
    waiting.set(request, { resolve, reject });
    model.send({ request, test: Number(test.dataset.test), ...query });
  });
  return [ask, () => model.off("msg:custom", heard)];
}

function browse(test, ask) {
  const list = test.querySelector("ol.cases");
  if (!list) return;
  const counts = test.dataset;
  let which = Number(counts.fail) ? "fail" : "all", text = "", start = 0, more = false, busy = false, again = false, pause;
  const group = `fc-cases-${(groups += 1)}`;
  const choice = make("fieldset", {}, make("legend", { className: "unseen", textContent: "Cases that are shown" }));
  for (const [kind, word] of KINDS) {
    const radio = make("input", { type: "radio", name: group, value: kind, checked: kind === which });
    radio.addEventListener("change", () => { which = kind; start = 0; show(); });
    choice.append(make("label", {}, radio, `${word} (${Number(counts[kind]).toLocaleString("en")})`));
  }
  const field = make("input", { type: "search", placeholder: "Show only cases with ..." });
  field.setAttribute("aria-label", "Show only cases with this text");
  field.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => { text = field.value; start = 0; show(); }, 150);
  });
  const status = make("span", { className: "shown" });
  status.setAttribute("role", "status");
  const step = (word, by, can) => {
    const button = make("button", { type: "button", textContent: word });
    button.addEventListener("click", () => { if (!busy && can()) { start += by; show(); } });
    return button;
  };
  const back = step("Previous", -PAGE, () => start > 0);
  const next = step("Next", PAGE, () => more);
  const lines = [make("div", { className: "tools" }, choice, field), make("div", { className: "tools" }, back, next, status)];
  list.before(...lines);

  // One question at a time: what is chosen meanwhile is asked last, and answers in between are not shown.
  async function show() {
    again = busy;
    if (busy) return;
    busy = true;
    list.setAttribute("aria-busy", "true");
    do {
      again = false;
      await fill();
    } while (again);
    busy = false;
    list.removeAttribute("aria-busy");
    back.setAttribute("aria-disabled", String(start === 0));
    next.setAttribute("aria-disabled", String(!more));
  }

  async function fill() {
    const slow = setTimeout(() => {
      status.textContent = "The kernel has not answered yet: it is busy, or it was restarted. After a restart, run the cell again.";
    }, SLOW);
    try {
      const page = await ask({ which, text, start, count: PAGE });
      if (again) return;
      list.replaceChildren(...page.nodes);
      more = page.more;
      const shown = page.nodes.length;
      const total = page.total ?? (!text ? Number(counts[which]) : more ? null : start + shown);
      const end = (start + shown).toLocaleString("en");
      status.textContent = shown ? `Cases ${(start + 1).toLocaleString("en")} to ${end}${total === null ? "" : ` of ${total.toLocaleString("en")}`}` : "No such cases.";
    } catch (error) {
      list.replaceChildren();
      more = false;
      status.textContent = `The cases could not be had. ${error.message}`;
    } finally {
      clearTimeout(slow);
    }
  }
  show();
}

// A cell of the matrix becomes a button that shows its tests alone; pressed again, it shows all.
function choose(root) {
  const sections = [...root.querySelectorAll("details.cell")];
  const buttons = [...root.querySelectorAll("details.pick")].map((one) => {
    const button = make("button", { type: "button", className: "pick" }, ...one.querySelector("summary").childNodes);
    button.dataset.cell = one.dataset.cell;
    button.setAttribute("aria-pressed", "false");
    one.replaceWith(button);
    return button;
  });
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const chosen = button.getAttribute("aria-pressed") === "true" ? null : button;
      buttons.forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));
      for (const one of sections) {
        const own = chosen !== null && one.dataset.cell === chosen.dataset.cell;
        one.hidden = chosen !== null && !own;
        one.open = own;
        if (own) one.scrollIntoView({ block: "nearest" });
      }
    });
  }
}

function start(root, asker) {
  choose(root);
  for (const test of root.querySelectorAll("details.test")) {
    let ready = false;
    test.addEventListener("toggle", () => {
      if (test.open && !ready) {
        ready = true;
        browse(test, asker(test));
      }
    });
  }
}

for (const root of document.querySelectorAll(".fc-matrix[data-static]")) {
  start(root, (test) => casesOf(test.querySelector("ol.cases") ?? make("ol")));
}

function render({ model, el }) {
  const [ask, stop] = kernel(model);
  el.innerHTML = model.get("html");
  start(el, (test) => (query) => ask(test, query));
  return stop;
}

export default { render };

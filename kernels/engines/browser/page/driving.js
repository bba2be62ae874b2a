// The interface between the browser and a page: one function that receives the name of an operation and its argument as JSON.
//
// Operations that change the page are stored in its log. The page is rebuilt by running the log in order. All other operations only read.

const element = (place) => {
  const root = place.frame == null ? document : frames()[place.frame][FRAME].document;
  return elementsBelow(root)[place.index];
};
const frames = () => elementsBelow(document).filter((one) => one.localName === "iframe");
const placeOf = (one) => {
  const frame = frameOf(one);
  return { frame, index: elementsBelow(frame === null ? document : frames()[frame][FRAME].document).indexOf(one) };
};
const previewOf = (one) => {
  if (one.nodeType !== 1) return `<#${one.nodeName}/>`;
  const flags = new Set(["checked", "selected", "disabled", "readonly", "multiple"]),
    all = [];
  for (const [name, value] of one[ATTRS]) {
    if (name === "style") continue;
    all.push(!value && flags.has(name) ? ` ${name}` : ` ${name}="${value}"`);
  }
  all.sort((a, b) => a.length - b.length);
  const own = cut(all.join(""), 500);
  if (VOID.has(one.localName)) return text1(`<${one.localName}${own}/>`);
  const kids = one[KIDS];
  const inner =
    kids.length <= 5 && kids.length > 0 && kids.every((kid) => kid.nodeType === 3)
      ? cut(one.textContent, 50)
      : kids.length
        ? "\u2026"
        : "";
  return text1(`<${one.localName}${own}>${inner}</${one.localName}>`);
};
const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "\u2026" : text),
  text1 = (text) => text.replace(/\n/g, "\u21b5").replace(/\t/g, "\u21c6");
const about = (one) => ({
  ...placeOf(one),
  preview: previewOf(one),
  tag: one.localName,
  type: one.type ?? null,
  visible: one[OWNER] === document || rootOf(one) === document ? visible(one) : visibleInFrame(one),
  enabled: !disabledFor(one),
  editable: editable(one),
  checked: one.checked === true,
  contentEditable: one.isContentEditable === true,
  multiple: one.multiple === true,
  box: box(one),
  connected: one.isConnected,
  rendered: rendered(one),
  html: one instanceof HTMLElement,
  role: one.getAttribute("role"),
  webkitdirectory: one.hasAttribute("webkitdirectory"),
  options:
    one.localName === "select"
      ? optionsOf(one).map((option) => ({
          value: option.value,
          label: option.label,
          text: flat(option.textContent),
          disabled: disabled(option),
        }))
      : null,
  readonly: one.hasAttribute("readonly"),
});
const visibleInFrame = (one) => {
  for (let at = one; at?.nodeType === 1; at = at[UP]) {
    const said = declarations(at.getAttribute("style") || "");
    if (natural(at) === "none" || said.get("display") === "none" || said.get("visibility") === "hidden") return false;
  }
  const own = frameBox(one);
  return own.width > 0 && own.height > 0;
};
const disabledFor = (one) => {
  for (let at = one; at?.nodeType === 1; at = at[UP]) {
    if (disabled(at)) return true;
    if (at.getAttribute("aria-disabled") === "true") return true;
  }
  return false;
};
const run = (node) => {
  for (const one of walk(node)) {
    if (one.nodeType === 1 && rootOf(one) === document) known(one);
    if (one.localName === "script" && !one[FORM].ran && one.isConnected) {
      one[FORM].ran = true;
      if (one.hasAttribute("src")) effects.push({ kind: "script", url: one.src });
      else if (scriptable(one)) guarded(() => (0, eval)(texts(one)));
    } else if (one.localName === "iframe" && one.isConnected) opened(one);
  }
};
const fieldsOf = (root) =>
  elementsBelow(root)
    .filter(
      (one) =>
        /^(input|select|textarea)$/.test(one.localName) &&
        !/^(password|hidden|file|submit|button|reset|image)$/.test(one.type) &&
        one.getAttribute("autocomplete") !== "off",
    )
    .map((one) => ({
      name: one.getAttribute("name") || one.id,
      type: one.type,
      value: one[FORM].value ?? null,
      checked: one[FORM].checked ?? null,
      chosen:
        one.localName === "select"
          ? optionsOf(one)
              .map((option, i) => (chosen(one).includes(option) ? i : -1))
              .filter((i) => i >= 0)
          : null,
    }));
// Restore the values that the user had left in the fields when a page is visited again.
const restored = (held, root) => {
  const all = elementsBelow(root).filter((one) => /^(input|select|textarea)$/.test(one.localName));
  for (const own of held) {
    const i = all.findIndex((one) => one.type === own.type && (one.getAttribute("name") || one.id) === own.name);
    if (i < 0) continue;
    const [one] = all.splice(i, 1);
    if (own.value !== null) one[FORM].value = own.value;
    if (own.checked !== null) one[FORM].checked = own.checked;
    if (own.chosen !== null)
      choose(
        one,
        optionsOf(one).filter((_, n) => own.chosen.includes(n)),
      );
  }
};
// Named access on the window: an element is a property under its id (some kinds also under their name), unless the name is
// taken. Several elements of one name are a list; the name of a frame is its window.
const names = new Map();
const namesOf = (one) =>
  [one[ATTRS].get("id"), /^(embed|form|iframe|img|object)$/.test(one.localName) ? one[ATTRS].get("name") : ""].filter(
    Boolean,
  );
const known = (one) => {
  for (const name of namesOf(one)) {
    if (name in window) continue;
    const get = () => {
      const all = elementsBelow(document).filter((one) => namesOf(one).includes(name)),
        frame = all.find((one) => one[FRAME] && one[ATTRS].get("name") === name);
      return frame ? frame.contentWindow : all.length > 1 ? new HTMLCollection(all) : all[0];
    };
    names.set(name, get);
    Object.defineProperty(window, name, {
      get,
      set(value) {
        Object.defineProperty(window, name, { value, writable: true, configurable: true, enumerable: true });
      },
      configurable: true,
      enumerable: false,
    });
  }
};
// Remove window properties whose elements are gone.
const freed = (borne) => {
  const lost = new Set(borne.filter((name) => names.has(name)));
  if (!lost.size) return;
  for (const one of elementsBelow(document)) for (const name of namesOf(one)) lost.delete(name);
  for (const name of lost) {
    if (Object.getOwnPropertyDescriptor(window, name)?.get === names.get(name)) delete window[name];
    names.delete(name);
  }
};
// After a node is removed: its frames show nothing, and it loses the focus.
const gone = (node) => {
  const borne = [],
    active = document?.[FORM].active;
  for (const one of walk(node))
    if (one.nodeType === 1) {
      borne.push(...namesOf(one));
      if (one[FRAME]) one[FRAME] = null;
      if (one === active) document[FORM].active = null;
    }
  freed(borne);
};
// A changed attribute may name its element or navigate a frame.
const changing = (one, attribute, change) => {
  const borne = /^(id|name)$/.test(attribute) && rootOf(one) === document ? namesOf(one) : null,
    changed = change();
  if (borne) {
    known(one);
    freed(borne);
  }
  if (one[FRAME] && (attribute === "srcdoc" || (attribute === "src" && !one.hasAttribute("srcdoc"))))
    leads(one, meant(one));
  return changed;
};
const scriptable = (one) =>
  /^(|text\/javascript|application\/javascript|module|text\/ecmascript)$/i.test(one.getAttribute("type") || "");
// A frame preserves its number, its window and the focus inside it when its content changes.
let frameCount = 0,
  remembered = new Set();
const shows = (frame, { html, url, plain }, empty) => {
  if (frame[FRAME] && rootOf(document[FORM].active ?? document) === frame[FRAME].document)
    document[FORM].active = frame;
  const number = frame[FRAME]?.number ?? frameCount++,
    own = frame[FRAME]?.window ?? windowOf(frame);
  frame[FRAME] = {
    document: readDocument(plain ? `<pre>${escaped(html)}</pre>` : html, new HTMLDocument(url)),
    url,
    window: own,
    number,
    empty,
    content: { html, url, plain },
  };
};
const windowOf = (frame) => {
  const go = (url, more) => {
    const goal = absolute(url);
    if (goal !== null) leads(frame, { url: goal, ...more });
  };
  const location = {
    get href() {
      return frame[FRAME]?.url ?? "";
    },
    set href(url) {
      go(url);
    },
    assign(url) {
      go(url);
    },
    replace(url) {
      go(url, { replace: true });
    },
    reload() {
      go(this.href, { html: frame[FRAME]?.content.html, replace: true });
    },
    toString() {
      return this.href;
    },
  };
  return {
    get document() {
      return frame.contentDocument;
    },
    get location() {
      return location;
    },
    set location(url) {
      go(url);
    },
  };
};
const showing = () =>
  frames()
    .filter((one) => one[FRAME])
    .map((one) => [one[FRAME].number, { ...one[FRAME].content, held: fieldsOf(one[FRAME].document) }]);
// Cancel the pending navigation of a frame.
const leads = (frame, more) => {
  const number = frame[FRAME]?.number,
    before = effects.findIndex((one) => one.kind === "frame" && one.frame === number);
  if (before >= 0) effects.splice(before, 1);
  if (number !== undefined) effects.push({ kind: "frame", frame: number, ...more });
};
const numbered = (number) => frames().find((one) => one[FRAME]?.number === number);
// Return what the attributes of an iframe ask to be shown in it.
const meant = (frame) => {
  const html = frame.getAttribute("srcdoc");
  return html !== null
    ? { html, url: "about:srcdoc" }
    : { url: (frame.getAttribute("src") && absolute(frame.getAttribute("src"))) || "about:blank", html: "" };
};
const opened = (frame) => {
  const { html, url } = meant(frame),
    elsewhere = !/^about:/.test(url);
  shows(frame, { html, url: elsewhere ? "about:blank" : url, plain: false }, url !== "about:srcdoc");
  if (remembered.delete(frame[FRAME].number)) leads(frame, { again: true });
  else if (elsewhere) leads(frame, { url });
};
const played = (value, seen) => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : null;
  if (value === undefined || typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value === "bigint") throw new TypeError("Do not know how to serialize a BigInt");
  if (value instanceof Document) return "ref: <Document>";
  if (value instanceof Node) return "ref: <Node>";
  if (value === window) return "ref: <Window>";
  if (value instanceof Error) return { name: value.name };
  if (value instanceof RealDate) return isNaN(value) ? null : value.toISOString();
  if (value instanceof RegExp || value instanceof Map || value instanceof Set || value instanceof Promise) return {};
  if (value instanceof URL) return value.href;
  if (value instanceof DOMTokenList) return { ...Array.from(value) };
  if (value instanceof Event) return { isTrusted: value.isTrusted };
  if (seen.includes(value)) throw new TypeError("circular");
  seen = [...seen, value];
  if (Array.isArray(value))
    return value.map((one) => {
      const own = played(one, seen);
      return own === undefined ? null : own;
    });
  if (typeof value.toJSON === "function") return played(value.toJSON(), seen);
  const copy = {};
  for (const name of Object.keys(value)) {
    let own;
    try {
      own = played(value[name], seen);
    } catch (error) {
      if (error instanceof TypeError && /circular|BigInt/.test(error.message)) throw error;
      continue;
    }
    if (own !== undefined) copy[name] = own;
  }
  return copy;
};
const puppeted = (value, depth, top) => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : null;
  if (value === undefined || typeof value === "symbol") return undefined;
  if (typeof value === "bigint") {
    if (top) throw new TypeError("Do not know how to serialize a BigInt");
    return undefined;
  }
  if (value === window || depth > 200) throw new RangeError("Object reference chain is too long");
  if (Array.isArray(value))
    return value.map((one) => {
      const own = puppeted(one, depth + 1, false);
      return own === undefined ? null : own;
    });
  if (value instanceof Event) return { isTrusted: value.isTrusted };
  if (value === document) return { location: puppeted(location, depth + 1, false) };
  const copy = {};
  if (!(value instanceof Node))
    for (const name of Object.keys(value)) {
      const own = puppeted(value[name], depth + 1, false);
      if (own !== undefined) copy[name] = own;
    }
  return copy;
};
const shownAs = (mode, value) => {
  if (mode === "playwright") {
    try {
      const own = JSON.stringify(played(value, []), null, 2);
      return own === undefined ? "undefined" : own;
    } catch {
      return typeof value === "bigint" ? String(value) : "[object Object]";
    }
  }
  let own;
  try {
    own = puppeted(value, 0, true);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const text = JSON.stringify(own, null, 2);
  return text === undefined ? "undefined" : text;
};
let outcome = null;
const finished = (mode, value) => {
  try {
    outcome = { value: shownAs(mode, value) };
  } catch (error) {
    outcome = { error: described(error) };
  }
};
const settled = (mode, value) => {
  if (value instanceof Promise || typeof value?.then === "function") {
    outcome = { waiting: true };
    value.then(
      (own) => finished(mode, own),
      (error) => {
        outcome = { error: { ...described(error), rejected: true } };
      },
    );
  } else finished(mode, value);
};
const timed = (until) => {
  const next = queue.filter((one) => one.due <= until).sort((a, b) => a.due - b.due || a.id - b.id)[0];
  if (!next) {
    clock = Math.max(clock, until);
    return false;
  }
  clock = Math.max(clock, next.due);
  if (next.every) next.due = clock + next.every;
  else queue = queue.filter((one) => one !== next);
  guarded(next.work);
  return true;
};
const OPERATIONS = {
  load({
    html,
    url,
    cookies: own,
    storage: local,
    session,
    seed,
    viewport: size,
    agent,
    referrer,
    length,
    position,
    plain,
    held,
    state,
    frames: again,
  }) {
    cookies = new Map(own);
    for (const [name, value] of local) kept.set(name, value);
    for (const [name, value] of session) keptHere.set(name, value);
    chance = seed;
    viewport = size;
    userAgent = agent;
    lengthOf = length;
    here = position ?? length - 1;
    remembered = new Set(again ?? []);
    history.state = JSON.parse(state ?? null);
    document = new HTMLDocument(url);
    document[FORM].referrer = referrer;
    document[FORM].ready = "loading";
    readDocument(
      plain
        ? `<html><head><meta name="color-scheme" content="light dark"></head><body><pre style="word-wrap: break-word; white-space: pre-wrap;">${escaped(html)}</pre></body></html>`
        : html,
      document,
    );
    publish();
    const scripts = [];
    for (const one of walk(document)) {
      if (one[OWNER] === null && one !== document) one[OWNER] = document;
      if (one.localName === "script") {
        one[FORM].ran = true;
        if (one.hasAttribute("src")) scripts.push({ url: one.src });
        else if (scriptable(one) && texts(one).trim()) scripts.push({ code: texts(one), line: 1 });
      }
    }
    for (const one of elementsBelow(document)) known(one);
    restored(held ?? [], document);
    return { scripts };
  },
  loaded() {
    document[FORM].ready = "interactive";
    for (const one of frames()) if (!one[FRAME]) opened(one);
    remembered.clear();
    document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true }));
    document[FORM].ready = "complete";
    window.dispatchEvent(new Event("load", { trusted: true }));
    window.dispatchEvent(Object.assign(new Event("pageshow", { trusted: true }), { persisted: false }));
  },
  // If the navigation of a frame is a separate history entry: what the frames showed before.
  framed({ frame, html, url, plain, asked, replace, held }) {
    const one = numbered(frame);
    if (!one) return null;
    const before = !replace && !one[FRAME].empty && (asked ?? url) !== one[FRAME].url ? showing() : null;
    if (before) lengthOf = ++here + 1;
    shows(one, { html, url, plain }, false);
    restored(held ?? [], one[FRAME].document);
    one.dispatchEvent(new Event("load"));
    return before;
  },
  fetched({ id, status, statusText, headers, body, url, error }) {
    const own = answers.get(id);
    answers.delete(id);
    if (!own) return;
    if (error) own[1](new TypeError("Failed to fetch"));
    else own[0](new Response(body, { status, statusText, headers, url }));
  },
  tick({ until }) {
    return timed(until);
  },
  moment({ now }) {
    startMs = now - clock;
  },
  moved_to({ url, position, state }) {
    const before = document.URL;
    document[FORM].url = url;
    if (position !== undefined) here = position;
    history.state = JSON.parse(state ?? null);
    popped(before);
  },
  left() {
    window.dispatchEvent(new Event("beforeunload", { cancelable: true, trusted: true }));
    window.dispatchEvent(Object.assign(new Event("pagehide", { trusted: true }), { persisted: false }));
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true, trusted: true }));
    window.dispatchEvent(new Event("unload", { trusted: true }));
  },
  placed({ position }) {
    here = position;
  },
  size(own) {
    viewport = own;
    window.dispatchEvent(new Event("resize"));
  },
  click({ at: place }) {
    const one = element(place);
    pressed(one);
  },
  click_at({ at: place }) {
    let one = element(place);
    while (one[UP]?.nodeType === 1 && computed(one, "visibility") !== "visible") one = one[UP];
    pressed(one);
  },
  type({ keys }) {
    for (const one of keys) {
      if (one.code === "") typed(focusedOne(), one.text);
      else keyed(one.key, one.code, one.text, one.held);
    }
  },
  hover({ at: place }) {
    hover(element(place));
  },
  focus({ at: place }) {
    focused(element(place));
  },
  fill({ at: place, value }) {
    const one = element(place);
    focused(one);
    if (!/^(color|date|time|month|week|datetime-local|range)$/.test(one.type) || one.localName !== "input") {
      replaced(one, one.type === "number" ? value.trim() : value);
      return;
    }
    one.value = value.trim();
    one.dispatchEvent(new Event("input", { bubbles: true }));
    one.dispatchEvent(new Event("change", { bubbles: true }));
  },
  select({ at: place, options }) {
    const one = element(place),
      all = optionsOf(one);
    choose(
      one,
      options.map((i) => all[i]),
    );
    one[FORM].none = false;
    one.dispatchEvent(new Event("input", { bubbles: true }));
    one.dispatchEvent(new Event("change", { bubbles: true }));
  },
  files({ at: place, files }) {
    const one = element(place);
    one[FORM].files = files.map((own) => new File(own.name, own.size, own.type));
    one.dispatchEvent(new Event("input", { bubbles: true, trusted: true }));
    one.dispatchEvent(new Event("change", { bubbles: true, trusted: true }));
  },
  key({ key, code, text, held }) {
    keyed(key, code, text, held);
  },
  drag({ from, to }) {
    const a = element(from),
      b = element(to),
      data = new Map();
    const carried = {
      setData: (type, value) => data.set(type, String(value)),
      getData: (type) => data.get(type) ?? "",
      clearData: () => data.clear(),
      get types() {
        return [...data.keys()];
      },
      dropEffect: "none",
      effectAllowed: "all",
      files: [],
      setDragImage() {},
    };
    hover(a);
    mouse(a, "pointerdown");
    const down = mouse(a, "mousedown");
    const source = a.closest('[draggable="true"], a[href], img');
    if (down && source) {
      const pull = (one, type) =>
        one.dispatchEvent(
          new DragEvent(type, { bubbles: true, cancelable: true, trusted: true, dataTransfer: carried }),
        );
      if (pull(source, "dragstart")) {
        pull(source, "drag");
        pull(b, "dragenter");
        const takes = !pull(b, "dragover");
        if (takes) pull(b, "drop");
        else pull(b, "dragleave");
        pull(source, "dragend");
      }
    } else {
      hover(b);
      mouse(b, "pointerup");
      mouse(b, "mouseup");
      const both = pathOf(a).find((one) => one.nodeType === 1 && one.contains(b));
      if (both) clicked(both, true, "mouse");
    }
  },
  evaluate({ script, mode }) {
    outcome = null;
    let value;
    try {
      value = (0, eval)(script);
    } catch (error) {
      outcome = { error: described(error) };
      return;
    }
    settled(mode, value);
  },
  outcome() {
    return outcome;
  },
  effects() {
    return effects.splice(0);
  },
  waits() {
    return queue.length ? { due: Math.min(...queue.map((one) => one.due)), clock } : { due: null, clock };
  },
  check({ selector }) {
    return checkLocator(selector);
  },
  css({ selector, method }) {
    try {
      parsed(selector, method, "Document");
    } catch (error) {
      return error.message;
    }
    return null;
  },
  find({ selector, how, frame, xpath }) {
    const root = frame == null ? document : frames()[frame]?.[FRAME]?.document;
    if (!root) return [];
    const found =
      how === "css"
        ? select(root, selector, "querySelector", true)
        : how === "exact_text"
          ? elementsBelow(root).filter((one) => innermost(one, (have) => have.includes(selector)))
          : how === "name"
            ? elementsBelow(root).filter((one) => nameOf(one) === flat(selector))
            : how === "xpath"
              ? ((every) => xpath.map((i) => every[i]))(elementsBelow(root))
              : locate(selector, root, xpath ?? []);
    return found.slice(0, 50).map(about);
  },
  // Return the selector that Playwright's recorder would choose: one that matches nothing else in the document.
  aka({ at: place }) {
    const one = element(place),
      all = elementsBelow(rootOf(one)),
      only = (test) => all.filter(test).length === 1,
      text = flat(ownText(one));
    const role = Object.keys(ROLES).find((name) => fits(one, parseCss(ROLES[name], false))),
      name = nameOf(one);
    if (
      role &&
      name &&
      only((other) => fits(other, parseCss(ROLES[role], false)) && folded(nameOf(other)).includes(folded(name)))
    )
      return { role, name };
    if (text && text.length < 80 && only((other) => innermost(other, (have) => folded(have).includes(folded(text)))))
      return { text };
    if (one.id && only((other) => other.id === one.id)) return { selector: `#${one.id}` };
    return {
      selector: `${one.localName} >> nth=${all.filter((other) => other.localName === one.localName).indexOf(one)}`,
    };
  },
  frameIndex({ at: place }) {
    return frames().indexOf(element(place));
  },
  markup({ selector }) {
    if (selector === undefined) return outer(document);
    return outer(element(selector));
  },
  sanitised({ html, scripts, styles, metas, comments, minify }) {
    const doc = readDocument(html, new HTMLDocument("about:blank"));
    const gone = (name) => {
      for (const one of elementsBelow(doc)) if (one.localName === name && one[UP]) detach(one);
    };
    if (scripts) gone("script");
    if (styles) gone("style");
    if (metas) gone("meta");
    if (comments) for (const one of [...walk(doc.documentElement)]) if (one.nodeType === 8) detach(one);
    const text = outer(doc.documentElement);
    return minify ? text.replace(/>\s+</g, "><").trim() : text;
  },
  resources() {
    return elementsBelow(document)
      .filter(
        (one) =>
          (one.localName === "img" && one.getAttribute("src")) ||
          (one.localName === "link" && /stylesheet/i.test(one.rel) && one.getAttribute("href")),
      )
      .map((one) => (one.localName === "img" ? one.src : one.href))
      .filter((url) => /^https?:/.test(url));
  },
  icon() {
    return elementsBelow(document).some((one) => one.localName === "link" && /icon/i.test(one.rel));
  },
  visibleText() {
    return visibleText();
  },
  innerText() {
    return document.body ? innerText(document.body) : "";
  },
  title() {
    return document.title;
  },
  held({ at: place }) {
    return String(element(place).value ?? "");
  },
  url() {
    return document.URL;
  },
  agent() {
    return userAgent;
  },
  paint() {
    laid = -1;
    layout();
    return { paints, height: pageHeight };
  },
  tree() {
    const id = new Map(elementsBelow(document).map((one, i) => [one, i]));
    const go = (node) =>
      node.nodeType === 3
        ? node[TEXT]
        : [
            node.localName,
            [...node[ATTRS]],
            id.get(node),
            node[KIDS].filter((kid) => kid.nodeType === 1 || kid.nodeType === 3).map(go),
          ];
    return document.documentElement ? go(document.documentElement) : null;
  },
  showing,
  kept() {
    return fieldsOf(document);
  },
  logs({ start }) {
    if (start) {
      window.mcpHelper = { logs: [], originalConsole: { ...console } };
      for (const name of ["log", "info", "warn", "error"])
        console[name] = (...args) => {
          window.mcpHelper.logs.push(`[${name}] ${args.join(" ")}`);
          window.mcpHelper.originalConsole[name](...args);
        };
      return null;
    }
    Object.assign(console, window.mcpHelper.originalConsole);
    const own = window.mcpHelper.logs;
    delete window.mcpHelper;
    return own;
  },
  report(own) {
    effects.push({ kind: "exception", ...own });
  },
  failed(own) {
    outcome = { error: own };
  },
};
const driver = (name, argument, value) => {
  if (name === "settled") {
    outcome = null;
    settled(argument, value);
    return "null";
  }
  const answer = OPERATIONS[name](JSON.parse(argument));
  return answer === undefined ? "null" : JSON.stringify(answer);
};

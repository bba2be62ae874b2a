// The tree of a page: events, nodes, elements and attributes, as the bindings of a browser show them.
//
// State that page scripts must not see is stored under symbols, which neither `Object.keys` nor `JSON.stringify` lists.

const KIDS = Symbol(),
  UP = Symbol(),
  HEARS = Symbol(),
  ATTRS = Symbol(),
  TEXT = Symbol(),
  FORM = Symbol(),
  OWNER = Symbol(),
  FRAME = Symbol();
const effects = [];
let stamp = 0;
class Attributes extends Map {
  set(name, value) {
    stamp++;
    return super.set(name, value);
  }
  delete(name) {
    stamp++;
    return super.delete(name);
  }
}
const SVG = /^(svg|path|g|circle|rect|line|polygon|polyline|text|use|defs|ellipse)$/;
class DOMException extends Error {
  constructor(message, name) {
    super(message);
    Object.defineProperty(this, "name", { value: name || "Error" });
  }
  get code() {
    return { SyntaxError: 12, NotFoundError: 8, HierarchyRequestError: 3 }[this.name] || 0;
  }
}
class Event {
  #stopped = false;
  #now = false;
  constructor(type, init = {}) {
    this.type = String(type);
    this.bubbles = !!init.bubbles;
    this.cancelable = !!init.cancelable;
    this.defaultPrevented = false;
    this.target = null;
    this.currentTarget = null;
    this.isTrusted = !!init.trusted;
    this.timeStamp = 0;
    this.eventPhase = 0;
    for (const [name, value] of Object.entries(init))
      if (!Object.hasOwn(this, name) && name !== "trusted") this[name] = value;
  }
  preventDefault() {
    if (this.cancelable) this.defaultPrevented = true;
  }
  stopPropagation() {
    this.#stopped = true;
  }
  stopImmediatePropagation() {
    this.#stopped = this.#now = true;
  }
  composedPath() {
    return pathOf(this.target);
  }
  static halted(event) {
    return event.#stopped;
  }
  static atOnce(event) {
    return event.#now;
  }
}
class UIEvent extends Event {}
class MouseEvent extends UIEvent {}
class PointerEvent extends MouseEvent {}
class KeyboardEvent extends UIEvent {}
class InputEvent extends UIEvent {}
class FocusEvent extends UIEvent {}
class SubmitEvent extends Event {}
class DragEvent extends MouseEvent {}
class CustomEvent extends Event {
  constructor(type, init = {}) {
    super(type, init);
    this.detail = init.detail ?? null;
  }
}
const HELD = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
Object.assign(UIEvent.prototype, { detail: 0, view: null });
Object.assign(MouseEvent.prototype, HELD, {
  button: 0,
  buttons: 0,
  clientX: 0,
  clientY: 0,
  screenX: 0,
  screenY: 0,
  movementX: 0,
  movementY: 0,
  relatedTarget: null,
});
Object.assign(PointerEvent.prototype, {
  pointerId: 0,
  pointerType: "",
  isPrimary: false,
  pressure: 0,
  width: 1,
  height: 1,
});
Object.defineProperty(MouseEvent.prototype, "which", {
  get() {
    return this.button + 1;
  },
  configurable: true,
});
Object.defineProperty(KeyboardEvent.prototype, "which", {
  get() {
    return this.keyCode;
  },
  configurable: true,
});
Object.assign(KeyboardEvent.prototype, HELD, {
  key: "",
  code: "",
  location: 0,
  repeat: false,
  isComposing: false,
  keyCode: 0,
  charCode: 0,
});
Object.assign(InputEvent.prototype, { data: null, inputType: "", isComposing: false });
Object.assign(FocusEvent.prototype, { relatedTarget: null });
Object.assign(SubmitEvent.prototype, { submitter: null });
const pathOf = (target) => {
  const path = [];
  for (let at = target; at; at = at[UP]) path.push(at);
  if (path.length && path[path.length - 1] === document) path.push(window);
  return path;
};
const report = (error) => effects.push({ kind: "exception", ...described(error) });
const described = (error) =>
  error instanceof Error
    ? { name: error.name, message: error.message, stack: String(error.stack), own: true }
    : { message: typeof error === "object" && error ? "Object" : String(error), own: false, text: String(error) };
class EventTarget {
  addEventListener(type, listener, options) {
    if (!listener) return;
    const capture = typeof options === "boolean" ? options : !!options?.capture;
    const all = (this[HEARS] ??= []);
    if (!all.some((one) => one.type === type && one.listener === listener && one.capture === capture))
      all.push({ type, listener, capture, once: !!options?.once });
  }
  removeEventListener(type, listener, options) {
    const capture = typeof options === "boolean" ? options : !!options?.capture;
    this[HEARS] = (this[HEARS] || []).filter(
      (one) => !(one.type === type && one.listener === listener && one.capture === capture),
    );
  }
  dispatchEvent(event) {
    event.target = this;
    const path = event.bubbles ? pathOf(this) : [this];
    const capturing = event.bubbles ? path.slice(1).reverse() : pathOf(this).slice(1).reverse();
    event.eventPhase = 1;
    for (const at of capturing) {
      if (Event.halted(event)) break;
      heard(at, event, true);
    }
    for (const at of path) {
      if (Event.halted(event)) break;
      event.eventPhase = at === this ? 2 : 3;
      heard(at, event, at === this ? null : false);
    }
    event.currentTarget = null;
    event.eventPhase = 0;
    return !event.defaultPrevented;
  }
}
const heard = (at, event, capture) => {
  event.currentTarget = at;
  const own = capture === true ? null : handlerOf(at, event.type);
  if (own)
    guarded(() => {
      if (own.call(at, event) === false) event.preventDefault();
    });
  for (const one of [...(at[HEARS] || [])]) {
    if (Event.atOnce(event)) return;
    if (one.type !== event.type || (capture !== null && one.capture !== capture)) continue;
    if (one.once) at[HEARS] = at[HEARS].filter((other) => other !== one);
    guarded(() =>
      typeof one.listener === "function" ? one.listener.call(at, event) : one.listener.handleEvent(event),
    );
  }
};
const guarded = (work) => {
  try {
    work();
  } catch (error) {
    report(error);
  }
};
const handlerOf = (at, type) => {
  if (at.nodeType === 1 && rootOf(at) !== document && rootOf(at) instanceof Document) return null; // a frame has no scripts
  const name = "on" + type,
    own = at[name];
  if (typeof own === "function") return own;
  const source = at[ATTRS]?.get(name);
  if (source === undefined) return null;
  let made = null;
  guarded(() => {
    made = new Function("event", "with (document) { with (this) {" + source + "\n}}");
  });
  return made;
};
class NodeList {
  constructor(nodes) {
    nodes.forEach((node, i) => Object.defineProperty(this, i, { value: node, enumerable: true, configurable: true }));
    Object.defineProperty(this, "length", { value: nodes.length });
  }
  item(i) {
    return this[i] ?? null;
  }
  forEach(work, self) {
    Array.prototype.forEach.call(this, (node, i) => work.call(self, node, i, this));
  }
  entries() {
    return Array.from(this).entries();
  }
  keys() {
    return Array.from(this).keys();
  }
  values() {
    return Array.from(this).values();
  }
  [Symbol.iterator]() {
    return Array.prototype.values.call(this);
  }
}
class HTMLCollection extends NodeList {
  constructor(nodes) {
    super(nodes);
    for (const node of nodes)
      for (const name of [node[ATTRS]?.get("id"), node[ATTRS]?.get("name")])
        if (name && !(name in this)) Object.defineProperty(this, name, { value: node, configurable: true });
  }
  namedItem(name) {
    return Array.from(this).find((one) => one.id === name || one.getAttribute("name") === name) ?? null;
  }
}
Object.defineProperty(HTMLCollection.prototype, "forEach", { value: undefined });
const collected = (nodes) => new HTMLCollection(nodes);
class Node extends EventTarget {
  constructor(type, name, owner) {
    super();
    Object.defineProperties(this, {
      [KIDS]: { value: [], writable: true },
      [UP]: { value: null, writable: true },
      [OWNER]: { value: owner, writable: true },
      nodeType: { value: type },
      nodeName: { value: name },
    });
  }
  get childNodes() {
    return new NodeList(this[KIDS]);
  }
  get parentNode() {
    return this[UP];
  }
  get parentElement() {
    return this[UP]?.nodeType === 1 ? this[UP] : null;
  }
  get ownerDocument() {
    return this[OWNER];
  }
  get isConnected() {
    return rootOf(this) instanceof Document;
  }
  get firstChild() {
    return this[KIDS][0] ?? null;
  }
  get lastChild() {
    return this[KIDS][this[KIDS].length - 1] ?? null;
  }
  get nextSibling() {
    return beside(this, 1);
  }
  get previousSibling() {
    return beside(this, -1);
  }
  get nodeValue() {
    return null;
  }
  get baseURI() {
    return document.URL;
  }
  get textContent() {
    if (this.nodeType === 9) return null;
    return this.nodeType === 1 || this.nodeType === 11 ? texts(this) : this[TEXT];
  }
  set textContent(value) {
    if (this.nodeType === 3 || this.nodeType === 8) {
      stamp++;
      this[TEXT] = String(value);
      return;
    }
    for (const kid of [...this[KIDS]]) detach(kid);
    if (value !== null && String(value) !== "") attach(this, new Text(String(value)), null);
  }
  hasChildNodes() {
    return this[KIDS].length > 0;
  }
  appendChild(node) {
    return this.insertBefore(node, null);
  }
  insertBefore(node, before) {
    if (!(node instanceof Node))
      throw new TypeError(
        `Failed to execute '${before === null ? "appendChild" : "insertBefore"}' on 'Node': parameter 1 is not of type 'Node'.`,
      );
    if (node.contains(this))
      throw new DOMException(
        `Failed to execute '${before ? "insertBefore" : "appendChild"}' on 'Node': The new child element contains the parent.`,
        "HierarchyRequestError",
      );
    if (before && before[UP] !== this)
      throw new DOMException(
        "Failed to execute 'insertBefore' on 'Node': The node before which the new node is to be inserted is not a child of this node.",
        "NotFoundError",
      );
    for (const one of node.nodeType === 11 ? [...node[KIDS]] : [node]) {
      detach(one);
      attach(this, one, before);
      run(one);
    }
    return node;
  }
  removeChild(node) {
    if (node?.[UP] !== this)
      throw new DOMException(
        "Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
        "NotFoundError",
      );
    detach(node);
    return node;
  }
  replaceChild(node, old) {
    this.insertBefore(node, old);
    return this.removeChild(old);
  }
  contains(other) {
    for (let at = other; at; at = at[UP]) if (at === this) return true;
    return false;
  }
  cloneNode(deep) {
    const copy = blank(this);
    if (deep) for (const kid of this[KIDS]) attach(copy, kid.cloneNode(true), null);
    return copy;
  }
  isSameNode(other) {
    return this === other;
  }
  getRootNode() {
    return rootOf(this);
  }
  compareDocumentPosition(other) {
    const all = [...walk(rootOf(this))];
    return all.indexOf(this) < all.indexOf(other) ? 4 : this === other ? 0 : 2;
  }
  normalize() {}
}
Object.assign(Node, { ELEMENT_NODE: 1, TEXT_NODE: 3, COMMENT_NODE: 8, DOCUMENT_NODE: 9, DOCUMENT_FRAGMENT_NODE: 11 });
const rootOf = (node) => {
  while (node[UP]) node = node[UP];
  return node;
};
const beside = (node, step) => {
  const all = node[UP]?.[KIDS];
  return all ? (all[all.indexOf(node) + step] ?? null) : null;
};
const detach = (node) => {
  stamp++;
  const up = node[UP];
  if (up) {
    up[KIDS].splice(up[KIDS].indexOf(node), 1);
    node[UP] = null;
    gone(node);
  }
};
const attach = (up, node, before) => {
  stamp++;
  if (before) up[KIDS].splice(up[KIDS].indexOf(before), 0, node);
  else up[KIDS].push(node);
  node[UP] = up;
};
function* walk(node) {
  yield node;
  if (node.localName !== "template") for (const kid of node[KIDS]) yield* walk(kid);
}
const elementsBelow = (node) => {
  const found = [];
  const go = (at) => {
    for (const kid of at[KIDS])
      if (kid.nodeType === 1) {
        found.push(kid);
        if (kid.localName !== "template") go(kid);
      }
  };
  go(node);
  return found;
};
const texts = (node) => {
  let all = "";
  const go = (at) => {
    for (const kid of at[KIDS])
      if (kid.nodeType === 3) all += kid[TEXT];
      else if (kid.nodeType === 1 && kid.localName !== "template") go(kid);
  };
  go(node);
  return all;
};
const blank = (node) => {
  if (node.nodeType === 3) return new Text(node[TEXT]);
  if (node.nodeType === 8) return new Comment(node[TEXT]);
  if (node.nodeType === 11) return new DocumentFragment();
  const copy = make(node.localName);
  for (const [name, value] of node[ATTRS]) copy[ATTRS].set(name, value);
  return copy;
};
class CharacterData extends Node {
  constructor(type, name, data) {
    super(type, name, document);
    Object.defineProperty(this, TEXT, { value: data, writable: true });
  }
  get data() {
    return this[TEXT];
  }
  set data(value) {
    stamp++;
    this[TEXT] = String(value);
  }
  get nodeValue() {
    return this[TEXT];
  }
  set nodeValue(value) {
    stamp++;
    this[TEXT] = String(value);
  }
  get length() {
    return this[TEXT].length;
  }
  get wholeText() {
    return this[TEXT];
  }
  remove() {
    detach(this);
  }
}
class Text extends CharacterData {
  constructor(data = "") {
    super(3, "#text", String(data));
  }
}
class Comment extends CharacterData {
  constructor(data = "") {
    super(8, "#comment", String(data));
  }
}
const nodesOf = (items) => items.map((item) => (item instanceof Node ? item : new Text(String(item))));
const holding = (Base) =>
  class extends Base {
    get children() {
      return collected(this[KIDS].filter((kid) => kid.nodeType === 1));
    }
    get childElementCount() {
      return this.children.length;
    }
    get firstElementChild() {
      return this[KIDS].find((kid) => kid.nodeType === 1) ?? null;
    }
    get lastElementChild() {
      return this[KIDS].findLast((kid) => kid.nodeType === 1) ?? null;
    }
    append(...items) {
      for (const node of nodesOf(items)) this.appendChild(node);
    }
    prepend(...items) {
      const first = this.firstChild;
      for (const node of nodesOf(items)) this.insertBefore(node, first);
    }
    replaceChildren(...items) {
      this.textContent = "";
      this.append(...items);
    }
    querySelector(selector) {
      return select(this, selector, "querySelector", true)[0] ?? null;
    }
    querySelectorAll(selector) {
      return new NodeList(select(this, selector, "querySelectorAll", false));
    }
    getElementsByTagName(name) {
      const tag = String(name).toLowerCase();
      return collected(elementsBelow(this).filter((one) => tag === "*" || one.localName === tag));
    }
    getElementsByClassName(names) {
      const all = String(names).split(/\s+/).filter(Boolean);
      return collected(elementsBelow(this).filter((one) => all.every((name) => one.classList.contains(name))));
    }
  };
class DocumentFragment extends holding(Node) {
  constructor() {
    super(11, "#document-fragment", document);
  }
  getElementById(id) {
    return elementsBelow(this).find((one) => one.id === id) ?? null;
  }
}
class DOMTokenList {
  #element;
  #name;
  constructor(element, name) {
    this.#element = element;
    this.#name = name;
  }
  #all() {
    return (this.#element[ATTRS].get(this.#name) || "").split(/[ \t\n\f\r]+/).filter(Boolean);
  }
  #set(all) {
    this.#element.setAttribute(this.#name, [...new Set(all)].join(" "));
  }
  get length() {
    return this.#all().length;
  }
  get value() {
    return this.#element.getAttribute(this.#name) || "";
  }
  item(i) {
    return this.#all()[i] ?? null;
  }
  contains(name) {
    return this.#all().includes(String(name));
  }
  add(...names) {
    this.#set([...this.#all(), ...names.map(String)]);
  }
  remove(...names) {
    this.#set(this.#all().filter((name) => !names.includes(name)));
  }
  toggle(name, force) {
    const on = force ?? !this.contains(name);
    on ? this.add(name) : this.remove(name);
    return on;
  }
  replace(old, name) {
    const had = this.contains(old);
    if (had) this.#set(this.#all().map((one) => (one === old ? name : one)));
    return had;
  }
  forEach(work) {
    this.#all().forEach(work);
  }
  toString() {
    return this.value;
  }
  [Symbol.iterator]() {
    return this.#all().values();
  }
}
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
const styleOf = (element) =>
  new Proxy(
    {},
    {
      get(_, name) {
        if (typeof name !== "string") return undefined;
        const all = declarations(element[ATTRS].get("style") || "");
        if (name === "cssText") return element[ATTRS].get("style") || "";
        if (name === "setProperty")
          return (key, value) => {
            all.set(key, String(value));
            write(element, all);
          };
        if (name === "removeProperty")
          return (key) => {
            all.delete(key);
            write(element, all);
          };
        if (name === "getPropertyValue") return (key) => all.get(key) ?? "";
        return all.get(kebab(name)) ?? "";
      },
      set(_, name, value) {
        const all = declarations(element[ATTRS].get("style") || "");
        if (name === "cssText") {
          element[ATTRS].set("style", String(value));
          return true;
        }
        if (value === "" || value === null) all.delete(kebab(name));
        else all.set(kebab(name), String(value));
        write(element, all);
        return true;
      },
    },
  );
const write = (element, all) =>
  element[ATTRS].set("style", [...all].map(([name, value]) => `${name}: ${value};`).join(" "));
const declarations = (text) => {
  const all = new Map();
  for (const one of text.split(";")) {
    const at = one.indexOf(":");
    if (at > 0) all.set(one.slice(0, at).trim().toLowerCase(), one.slice(at + 1).trim());
  }
  return all;
};
const dataOf = (element) =>
  new Proxy(
    {},
    {
      get: (_, name) => (typeof name === "string" ? element[ATTRS].get("data-" + kebab(name)) : undefined),
      set: (_, name, value) => {
        element[ATTRS].set("data-" + kebab(name), String(value));
        return true;
      },
      deleteProperty: (_, name) => {
        element[ATTRS].delete("data-" + kebab(name));
        return true;
      },
      has: (_, name) => element[ATTRS].has("data-" + kebab(String(name))),
      ownKeys: () =>
        [...element[ATTRS].keys()]
          .filter((name) => name.startsWith("data-"))
          .map((name) => name.slice(5).replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())),
      getOwnPropertyDescriptor: (_, name) => ({
        value: element[ATTRS].get("data-" + kebab(String(name))),
        enumerable: true,
        configurable: true,
      }),
    },
  );
class Element extends holding(Node) {
  constructor(name, owner) {
    super(1, SVG.test(name) ? name : name.toUpperCase(), owner);
    Object.defineProperties(this, {
      [ATTRS]: { value: new Attributes() },
      [FORM]: { value: {}, writable: true },
      localName: { value: name },
    });
  }
  get tagName() {
    return this.nodeName;
  }
  get namespaceURI() {
    return SVG.test(this.localName) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
  }
  get attributes() {
    const all = [...this[ATTRS]].map(([name, value]) => ({ name, value, nodeName: name, nodeValue: value }));
    const list = new HTMLCollection(all);
    for (const one of all) Object.defineProperty(list, one.name, { value: one });
    return list;
  }
  getAttribute(name) {
    return this[ATTRS].get(String(name).toLowerCase()) ?? null;
  }
  setAttribute(name, value) {
    const own = String(name).toLowerCase(),
      turns = own === "open" && !this[ATTRS].has(own);
    changing(this, own, () => this[ATTRS].set(own, String(value)));
    if (turns && this.localName === "details") toggledSoon(this);
  }
  removeAttribute(name) {
    const own = String(name).toLowerCase();
    if (changing(this, own, () => this[ATTRS].delete(own)) && own === "open" && this.localName === "details")
      toggledSoon(this);
  }
  hasAttribute(name) {
    return this[ATTRS].has(String(name).toLowerCase());
  }
  hasAttributes() {
    return this[ATTRS].size > 0;
  }
  getAttributeNames() {
    return [...this[ATTRS].keys()];
  }
  toggleAttribute(name, force) {
    const on = force ?? !this.hasAttribute(name);
    on ? this.setAttribute(name, "") : this.removeAttribute(name);
    return on;
  }
  get classList() {
    return new DOMTokenList(this, "class");
  }
  get className() {
    return this.getAttribute("class") || "";
  }
  set className(value) {
    this.setAttribute("class", value);
  }
  get nextElementSibling() {
    for (let at = this.nextSibling; at; at = at.nextSibling) if (at.nodeType === 1) return at;
    return null;
  }
  get previousElementSibling() {
    for (let at = this.previousSibling; at; at = at.previousSibling) if (at.nodeType === 1) return at;
    return null;
  }
  get innerHTML() {
    return inner(this);
  }
  set innerHTML(html) {
    for (const kid of [...this[KIDS]]) detach(kid);
    for (const node of fragment(String(html ?? ""), this)) {
      attach(this, node, null);
      run(node);
    }
  }
  get outerHTML() {
    return outer(this);
  }
  set outerHTML(html) {
    const up = this[UP];
    for (const node of fragment(String(html), up)) {
      attach(up, node, this);
      run(node);
    }
    detach(this);
  }
  insertAdjacentHTML(where, html) {
    this.#adjacent(where, fragment(String(html), this));
  }
  insertAdjacentText(where, text) {
    this.#adjacent(where, [new Text(text)]);
  }
  insertAdjacentElement(where, element) {
    this.#adjacent(where, [element]);
    return element;
  }
  #adjacent(where, nodes) {
    const [up, before] = {
      beforebegin: [this[UP], this],
      afterbegin: [this, this.firstChild],
      beforeend: [this, null],
      afterend: [this[UP], this.nextSibling],
    }[String(where).toLowerCase()];
    for (const node of nodes) up.insertBefore(node, before);
  }
  remove() {
    detach(this);
  }
  before(...items) {
    for (const node of nodesOf(items)) this[UP]?.insertBefore(node, this);
  }
  after(...items) {
    const next = this.nextSibling;
    for (const node of nodesOf(items)) this[UP]?.insertBefore(node, next);
  }
  replaceWith(...items) {
    this.before(...items);
    this.remove();
  }
  matches(selector) {
    return fits(this, parsed(selector, "matches", "Element"), this);
  }
  closest(selector) {
    const all = parsed(selector, "closest", "Element");
    for (let at = this; at?.nodeType === 1; at = at[UP]) if (fits(at, all, this)) return at;
    return null;
  }
  getBoundingClientRect() {
    const b = box(this);
    return {
      x: b.x,
      y: b.y,
      width: b.width,
      height: b.height,
      top: b.y,
      left: b.x,
      right: b.x + b.width,
      bottom: b.y + b.height,
    };
  }
  getClientRects() {
    const b = box(this);
    return b.width || b.height ? [this.getBoundingClientRect()] : [];
  }
  get clientWidth() {
    return Math.round(box(this).width);
  }
  get clientHeight() {
    return Math.round(box(this).height);
  }
  get scrollWidth() {
    return this.clientWidth;
  }
  get scrollHeight() {
    return this.clientHeight;
  }
  checkVisibility(how = {}) {
    return (
      this.isConnected &&
      rendered(this) &&
      !((how.checkVisibilityCSS || how.visibilityProperty) && computed(this, "visibility") !== "visible") &&
      !((how.checkOpacity || how.opacityProperty) && +computed(this, "opacity") === 0)
    );
  }
  scrollIntoView() {}
  scrollTo() {}
  scrollBy() {}
}
for (const name of ["id", "slot", "role"])
  Object.defineProperty(Element.prototype, name, {
    get() {
      return this.getAttribute(name) || "";
    },
    set(value) {
      this.setAttribute(name, value);
    },
    configurable: true,
  });
class HTMLElement extends Element {
  get style() {
    return styleOf(this);
  }
  set style(text) {
    this.setAttribute("style", text);
  }
  get dataset() {
    return dataOf(this);
  }
  get innerText() {
    return innerText(this);
  }
  set innerText(text) {
    this.textContent = "";
    String(text)
      .split("\n")
      .forEach((line, i) => {
        if (i) this.appendChild(make("br"));
        if (line) this.appendChild(new Text(line));
      });
  }
  get outerText() {
    return this.innerText;
  }
  get offsetWidth() {
    return Math.round(box(this).width);
  }
  get offsetHeight() {
    return Math.round(box(this).height);
  }
  get offsetTop() {
    return Math.round(box(this).y);
  }
  get offsetLeft() {
    return Math.round(box(this).x);
  }
  get offsetParent() {
    return this.isConnected && rendered(this) ? document.body : null;
  }
  get isContentEditable() {
    for (let at = this; at?.nodeType === 1; at = at[UP]) {
      const value = at.getAttribute("contenteditable");
      if (value !== null) return value !== "false";
    }
    return false;
  }
  get contentEditable() {
    return this.getAttribute("contenteditable") ?? "inherit";
  }
  set contentEditable(value) {
    this.setAttribute("contenteditable", value);
  }
  get tabIndex() {
    const own = this.getAttribute("tabindex");
    return own === null
      ? /^(a|button|input|select|textarea|summary|iframe)$/.test(this.localName) ||
        /^(|true|plaintext-only)$/.test(this.getAttribute("contenteditable") ?? "no")
        ? 0
        : -1
      : parseInt(own) || 0;
  }
  set tabIndex(value) {
    this.setAttribute("tabindex", value);
  }
  click() {
    clicked(this, false);
  }
  focus() {
    focused(this);
  }
  blur() {
    if (document.activeElement === this) focused(null);
  }
}
const reflect = (Class, names, kind) => {
  for (const [name, attribute] of names.map((one) => (Array.isArray(one) ? one : [one, one.toLowerCase()])))
    Object.defineProperty(
      Class.prototype,
      name,
      kind === "flag"
        ? {
            get() {
              return this.hasAttribute(attribute);
            },
            set(on) {
              this.toggleAttribute(attribute, !!on);
            },
            configurable: true,
          }
        : kind === "address"
          ? {
              get() {
                const own = this.getAttribute(attribute);
                return own === null ? "" : (absolute(own) ?? own);
              },
              set(value) {
                this.setAttribute(attribute, value);
              },
              configurable: true,
            }
          : {
              get() {
                return this.getAttribute(attribute) || "";
              },
              set(value) {
                this.setAttribute(attribute, value);
              },
              configurable: true,
            },
    );
};
reflect(HTMLElement, ["title", "lang", "dir", "accessKey"]);
reflect(HTMLElement, ["hidden", "draggable", "inert"], "flag");
Object.defineProperty(HTMLElement.prototype, "draggable", {
  get() {
    return this.getAttribute("draggable") === "true";
  },
  set(on) {
    this.setAttribute("draggable", !!on);
  },
});
const named = {};
const kind = (name, ...tags) => {
  const Class = { [name]: class extends HTMLElement {} }[name];
  for (const tag of tags) named[tag] = Class;
  return Class;
};
const Anchor = kind("HTMLAnchorElement", "a"),
  Area = kind("HTMLAreaElement", "area");
for (const Class of [Anchor, Area]) {
  reflect(Class, ["target", "rel", "download", "hreflang", "type"]);
  reflect(Class, ["href"], "address");
  for (const part of ["protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"])
    Object.defineProperty(Class.prototype, part, {
      get() {
        try {
          return new URL(this.href)[part];
        } catch {
          return "";
        }
      },
    });
  Object.defineProperty(Class.prototype, "text", {
    get() {
      return this.textContent;
    },
  });
  Class.prototype.toString = function () {
    return this.href;
  };
}
const Image = kind("HTMLImageElement", "img");
reflect(Image, ["alt", "srcset", "loading"]);
reflect(Image, ["src"], "address");
for (const side of ["width", "height"])
  Object.defineProperty(Image.prototype, side, {
    get() {
      return Math.round(box(this)[side]);
    },
    set(value) {
      this.setAttribute(side, value);
    },
  });
Object.defineProperties(Image.prototype, {
  complete: {
    get() {
      return true;
    },
  },
  naturalWidth: {
    get() {
      return 0;
    },
  },
  naturalHeight: {
    get() {
      return 0;
    },
  },
});
const Frame = kind("HTMLIFrameElement", "iframe");
reflect(Frame, ["name", "srcdoc"]);
reflect(Frame, ["src"], "address");
Object.defineProperties(Frame.prototype, {
  contentDocument: {
    get() {
      return this[FRAME]?.document ?? null;
    },
  },
  contentWindow: {
    get() {
      return this[FRAME]?.window ?? null;
    },
  },
});
const Script = kind("HTMLScriptElement", "script");
reflect(Script, ["type"]);
reflect(Script, ["src"], "address");
reflect(Script, ["async", "defer"], "flag");
Object.defineProperty(Script.prototype, "text", {
  get() {
    return this.textContent;
  },
});
const Link = kind("HTMLLinkElement", "link");
reflect(Link, ["rel", "type", "media"]);
reflect(Link, ["href"], "address");
const Meta = kind("HTMLMetaElement", "meta");
reflect(Meta, ["name", "content", ["httpEquiv", "http-equiv"]]);
const Label = kind("HTMLLabelElement", "label");
reflect(Label, [["htmlFor", "for"]]);
const Form = kind("HTMLFormElement", "form"),
  Input = kind("HTMLInputElement", "input"),
  Area2 = kind("HTMLTextAreaElement", "textarea"),
  Select = kind("HTMLSelectElement", "select");
const Option = kind("HTMLOptionElement", "option"),
  Button = kind("HTMLButtonElement", "button"),
  Template = kind("HTMLTemplateElement", "template"),
  Dialog = kind("HTMLDialogElement", "dialog"),
  Details = kind("HTMLDetailsElement", "details");
reflect(Dialog, ["open"], "flag");
reflect(Details, ["open"], "flag");
const openings = new WeakSet();
const toggledSoon = (one) => {
  if (openings.has(one) || !one.isConnected) return;
  openings.add(one);
  soon(() => {
    openings.delete(one);
    one.dispatchEvent(new Event("toggle", { trusted: true }));
  });
};
const lit = (one, modal) => {
  one.open = true;
  one[FORM].modal = modal;
  one[FORM].before = document[FORM].active;
  focused(elementsBelow(one).find((other) => focusable(other) && rendered(other)) ?? null);
};
Object.assign(Dialog.prototype, {
  show() {
    if (!this.open) lit(this, false);
  },
  showModal() {
    if (this.open)
      throw new DOMException(
        "Failed to execute 'showModal' on 'HTMLDialogElement': The dialog is already open as a non-modal dialog, and therefore cannot be opened as a modal dialog.",
        "InvalidStateError",
      );
    lit(this, true);
  },
  close(value) {
    if (!this.open) return;
    this.open = false;
    this[FORM].modal = false;
    if (value !== undefined) this.returnValue = String(value);
    const before = this[FORM].before;
    if (before?.isConnected) focused(before);
    else focused(null);
    soon(() => this.dispatchEvent(new Event("close", { trusted: true })));
  },
});
Object.defineProperty(Dialog.prototype, "returnValue", {
  get() {
    return this[FORM].returned ?? "";
  },
  set(value) {
    this[FORM].returned = String(value);
  },
});
Object.defineProperty(Template.prototype, "content", {
  get() {
    const holder = new DocumentFragment();
    for (const kid of this[KIDS]) attach(holder, kid.cloneNode(true), null);
    return holder;
  },
});
for (const [name, ...tags] of [
  ["HTMLDivElement", "div"],
  ["HTMLSpanElement", "span"],
  ["HTMLParagraphElement", "p"],
  ["HTMLHeadingElement", "h1", "h2", "h3", "h4", "h5", "h6"],
  ["HTMLUListElement", "ul"],
  ["HTMLOListElement", "ol"],
  ["HTMLLIElement", "li"],
  ["HTMLTableElement", "table"],
  ["HTMLTableRowElement", "tr"],
  ["HTMLTableCellElement", "td", "th"],
  ["HTMLTableSectionElement", "thead", "tbody", "tfoot"],
  ["HTMLBodyElement", "body"],
  ["HTMLHtmlElement", "html"],
  ["HTMLHeadElement", "head"],
  ["HTMLTitleElement", "title"],
  ["HTMLStyleElement", "style"],
  ["HTMLFieldSetElement", "fieldset"],
  ["HTMLLegendElement", "legend"],
  ["HTMLOptGroupElement", "optgroup"],
  ["HTMLPreElement", "pre"],
  ["HTMLBRElement", "br"],
  ["HTMLHRElement", "hr"],
  ["HTMLBaseElement", "base"],
  ["HTMLCanvasElement", "canvas"],
  ["HTMLVideoElement", "video"],
  ["HTMLAudioElement", "audio"],
  ["HTMLQuoteElement", "blockquote", "q"],
  ["HTMLOutputElement", "output"],
  ["HTMLProgressElement", "progress"],
  ["HTMLUnknownElement"],
])
  kind(name, ...tags);
class SVGElement extends Element {}
const make = (name, owner) => {
  const Class = SVG.test(name) ? SVGElement : Object.hasOwn(named, name) ? named[name] : HTMLElement;
  return new Class(name, owner ?? document);
};
class Document extends holding(Node) {
  constructor(url) {
    super(9, "#document", null);
    Object.defineProperty(this, FORM, { value: { url, active: null, type: null } });
    Object.defineProperty(this, "location", {
      get: () => (this === document ? location : null),
      set: (url) => {
        location.href = url;
      },
      enumerable: true,
    });
  }
  get URL() {
    return this[FORM].url;
  }
  get documentURI() {
    return this[FORM].url;
  }
  get documentElement() {
    return this[KIDS].find((kid) => kid.nodeType === 1) ?? null;
  }
  get head() {
    return this.documentElement?.[KIDS].find((kid) => kid.localName === "head") ?? null;
  }
  get body() {
    return this.documentElement?.[KIDS].find((kid) => kid.localName === "body") ?? null;
  }
  get title() {
    const title = elementsBelow(this).find((one) => one.localName === "title");
    return title ? title.textContent.replace(/[ \t\n\f\r]+/g, " ").trim() : "";
  }
  set title(text) {
    let title = elementsBelow(this).find((one) => one.localName === "title");
    if (!title && this.head) title = this.head.appendChild(make("title"));
    if (title) title.textContent = text;
  }
  get forms() {
    return this.getElementsByTagName("form");
  }
  get links() {
    return collected(elementsBelow(this).filter((one) => one.localName === "a" && one.hasAttribute("href")));
  }
  get all() {
    return collected(elementsBelow(this));
  }
  get images() {
    return this.getElementsByTagName("img");
  }
  get scripts() {
    return this.getElementsByTagName("script");
  }
  get anchors() {
    return collected(elementsBelow(this).filter((one) => one.localName === "a" && one.hasAttribute("name")));
  }
  get activeElement() {
    const active = document[FORM].active;
    if (!active?.isConnected) return this.body;
    const root = rootOf(active);
    return root === this
      ? active
      : this === document
        ? (frames().find((one) => one[FRAME]?.document === root) ?? this.body)
        : this.body;
  }
  get doctype() {
    return this[FORM].type === null ? null : { name: "html", nodeType: 10 };
  }
  get readyState() {
    return this[FORM].ready ?? "complete";
  }
  get characterSet() {
    return "UTF-8";
  }
  get charset() {
    return "UTF-8";
  }
  get contentType() {
    return "text/html";
  }
  get compatMode() {
    return this[FORM].type === null ? "BackCompat" : "CSS1Compat";
  }
  get referrer() {
    return this[FORM].referrer ?? "";
  }
  get lastModified() {
    return "";
  }
  get hidden() {
    return false;
  }
  get visibilityState() {
    return "visible";
  }
  get defaultView() {
    return this === document ? window : null;
  }
  get domain() {
    try {
      return new URL(this.URL).hostname;
    } catch {
      return "";
    }
  }
  get cookie() {
    return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }
  set cookie(text) {
    const [pair, ...rest] = String(text).split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim(),
      value = pair.slice(at + 1).trim();
    const gone = rest.some((one) => /^\s*(max-age\s*=\s*(0|-\d+)|expires\s*=.*1970)/i.test(one));
    if (gone) cookies.delete(name);
    else cookies.set(name, value);
    effects.push({ kind: "cookie", name, value: gone ? null : value });
  }
  getElementById(id) {
    return elementsBelow(this).find((one) => one[ATTRS].get("id") === String(id)) ?? null;
  }
  getElementsByName(name) {
    return new NodeList(elementsBelow(this).filter((one) => one.getAttribute("name") === String(name)));
  }
  createElement(name) {
    return make(String(name).toLowerCase(), this);
  }
  createElementNS(_, name) {
    return make(String(name), this);
  }
  createTextNode(text) {
    return new Text(text);
  }
  createComment(text) {
    return new Comment(text);
  }
  createDocumentFragment() {
    return new DocumentFragment();
  }
  createEvent() {
    const event = new Event("");
    event.initEvent = (type, bubbles, cancelable) => Object.assign(event, { type, bubbles, cancelable });
    return event;
  }
  createTreeWalker(root, show = 0xffffffff, filter = null) {
    return new TreeWalker(root, show, filter);
  }
  createRange() {
    return {
      setStart() {},
      setEnd() {},
      selectNode() {},
      selectNodeContents() {},
      getBoundingClientRect: () => ({ x: 0, y: 0, width: 0, height: 0 }),
    };
  }
  importNode(node, deep) {
    return node.cloneNode(deep);
  }
  adoptNode(node) {
    detach(node);
    return node;
  }
  hasFocus() {
    return true;
  }
  elementFromPoint(x, y) {
    return at(x, y);
  }
  execCommand() {
    return false;
  }
  write(html) {
    for (const node of fragment(String(html), this.body)) this.body.appendChild(node);
  }
}
class HTMLDocument extends Document {}
const NodeFilter = {
  SHOW_ALL: 0xffffffff,
  SHOW_ELEMENT: 1,
  SHOW_TEXT: 4,
  SHOW_COMMENT: 128,
  FILTER_ACCEPT: 1,
  FILTER_REJECT: 2,
  FILTER_SKIP: 3,
};
class TreeWalker {
  constructor(root, show, filter) {
    this.root = root;
    this.currentNode = root;
    const judge = typeof filter === "function" ? filter : filter?.acceptNode?.bind(filter);
    this.all = [];
    const go = (node) => {
      for (const kid of node[KIDS]) {
        const wanted = show & (1 << (kid.nodeType - 1));
        const verdict = wanted ? (judge ? judge(kid) : 1) : 3;
        if (verdict === 1) this.all.push(kid);
        if (verdict !== 2) go(kid);
      }
    };
    go(root);
    this.at = -1;
  }
  nextNode() {
    return this.at + 1 < this.all.length ? (this.currentNode = this.all[++this.at]) : null;
  }
  previousNode() {
    return this.at > 0 ? (this.currentNode = this.all[--this.at]) : null;
  }
}

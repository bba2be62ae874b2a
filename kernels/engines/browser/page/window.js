// The environment of a page: addresses, storage, timers, console, dialogs, requests, clock and random numbers.

const SPECIAL = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
const encodePart = (text, kept) =>
  text.replace(kept, (c) => {
    const code = c.codePointAt(0);
    return encodeURIComponent(String.fromCodePoint(code)).replace(
      /[!'()*]/g,
      (one) => "%" + one.charCodeAt(0).toString(16).toUpperCase(),
    );
  });
class URL {
  #parts;
  constructor(url, base) {
    const at = URL.parts(String(url).trim(), base === undefined ? null : new URL(base));
    if (!at)
      throw new TypeError(
        `Failed to construct 'URL': Invalid ${base === undefined ? "" : "base "}URL`.replace("base ", ""),
      );
    this.#parts = at;
    Object.defineProperty(this, "searchParams", {
      value: new URLSearchParams(at.search, (text) => {
        at.search = text ? "?" + text : "";
      }),
    });
  }
  static canParse(url, base) {
    try {
      new URL(url, base);
      return true;
    } catch {
      return false;
    }
  }
  static parts(text, base) {
    text = text.replace(/[\t\n\r]/g, "");
    const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
    if (scheme && !(scheme[1].toLowerCase() + ":" in SPECIAL)) {
      const [, path, search, hash] = /^[^:]*:([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text);
      return {
        protocol: scheme[1].toLowerCase() + ":",
        host: "",
        pathname: path,
        search: search || "",
        hash: hash || "",
        opaque: true,
      };
    }
    text = text.replace(/\\/g, "/");
    let rest = text,
      protocol = base?.protocol;
    if (scheme) {
      protocol = scheme[1].toLowerCase() + ":";
      rest = text.slice(scheme[0].length);
      if (!(base && base.protocol === protocol && !rest.startsWith("/"))) {
        rest = "//" + rest.replace(/^\/+/, "");
        if (protocol === "file:") rest = "//" + "/" + rest.slice(2);
      }
    } else if (!base || (base.host === "" && base.protocol !== "file:")) {
      if (base && text.startsWith("#")) return { ...URL.parts(base.href.replace(/#.*$/s, ""), null), hash: text };
      return null;
    }
    const [, authority, path, search, hash] = /^(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest);
    let host = base?.host ?? "",
      pathname = path,
      query = search ?? "";
    if (authority !== undefined) {
      host = authority.replace(/^.*@/, "").toLowerCase();
      const port = /:(\d*)$/.exec(host);
      if (port) {
        if (+port[1] > 65535) return null;
        if (port[1] === "" || port[1] === SPECIAL[protocol]) host = host.slice(0, -port[0].length);
      } else if (/:/.test(host) && !host.startsWith("[")) return null;
      if (protocol !== "file:" && (host === "" || /[\s<>^|%]/.test(host))) return null;
    } else if (pathname === "") {
      pathname = base.pathname;
      if (search === undefined) query = base.search;
    } else if (!pathname.startsWith("/")) pathname = base.pathname.replace(/[^/]*$/, "") + pathname;
    const names = [],
      all = pathname.split("/");
    all.slice(1).forEach((name, i) => {
      const low = name.toLowerCase().replace(/%2e/g, "."),
        last = i === all.length - 2;
      if (low === "..") {
        names.pop();
        if (last) names.push("");
      } else if (low === ".") {
        if (last) names.push("");
      } else names.push(name);
    });
    return {
      protocol,
      host,
      pathname: "/" + names.map((name) => encodePart(name, /[\u0000-\u0020"<>`{}#?\u007f-\u{10ffff}]/gu)).join("/"),
      search: encodePart(query, /[\u0000-\u0020"<>'\u007f-\u{10ffff}]/gu),
      hash: hash === undefined ? "" : encodePart(hash, /[\u0000-\u0020"<>`\u007f-\u{10ffff}]/gu),
    };
  }
  get protocol() {
    return this.#parts.protocol;
  }
  get host() {
    return this.#parts.host;
  }
  get pathname() {
    return this.#parts.pathname;
  }
  get search() {
    const own = this.#parts.search;
    return own === "?" ? "" : own;
  }
  get hash() {
    const own = this.#parts.hash;
    return own === "#" ? "" : own;
  }
  set hash(text) {
    this.#parts.hash = text ? (text.startsWith("#") ? text : "#" + text) : "";
  }
  set search(text) {
    this.#parts.search = text ? (text.startsWith("?") ? text : "?" + text) : "";
  }
  set pathname(text) {
    this.#parts.pathname = text.startsWith("/") ? text : "/" + text;
  }
  get hostname() {
    return this.host.replace(/:\d+$/, "");
  }
  get port() {
    return /:(\d+)$/.exec(this.host)?.[1] ?? "";
  }
  get username() {
    return "";
  }
  get password() {
    return "";
  }
  get origin() {
    return this.#parts.opaque || this.protocol === "file:" ? "null" : `${this.protocol}//${this.host}`;
  }
  get href() {
    const p = this.#parts;
    return p.protocol + (p.opaque ? "" : "//" + p.host) + p.pathname + p.search + p.hash;
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
}
const pairs = (text) =>
  text
    .replace(/^\?/, "")
    .split("&")
    .filter(Boolean)
    .map((one) => {
      const i = one.indexOf("=");
      return (i < 0 ? [one, ""] : [one.slice(0, i), one.slice(i + 1)]).map((part) => {
        try {
          return decodeURIComponent(part.replace(/\+/g, " "));
        } catch {
          return part;
        }
      });
    });
const formText = (text) =>
  encodeURIComponent(text)
    .replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase())
    .replace(/%20/g, "+");
class URLSearchParams {
  #all;
  #told;
  constructor(init = "", told = null) {
    this.#told = told;
    this.#all =
      init == null
        ? []
        : typeof init === "string"
          ? pairs(init)
          : typeof init[Symbol.iterator] === "function"
            ? Array.from(init, ([a, b]) => [String(a), String(b)])
            : Object.entries(init).map(([a, b]) => [a, String(b)]);
  }
  #tell() {
    this.#told?.(this.toString());
  }
  get(name) {
    return this.#all.find(([key]) => key === name)?.[1] ?? null;
  }
  getAll(name) {
    return this.#all.filter(([key]) => key === name).map(([, value]) => value);
  }
  has(name) {
    return this.#all.some(([key]) => key === name);
  }
  set(name, value) {
    const i = this.#all.findIndex(([key]) => key === name);
    if (i < 0) this.#all.push([name, String(value)]);
    else {
      this.#all = this.#all.filter(([key], j) => key !== name || j === i);
      this.#all[i][1] = String(value);
    }
    this.#tell();
  }
  append(name, value) {
    this.#all.push([String(name), String(value)]);
    this.#tell();
  }
  delete(name) {
    this.#all = this.#all.filter(([key]) => key !== name);
    this.#tell();
  }
  forEach(work) {
    this.#all.forEach(([key, value]) => work(value, key, this));
  }
  keys() {
    return this.#all.map(([key]) => key).values();
  }
  values() {
    return this.#all.map(([, value]) => value).values();
  }
  entries() {
    return this.#all.map((one) => [...one]).values();
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get size() {
    return this.#all.length;
  }
  toString() {
    return this.#all.map((one) => one.map(formText).join("=")).join("&");
  }
}
class FormData {
  #all = [];
  constructor(form) {
    if (form) this.#all = entriesOf(form, null);
  }
  append(name, value) {
    this.#all.push([name, value instanceof File ? value : String(value)]);
  }
  get(name) {
    return this.#all.find(([key]) => key === name)?.[1] ?? null;
  }
  getAll(name) {
    return this.#all.filter(([key]) => key === name).map(([, value]) => value);
  }
  has(name) {
    return this.#all.some(([key]) => key === name);
  }
  set(name, value) {
    this.delete(name);
    this.append(name, value);
  }
  delete(name) {
    this.#all = this.#all.filter(([key]) => key !== name);
  }
  forEach(work) {
    this.#all.forEach(([key, value]) => work(value, key, this));
  }
  entries() {
    return this.#all.values();
  }
  keys() {
    return this.#all.map(([key]) => key).values();
  }
  values() {
    return this.#all.map(([, value]) => value).values();
  }
  [Symbol.iterator]() {
    return this.#all.values();
  }
}
class File {
  constructor(name, size, type) {
    this.name = name;
    this.size = size;
    this.type = type;
    this.lastModified = 0;
  }
  toString() {
    return "[object File]";
  }
}
class Headers {
  #all = new Map();
  constructor(init = {}) {
    for (const [name, value] of init instanceof Headers ? init : Array.isArray(init) ? init : Object.entries(init))
      this.#all.set(String(name).toLowerCase(), String(value));
  }
  get(name) {
    return this.#all.get(name.toLowerCase()) ?? null;
  }
  set(name, value) {
    this.#all.set(name.toLowerCase(), String(value));
  }
  append(name, value) {
    this.set(name, value);
  }
  has(name) {
    return this.#all.has(name.toLowerCase());
  }
  delete(name) {
    this.#all.delete(name.toLowerCase());
  }
  forEach(work) {
    this.#all.forEach((value, name) => work(value, name));
  }
  entries() {
    return this.#all.entries();
  }
  [Symbol.iterator]() {
    return this.#all.entries();
  }
}
const absolute = (url) => {
  try {
    return new URL(String(url), baseOf()).href;
  } catch {
    return null;
  }
};
const baseOf = () => {
  const base = document.head?.[KIDS].find((one) => one.localName === "base" && one.hasAttribute("href"));
  try {
    return base ? new URL(base[ATTRS].get("href"), document.URL).href : document.URL;
  } catch {
    return document.URL;
  }
};
const go = (url, more) => {
  const goal = absolute(url);
  if (goal === null)
    throw new DOMException(
      `Failed to set the 'href' property on 'Location': '${url}' is not a valid URL.`,
      "SyntaxError",
    );
  if (/^javascript:/i.test(goal)) {
    guarded(() => (0, eval)(decodeURIComponent(goal.slice(11))));
    return;
  }
  if (withinPage(goal)) moveTo(goal, more.replace);
  else effects.push({ kind: "navigate", url: goal, method: "GET", ...more });
};
const withinPage = (goal) => goal.includes("#") && goal.replace(/#.*/s, "") === document.URL.replace(/#.*/s, "");
const location = { ancestorOrigins: {} };
Object.defineProperty(location, "href", {
  enumerable: true,
  get() {
    return document.URL;
  },
  set(url) {
    go(url, {});
  },
});
for (const part of ["origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"])
  Object.defineProperty(location, part, {
    enumerable: true,
    get() {
      const url = new URL(document.URL);
      return url[part];
    },
    set(value) {
      const url = new URL(document.URL);
      if (part === "hash") moveTo(new URL(String(value).replace(/^#?/, "#"), url).href);
      else {
        url[part] = value;
        go(url.href, {});
      }
    },
  });
Object.assign(location, {
  assign(url) {
    go(url, {});
  },
  reload() {
    effects.push({ kind: "navigate", url: document.URL, method: "GET", reload: true });
  },
  replace(url) {
    go(url, { replace: true });
  },
  toString() {
    return document.URL;
  },
});
const moveTo = (goal, replace) => {
  const before = document.URL;
  if (goal === before) return;
  document[FORM].url = goal;
  history.state = null;
  if (!replace) lengthOf = ++here + 1;
  effects.push({ kind: "moved", url: goal, ...(replace && { replace }) });
  const part = document.getElementById(decodeURIComponent(goal.replace(/^[^#]*#/, "")));
  if (part) focused(focusable(part) ? part : null);
  popped(before);
};
const popped = (before) => {
  window.dispatchEvent(Object.assign(new Event("popstate", { trusted: true }), { state: history.state }));
  const after = document.URL;
  if (before !== after && before.replace(/#.*/s, "") === after.replace(/#.*/s, ""))
    soon(() =>
      window.dispatchEvent(
        Object.assign(new Event("hashchange", { trusted: true }), { oldURL: before, newURL: after }),
      ),
    );
};
let queue = [],
  clock = 0,
  timer = 0,
  cookies = new Map(),
  viewport = { width: 1280, height: 720 },
  hovered = null,
  answers = new Map(),
  asked = 0,
  startMs = 0,
  document = null,
  userAgent = "",
  lengthOf = 1,
  here = 0;
// The state that a script stores in a history entry.
const asText = (state) => {
  try {
    return JSON.stringify(state) ?? null;
  } catch {
    return null;
  }
};
const history = {
  get length() {
    return lengthOf;
  },
  state: null,
  pushState(state, _, url) {
    this.state = state;
    const goal = url == null ? document.URL : absolute(url);
    document[FORM].url = goal;
    lengthOf = ++here + 1;
    effects.push({ kind: "moved", url: goal, state: asText(state) });
  },
  replaceState(state, _, url) {
    this.state = state;
    const goal = url == null ? document.URL : absolute(url);
    document[FORM].url = goal;
    effects.push({ kind: "moved", url: goal, state: asText(state), replace: true });
  },
  back() {
    effects.push({ kind: "back", by: -1 });
  },
  forward() {
    effects.push({ kind: "back", by: 1 });
  },
  go(by) {
    if (by) effects.push({ kind: "back", by });
    else location.reload();
  },
};
const later = (work, ms, every, args) => {
  const id = ++timer,
    wait = Math.max(+ms || 0, every ? 1 : 0);
  queue.push({
    due: clock + wait,
    id,
    every: every ? Math.max(wait, 4) : 0,
    work: typeof work === "function" ? () => work(...args) : () => (0, eval)(String(work)),
  });
  return id;
};
const setTimeout = (work, ms, ...args) => later(work, ms, false, args),
  setInterval = (work, ms, ...args) => later(work, ms, true, args),
  clearTimeout = (id) => {
    queue = queue.filter((one) => one.id !== id);
  },
  clearInterval = clearTimeout;
const requestAnimationFrame = (work) => later(() => work(clock), 16, false, []),
  cancelAnimationFrame = clearTimeout,
  requestIdleCallback = (work) => later(() => work({ didTimeout: false, timeRemaining: () => 10 }), 1, false, []);
const queueMicrotask = (work) => {
  Promise.resolve().then(() => guarded(work));
};
const storage = (where) => {
  const kept = new Map();
  const tell = (name, value) => effects.push({ kind: "storage", where, name, value });
  const own = {
    getItem: (name) => kept.get(String(name)) ?? null,
    setItem: (name, value) => {
      kept.set(String(name), String(value));
      tell(String(name), String(value));
    },
    removeItem: (name) => {
      if (kept.delete(String(name))) tell(String(name), null);
    },
    clear: () => {
      for (const name of [...kept.keys()]) own.removeItem(name);
    },
    key: (i) => [...kept.keys()][i] ?? null,
  };
  const proxy = new Proxy(own, {
    get: (_, name) => (name === "length" ? kept.size : name in own ? own[name] : kept.get(String(name))),
    set: (_, name, value) => {
      own.setItem(name, value);
      return true;
    },
    deleteProperty: (_, name) => {
      own.removeItem(name);
      return true;
    },
    ownKeys: () => [...kept.keys()],
    has: (_, name) => kept.has(String(name)),
    getOwnPropertyDescriptor: (_, name) =>
      kept.has(String(name)) ? { value: kept.get(String(name)), enumerable: true, configurable: true } : undefined,
  });
  return [proxy, kept];
};
const [localStorage, kept] = storage("local"),
  [sessionStorage, keptHere] = storage("tab");
const preview = (value, deep) => {
  if (value === null) return "null";
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "string":
      return deep && value.length > 100 ? value.slice(0, 100) + "\u2026" : value;
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "boolean":
      return String(value);
    case "bigint":
      return value + "n";
    case "symbol":
      return String(value);
    case "function":
      return deep ? "() => {}" : Function.prototype.toString.call(value);
  }
  if (value instanceof Node)
    return deep ? (value.localName ?? value.nodeName) + (value.id ? "#" + value.id : "") : "JSHandle@node";
  if (value === window) return deep ? "Window" : "Window";
  if (value instanceof Error)
    return deep ? String(value) : `${value.name}: ${value.message}\n${trace(value)}`.trimEnd();
  if (Array.isArray(value))
    return deep
      ? `Array(${value.length})`
      : "[" +
          value
            .slice(0, 100)
            .map((one) => preview(one, true))
            .join(", ") +
          "]";
  if (value instanceof Date) return value.toString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name}(${value.size})`;
  const name = value.constructor?.name ?? "Object";
  if (name !== "Object") return name === "NodeList" || name === "HTMLCollection" ? `${name}(${value.length})` : name;
  return deep
    ? "Object"
    : "{" +
        Object.entries(value)
          .slice(0, 5)
          .map(([key, one]) => `${key}: ${preview(one, true)}`)
          .join(", ") +
        "}";
};
const trace = (error) => String(error.stack ?? "").trimEnd();
const counts = new Map();
// Top-level values are printed without what JSON cannot express; `handles` is Puppeteer's form.
const plainly = (one) => (Object.is(one, -0) ? "0" : typeof one === "bigint" ? "undefined" : preview(one, false));
const HANDLES = [
  ["node", Node],
  ["array", Array],
  ["error", Error],
  ["regexp", RegExp],
  ["date", Date],
  ["map", Map],
  ["set", Set],
  ["weakmap", WeakMap],
  ["weakset", WeakSet],
  ["promise", Promise],
  ["array", NodeList],
];
const handle = (one) => {
  if (one === null || one === undefined) return "";
  if (typeof one === "symbol" || typeof one === "function") return `JSHandle@${typeof one}`;
  if (typeof one !== "object") return String(one);
  return `JSHandle@${HANDLES.find(([, Class]) => one instanceof Class)?.[0] ?? "object"}`;
};
const say = (type, args) => {
  effects.push({ kind: "console", type, text: args.map(plainly).join(" "), handles: args.map(handle).join(" ") });
};
const console = {};
for (const [name, type] of [
  ["log", "log"],
  ["info", "info"],
  ["warn", "warning"],
  ["error", "error"],
  ["debug", "debug"],
  ["dir", "dir"],
  ["table", "table"],
])
  console[name] = (...args) => {
    if (args.length) say(type, args);
  };
for (const [name, type] of [
  ["trace", "trace"],
  ["group", "startGroup"],
  ["groupCollapsed", "startGroupCollapsed"],
])
  console[name] = (...args) => say(type, args.length ? args : [`console.${name}`]);
Object.assign(console, {
  groupEnd() {
    say("endGroup", ["console.groupEnd"]);
  },
  assert(ok, ...args) {
    if (!ok) say("assert", args.length ? args : ["console.assert"]);
  },
  count(name = "default") {
    const n = (counts.get(name) ?? 0) + 1;
    counts.set(name, n);
    say("count", [`${name}: ${n}`]);
  },
  time() {},
  timeEnd(name = "default") {
    say("timeEnd", [`${name}: 0 ms`]);
  },
  clear() {
    say("clear", ["console.clear"]);
  },
});
const alert = (text = "") => {
    effects.push({ kind: "dialog", type: "alert", message: String(text) });
  },
  confirm = (text = "") => {
    effects.push({ kind: "dialog", type: "confirm", message: String(text) });
    return false;
  },
  prompt = (text = "", initial = "") => {
    effects.push({ kind: "dialog", type: "prompt", message: String(text), initial: String(initial) });
    return null;
  };
class Response {
  #body;
  constructor(body = "", init = {}) {
    this.#body = body ?? "";
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? "";
    this.ok = this.status >= 200 && this.status < 300;
    this.headers = new Headers(init.headers);
    this.url = init.url ?? "";
    this.redirected = false;
    this.type = "basic";
    this.bodyUsed = false;
  }
  async text() {
    this.bodyUsed = true;
    return this.#body;
  }
  async json() {
    this.bodyUsed = true;
    return JSON.parse(this.#body);
  }
  clone() {
    return new Response(this.#body, this);
  }
  async blob() {
    return { size: this.#body.length, type: this.headers.get("content-type") ?? "" };
  }
}
class Request {
  constructor(url, init = {}) {
    this.url = absolute(url);
    this.method = (init.method ?? "GET").toUpperCase();
    this.headers = new Headers(init.headers);
    this.body = init.body ?? null;
  }
}
const bodyOf = (body, headers) => {
  if (body == null) return null;
  if (body instanceof FormData || body instanceof URLSearchParams) {
    if (!headers.has("content-type")) headers.set("content-type", "application/x-www-form-urlencoded");
    return new URLSearchParams(
      [...body].map(([key, value]) => [key, value instanceof File ? value.name : value]),
    ).toString();
  }
  return String(body);
};
const fetch = (input, init = {}) =>
  new Promise((resolve, reject) => {
    const request = input instanceof Request ? input : null,
      headers = new Headers(init.headers ?? request?.headers ?? {}),
      url = absolute(request ? request.url : input);
    if (url === null) {
      reject(new TypeError(`Failed to execute 'fetch' on 'Window': Failed to parse URL from ${input}`));
      return;
    }
    const id = ++asked;
    answers.set(id, [resolve, reject]);
    const body = bodyOf(init.body ?? request?.body, headers);
    effects.push({
      kind: "fetch",
      id,
      url,
      method: String(init.method ?? request?.method ?? "GET").toUpperCase(),
      headers: Object.fromEntries(headers),
      body,
    });
  });
class XMLHttpRequest extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { readyState: 0, status: 0, statusText: "", responseText: "", response: "", responseType: "" });
    Object.defineProperty(this, FORM, { value: { headers: {} } });
  }
  open(method, url) {
    this[FORM].method = method;
    this[FORM].url = url;
    this.readyState = 1;
  }
  setRequestHeader(name, value) {
    this[FORM].headers[name] = value;
  }
  getResponseHeader(name) {
    return this[FORM].got?.get(name) ?? null;
  }
  getAllResponseHeaders() {
    return this[FORM].got ? [...this[FORM].got].map(([name, value]) => `${name}: ${value}\r\n`).join("") : "";
  }
  abort() {}
  send(body) {
    const done = (type) => {
      for (const one of ["readystatechange", type, "loadend"]) this.dispatchEvent(new Event(one));
    };
    fetch(this[FORM].url, { method: this[FORM].method, headers: this[FORM].headers, body })
      .then(async (answer) => {
        this.readyState = 4;
        this.status = answer.status;
        this.statusText = answer.statusText;
        this[FORM].got = answer.headers;
        this.responseText = await answer.text();
        this.response = this.responseType === "json" ? JSON.parse(this.responseText) : this.responseText;
        done("load");
      })
      .catch(() => {
        this.readyState = 4;
        done("error");
      });
  }
}
class Observer {
  observe() {}
  disconnect() {}
  unobserve() {}
  takeRecords() {
    return [];
  }
}
const navigator = {
  get userAgent() {
    return userAgent;
  },
  language: "en-US",
  languages: ["en-US"],
  platform: "Linux x86_64",
  onLine: true,
  cookieEnabled: true,
  hardwareConcurrency: 2,
  maxTouchPoints: 0,
  vendor: "Google Inc.",
  webdriver: true,
  clipboard: { writeText: async () => {}, readText: async () => "" },
  sendBeacon: () => true,
};
const RealDate = Date;
const nowMs = () => startMs + clock;
class PageDate extends RealDate {
  constructor(...args) {
    if (args.length) super(...args);
    else super(nowMs());
  }
  static now() {
    return nowMs();
  }
}
Object.defineProperty(PageDate, "name", { value: "Date" });
const Dated = new Proxy(PageDate, { apply: () => new PageDate().toString() });
Object.defineProperty(PageDate.prototype, "constructor", { value: Dated, configurable: true, writable: true });
let chance = [1, 2, 3, 4];
const random = () => {
  let [a, b, c, d] = chance;
  const t = b << 9;
  let r = Math.imul(b, 5);
  r = Math.imul((r << 7) | (r >>> 25), 9);
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= t;
  d = (d << 11) | (d >>> 21);
  chance = [a, b, c, d];
  return (r >>> 0) / 4294967296;
};
const window = globalThis;
Object.setPrototypeOf(window, new (class Window extends EventTarget {})());
const publish = () => {
  const hide = (name, value) =>
    Object.defineProperty(window, name, { value, writable: true, configurable: true, enumerable: false });
  const Classes = {
    DOMException,
    Event,
    UIEvent,
    MouseEvent,
    PointerEvent,
    KeyboardEvent,
    InputEvent,
    FocusEvent,
    SubmitEvent,
    DragEvent,
    CustomEvent,
    EventTarget,
    NodeList,
    HTMLCollection,
    Node,
    CharacterData,
    Text,
    Comment,
    DocumentFragment,
    DOMTokenList,
    Element,
    HTMLElement,
    SVGElement,
    Document,
    HTMLDocument,
    NodeFilter,
    TreeWalker,
    DOMParser,
    URL,
    URLSearchParams,
    FormData,
    File,
    Headers,
    Response,
    Request,
    XMLHttpRequest,
    MutationObserver: Observer,
    IntersectionObserver: Observer,
    ResizeObserver: Observer,
    Date: Dated,
  };
  for (const [name, value] of Object.entries(Classes)) hide(name, value);
  for (const Class of new Set(Object.values(named))) hide(Class.name, Class);
  hide(Symbol.toStringTag, "Window");
  for (const Class of [
    EventTarget,
    Event,
    NodeList,
    DOMTokenList,
    URLSearchParams,
    FormData,
    Headers,
    Response,
    Request,
  ])
    Object.defineProperty(Class.prototype, Symbol.toStringTag, {
      get() {
        return this.constructor.name;
      },
      configurable: true,
    });
  hide("Intl", Intl);
  hide(
    "Image",
    class {
      constructor(w, h) {
        const one = make("img");
        if (w !== undefined) one.setAttribute("width", w);
        if (h !== undefined) one.setAttribute("height", h);
        return one;
      }
    },
  );
  for (const [name, value] of Object.entries({
    window,
    self: window,
    name: "",
    history,
    top: window,
    parent: window,
    frames: window,
    localStorage,
    sessionStorage,
    console,
    navigator,
    alert,
    confirm,
    prompt,
    fetch,
    setTimeout,
    setInterval,
    clearTimeout,
    clearInterval,
    requestAnimationFrame,
    cancelAnimationFrame,
    requestIdleCallback,
    queueMicrotask,
    structuredClone,
    getComputedStyle,
  }))
    Object.defineProperty(window, name, { value, writable: true, configurable: true, enumerable: true });
  for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"])
    hide(name, EventTarget.prototype[name].bind(window));
  hide("scrollTo", () => {});
  hide("scrollBy", () => {});
  hide("scroll", () => {});
  hide("print", () => {});
  hide("focus", () => {});
  hide("blur", () => {});
  hide("stop", () => {});
  hide("close", () => {
    effects.push({ kind: "close" });
  });
  hide("open", (url) => {
    go(url ?? "about:blank", { target: "_blank" });
    return null;
  });
  hide("getSelection", () => ({ toString: () => "", rangeCount: 0, removeAllRanges() {}, addRange() {} }));
  hide("matchMedia", (query) => ({
    matches:
      (/min-width:\s*(\d+)/.exec(query)?.[1] ?? 0) <= viewport.width &&
      (/max-width:\s*(\d+)/.exec(query)?.[1] ?? 1e9) >= viewport.width &&
      !/print|dark|reduce/.test(query),
    media: query,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
  }));
  hide("postMessage", () => {});
  hide("opener", null);
  hide("closed", false);
  hide("devicePixelRatio", 1);
  hide("isSecureContext", false);
  hide("screen", {
    get width() {
      return viewport.width;
    },
    get height() {
      return viewport.height;
    },
    get availWidth() {
      return viewport.width;
    },
    get availHeight() {
      return viewport.height;
    },
    colorDepth: 24,
  });
  hide("performance", {
    now: () => clock,
    timeOrigin: 0,
    mark() {},
    measure() {},
    getEntriesByType: () => [],
    timing: {},
  });
  hide("CSS", { escape: (text) => String(text).replace(/[^\w-]/g, (c) => "\\" + c), supports: () => true });
  hide("btoa", (text) => {
    const codes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let out = "";
    for (let i = 0; i < text.length; i += 3) {
      const [a, b, c] = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)];
      out +=
        codes[a >> 2] +
        codes[((a & 3) << 4) | (b >> 4)] +
        (isNaN(b) ? "=" : codes[((b & 15) << 2) | (c >> 6)]) +
        (isNaN(c) ? "=" : codes[c & 63]);
    }
    return out;
  });
  hide("atob", (text) => {
    const codes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let out = "",
      bits = 0,
      have = 0;
    for (const c of String(text).replace(/[=\s]/g, "")) {
      const n = codes.indexOf(c);
      if (n < 0)
        throw new DOMException(
          "Failed to execute 'atob' on 'Window': The string to be decoded is not correctly encoded.",
          "InvalidCharacterError",
        );
      bits = (bits << 6) | n;
      have += 6;
      if (have >= 8) {
        have -= 8;
        out += String.fromCharCode((bits >> have) & 255);
      }
    }
    return out;
  });
  for (const [name, get] of [
    ["document", () => document],
    ["innerWidth", () => viewport.width],
    ["innerHeight", () => viewport.height],
    ["outerWidth", () => viewport.width],
    ["outerHeight", () => viewport.height],
    ["scrollX", () => 0],
    ["scrollY", () => 0],
    ["pageXOffset", () => 0],
    ["pageYOffset", () => 0],
    ["origin", () => location.origin],
    ["length", () => document.getElementsByTagName("iframe").length],
  ])
    Object.defineProperty(window, name, { get, set() {}, configurable: true, enumerable: true });
  Object.defineProperty(window, "location", {
    get: () => location,
    set: (url) => {
      location.href = url;
    },
    configurable: true,
    enumerable: true,
  });
  Object.defineProperty(Math, "random", { value: random, writable: true, configurable: true });
};

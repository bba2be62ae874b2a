// Selectors: CSS, and the extensions of Playwright and Puppeteer (text, roles, chains with `>>`).

class BadSelector extends Error {}
const NAME = /(?:-?(?:[a-zA-Z_\u0080-\uffff]|\\[^\n])|--)(?:[\w\u0080-\uffff-]|\\[^\n])*/y;
const HASH = /(?:[\w\u0080-\uffff-]|\\[^\n])+/y;
const SIGN = /[~|^$*]?=/y;
const LOOSE = /[iIsS](?=[\s\]])/y;
const matchAt = (pattern, source, at) => {
  pattern.lastIndex = at;
  return pattern.exec(source);
};
// Lists of steps, or the errors of invalid selectors, by selector; one map for Playwright's selectors, one for CSS.
const PARSED = [new Map(), new Map()];
const parseCss = (source, more) => {
  const known = PARSED[+more];
  let steps = known.get(source);
  if (steps === undefined) {
    const reading = { reusable: true };
    try {
      steps = readCss(source, more, reading);
    } catch (error) {
      if (!(error instanceof BadSelector)) throw error;
      steps = error;
    }
    if (reading.reusable) known.set(source, steps);
  }
  if (steps instanceof BadSelector) throw steps;
  return steps;
};
// `reading.reusable` becomes false if the steps hold elements of the page as it is now, or a pattern with a state.
const readCss = (source, more, reading) => {
  let at = 0;
  const blanks = () => {
    const start = at;
    while (/[ \t\n\f\r]/.test(source[at] ?? "")) at++;
    return at > start;
  };
  const name = () => {
    const found = matchAt(NAME, source, at);
    if (!found) throw new BadSelector(source[at] ?? "");
    at += found[0].length;
    return unescaped(found[0]);
  };
  const hash = () => {
    const found = matchAt(HASH, source, at);
    if (!found) throw new BadSelector(source[at] ?? "");
    at += found[0].length;
    return unescaped(found[0]);
  };
  const string = () => {
    const mark = source[at++];
    let text = "";
    while (source[at] !== mark) {
      if (at >= source.length) throw new BadSelector("");
      if (source[at] === "\\") at++;
      text += source[at++];
    }
    at++;
    return text;
  };
  const unescaped = (text) =>
    text.replace(/\\([0-9a-fA-F]{1,6})\s?|\\(.)/g, (_, hex, one) => (hex ? codePoint(parseInt(hex, 16)) : one));
  const list = (inside) => {
    const all = [];
    do {
      at += all.length ? 1 : 0;
      all.push(complex(inside));
    } while (source[at] === ",");
    return all;
  };
  const complex = (relative) => {
    const steps = [];
    let by = relative ? " " : null;
    blanks();
    if (relative && /[>+~]/.test(source[at] ?? "")) {
      by = source[at++];
      blanks();
    }
    for (;;) {
      steps.push({ by, tests: compound() });
      const gap = blanks(),
        next = source[at];
      if (next === undefined || next === "," || next === ")") return steps;
      if (more && source.startsWith(">>", at)) throw new BadSelector(">");
      if (/[>+~]/.test(next)) {
        by = next;
        at++;
        blanks();
      } else if (gap) by = " ";
      else throw new BadSelector(next);
    }
  };
  const compound = () => {
    const tests = [];
    for (let first = true; ; first = false) {
      const next = source[at];
      if (next === "*" && first) {
        at++;
        tests.push(() => true);
      } else if (next === "#") {
        at++;
        const id = hash();
        tests.push((one) => one[ATTRS].get("id") === id);
      } else if (next === ".") {
        at++;
        const own = name();
        tests.push((one) => (one[ATTRS].get("class") || "").split(/[ \t\n\f\r]+/).includes(own));
      } else if (next === "[") tests.push(attribute());
      else if (next === ":") tests.push(pseudo());
      else if (first) {
        const tag = name();
        tests.push((one) => one.localName === tag.toLowerCase() || one.localName === tag);
      } else return tests;
    }
  };
  const attribute = () => {
    at++;
    blanks();
    const key = name().toLowerCase();
    blanks();
    const sign = matchAt(SIGN, source, at)?.[0];
    if (!sign) {
      if (source[at] !== "]") throw new BadSelector(source[at] ?? "");
      at++;
      return (one) => one[ATTRS].has(key);
    }
    at += sign.length;
    blanks();
    let value = /["']/.test(source[at] ?? "") ? string() : name();
    blanks();
    const loose = matchAt(LOOSE, source, at);
    if (loose) {
      at++;
      blanks();
    }
    if (source[at] !== "]") throw new BadSelector(source[at] ?? "");
    at++;
    const fold = loose && /i/i.test(loose[0]) ? (text) => text.toLowerCase() : (text) => text;
    value = fold(value);
    return (one) => {
      const own = one[ATTRS].get(key);
      if (own === undefined) return false;
      const have = fold(own);
      switch (sign) {
        case "=":
          return have === value;
        case "~=":
          return value !== "" && have.split(/[ \t\n\f\r]+/).includes(value);
        case "|=":
          return have === value || have.startsWith(value + "-");
        case "^=":
          return value !== "" && have.startsWith(value);
        case "$=":
          return value !== "" && have.endsWith(value);
        default:
          return value !== "" && have.includes(value);
      }
    };
  };
  const until = () => {
    let depth = 1,
      start = at;
    while (depth) {
      const c = source[at];
      if (c === undefined) throw new BadSelector("");
      if (c === '"' || c === "'") {
        string();
        continue;
      }
      if (c === "(") depth++;
      if (c === ")") depth--;
      at++;
    }
    return source.slice(start, at - 1).trim();
  };
  const nested = (relative) => {
    const all = list(relative);
    if (source[at] !== ")") throw new BadSelector(source[at] ?? "");
    at++;
    return all;
  };
  const pseudo = () => {
    at++;
    if (source[at] === ":") {
      at++;
      name();
      return () => false;
    }
    const own = name().toLowerCase();
    if (source[at] !== "(") {
      const test = SIMPLE[own] ?? (more ? EXTRA[own] : undefined);
      if (!test) throw new BadSelector(":" + own);
      return test;
    }
    at++;
    blanks();
    if (/^(not|is|where|matches|-webkit-any)$/.test(own)) {
      const all = nested(false);
      return own === "not" ? (one) => !fits(one, all) : (one) => fits(one, all);
    }
    if (own === "has") {
      const all = nested(true);
      return (one) => all.some((steps) => related(one, steps));
    }
    if (/^nth-(?!match$)/.test(own)) {
      const [a, b] = nth(until());
      return (one) => {
        const i = position(one, own);
        return a === 0 ? i === b : (i - b) / a >= 0 && (i - b) % a === 0;
      };
    }
    if (own === "lang" || own === "dir") {
      const value = until();
      return (one) => !!one.closest(`[${own}|="${value}"]`);
    }
    if (more && /^(text|has-text|text-is|text-matches)$/.test(own)) {
      const source = until(),
        text = /^["']/.test(source) ? source.slice(1, -1).replace(/\\(.)/g, "$1") : source;
      if (own === "has-text") return (one) => folded(texts(one)).includes(folded(text));
      if (own === "text-is") return (one) => ownTexts(one).some((own) => flat(own) === flat(text));
      if (own === "text-matches") {
        reading.reusable = false;
        const parts = /^(["'])(.*?)\1\s*(?:,\s*["'](\w*)["'])?$/.exec(source);
        const pattern = new RegExp(parts ? parts[2] : source, parts?.[3] ?? "");
        return (one) => innermost(one, (have) => pattern.test(flat(have)));
      }
      return (one) => innermost(one, (have) => folded(have).includes(folded(text)));
    }
    if (more && own === "nth-match") {
      reading.reusable = false;
      const inside = until(),
        cut = inside.lastIndexOf(",");
      const found = elementsBelow(document).filter((one) => fits(one, parseCss(inside.slice(0, cut), true)));
      const wanted = found[parseInt(inside.slice(cut + 1)) - 1];
      return (one) => one === wanted;
    }
    throw new BadSelector(":" + own);
  };
  const nth = (text) => {
    text = text.replace(/\s+/g, "").toLowerCase();
    if (text === "odd") return [2, 1];
    if (text === "even") return [2, 0];
    const parts = /^([+-]?\d*)n([+-]\d+)?$/.exec(text);
    if (parts) return [parts[1] === "" || parts[1] === "+" ? 1 : parts[1] === "-" ? -1 : +parts[1], +(parts[2] ?? 0)];
    if (!/^[+-]?\d+$/.test(text)) throw new BadSelector(text);
    return [0, +text];
  };
  const all = list(false);
  if (at < source.length) throw new BadSelector(source[at]);
  return all;
};
const flat = (text) =>
    text
      .replace(/[\u200b\u00ad]/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  folded = (text) => flat(text).toLowerCase();
const UNTOLD = /^(script|style|noscript|head|title)$/;
const ownText = (one) => {
  if (UNTOLD.test(one.localName)) return "";
  if (one.localName === "input" && /^(submit|button|reset)$/i.test(one.getAttribute("type") || "")) return one.value;
  let all = "";
  for (const kid of one[KIDS]) all += kid.nodeType === 3 ? kid[TEXT] : kid.nodeType === 1 ? ownText(kid) : "";
  return all;
};
// Return the text nodes that are direct children of an element.
const ownTexts = (one) => {
  if (UNTOLD.test(one.localName)) return [];
  if (one.localName === "input" && /^(submit|button)$/i.test(one.getAttribute("type") || "")) return [one.value];
  const all = [""];
  for (const kid of one[KIDS])
    if (kid.nodeType === 3) all[all.length - 1] += kid[TEXT];
    else if (kid.nodeType === 1) all.push("");
  return all.filter(Boolean);
};
const innermost = (one, test) =>
  !UNTOLD.test(one.localName) &&
  test(ownText(one)) &&
  !one[KIDS].some((kid) => kid.nodeType === 1 && !UNTOLD.test(kid.localName) && test(ownText(kid)));
const position = (one, how) => {
  const all = (one[UP]?.[KIDS] ?? [one]).filter(
    (kid) => kid.nodeType === 1 && (!how.includes("of-type") || kid.localName === one.localName),
  );
  return how.includes("last") ? all.length - all.indexOf(one) : all.indexOf(one) + 1;
};
const formControl = (one) => /^(input|select|textarea|button|option|optgroup|fieldset)$/.test(one.localName);
const disabled = (one) =>
  formControl(one) &&
  (one.hasAttribute("disabled") ||
    !!one[UP]?.closest?.("fieldset[disabled]") ||
    (one.localName === "option" && !!one[UP]?.closest?.("optgroup[disabled]")));
const judged = (one) =>
  /^(form|fieldset)$/.test(one.localName) ||
  (/^(input|select|textarea|button|output)$/.test(one.localName) && one.willValidate !== false);
const faulty = (one) =>
  one.localName === "form"
    ? controlsOf(one).some((own) => problemOf(own))
    : one.localName === "fieldset"
      ? elementsBelow(one).some((own) => formControl(own) && problemOf(own))
      : !!problemOf(one);
const SIMPLE = {
  "first-child": (one) => position(one, "nth-child") === 1,
  "last-child": (one) => position(one, "nth-last-child") === 1,
  "only-child": (one) => position(one, "nth-child") === 1 && position(one, "nth-last-child") === 1,
  "first-of-type": (one) => position(one, "nth-of-type") === 1,
  "last-of-type": (one) => position(one, "nth-last-of-type") === 1,
  "only-of-type": (one) => position(one, "nth-of-type") === 1 && position(one, "nth-last-of-type") === 1,
  empty: (one) => !one[KIDS].some((kid) => kid.nodeType === 1 || (kid.nodeType === 3 && kid[TEXT] !== "")),
  root: (one) => one[UP]?.nodeType === 9,
  scope: (one) => one === scope || (scope?.nodeType === 9 && one[UP] === scope),
  checked: (one) => (one.localName === "option" ? one.selected : one.checked === true),
  disabled: (one) => disabled(one),
  enabled: (one) => formControl(one) && !disabled(one),
  required: (one) => one.hasAttribute("required"),
  optional: (one) => /^(input|select|textarea)$/.test(one.localName) && !one.hasAttribute("required"),
  "read-only": (one) => !editable(one),
  "read-write": (one) => editable(one),
  link: (one) => one.localName === "a" && one.hasAttribute("href"),
  "any-link": (one) => one.localName === "a" && one.hasAttribute("href"),
  visited: () => false,
  focus: (one) => one === document[FORM].active,
  "focus-within": (one) => one.contains(document.activeElement),
  "focus-visible": (one) => one === document[FORM].active,
  hover: (one) => hovered !== null && one.contains(hovered),
  active: () => false,
  target: (one) => !!one.id && "#" + one.id === window.location.hash,
  "placeholder-shown": (one) => one.hasAttribute("placeholder") && one.value === "",
  valid: (one) => judged(one) && !faulty(one),
  invalid: (one) => judged(one) && faulty(one),
  indeterminate: () => false,
  default: () => false,
  "in-range": () => true,
  "out-of-range": () => false,
  open: (one) => one.hasAttribute("open"),
  defined: () => true,
};
const EXTRA = { visible: (one) => visible(one), light: () => true };
let scope = null;
const fits = (one, all, within) => {
  const before = scope;
  if (within !== undefined) scope = within;
  try {
    return all.some((steps) => fitsSteps(one, steps, steps.length - 1));
  } finally {
    scope = before;
  }
};
const fitsSteps = (one, steps, i) => {
  if (!steps[i].tests.every((test) => test(one))) return false;
  switch (steps[i].by) {
    case null:
      return true;
    case ">":
      return one[UP]?.nodeType === 1 && fitsSteps(one[UP], steps, i - 1);
    case "+": {
      const before = one.previousElementSibling;
      return !!before && fitsSteps(before, steps, i - 1);
    }
    case "~":
      for (let at = one.previousElementSibling; at; at = at.previousElementSibling)
        if (fitsSteps(at, steps, i - 1)) return true;
      return false;
    default:
      for (let at = one[UP]; at?.nodeType === 1; at = at[UP]) if (fitsSteps(at, steps, i - 1)) return true;
      return false;
  }
};
const related = (one, steps) => {
  const among = /[+~]/.test(steps[0].by)
    ? (one[UP]?.[KIDS] ?? []).filter((kid) => kid.nodeType === 1).flatMap((kid) => [kid, ...elementsBelow(kid)])
    : elementsBelow(one);
  const anchored = [{ by: null, tests: [(at) => at === one] }, ...steps];
  return among.some((at) => fitsSteps(at, anchored, anchored.length - 1));
};
const cache = new Map();
const parsed = (selector, method, owner) => {
  const source = String(selector);
  if (cache.has(source)) return cache.get(source);
  if (source.trim() === "")
    throw new DOMException(
      `Failed to execute '${method}' on '${owner}': The provided selector is empty.`,
      "SyntaxError",
    );
  let all;
  try {
    all = parseCss(source, false);
  } catch (error) {
    if (!(error instanceof BadSelector)) throw error;
    throw new DOMException(
      `Failed to execute '${method}' on '${owner}': '${source}' is not a valid selector.`,
      "SyntaxError",
    );
  }
  cache.set(source, all);
  return all;
};
const select = (root, selector, method, one) => {
  const all = parsed(
    selector,
    method,
    root.nodeType === 9 ? "Document" : root.nodeType === 11 ? "DocumentFragment" : "Element",
  );
  const before = scope,
    found = [];
  scope = root;
  try {
    for (const node of elementsBelow(root))
      if (fits(node, all)) {
        found.push(node);
        if (one) break;
      }
  } finally {
    scope = before;
  }
  return found;
};
const ROLES = {
  button: "button, input[type=button], input[type=submit], input[type=reset], summary, [role=button]",
  link: "a[href], area[href], [role=link]",
  heading: "h1, h2, h3, h4, h5, h6, [role=heading]",
  textbox:
    "input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=url], textarea, [role=textbox]",
  checkbox: "input[type=checkbox], [role=checkbox]",
  radio: "input[type=radio], [role=radio]",
  combobox: "select, [role=combobox]",
  listitem: "li, [role=listitem]",
  list: "ul, ol, menu, [role=list]",
  img: "img, [role=img]",
  navigation: "nav, [role=navigation]",
  main: "main, [role=main]",
  table: "table, [role=table]",
  row: "tr, [role=row]",
  cell: "td, [role=cell]",
  option: "option, [role=option]",
  searchbox: "input[type=search], [role=searchbox]",
  form: "form, [role=form]",
  dialog: "dialog, [role=dialog]",
  article: "article, [role=article]",
  banner: "header, [role=banner]",
  contentinfo: "footer, [role=contentinfo]",
  paragraph: "p",
  spinbutton: "input[type=number], [role=spinbutton]",
};
const nameOf = (one) =>
  flat(
    one.getAttribute("aria-label") ||
      labelText(one) ||
      (one.localName === "img" ? one.getAttribute("alt") || "" : "") ||
      (one.localName === "input" ? (/^(submit|button|reset)$/.test(one.type) ? one.value : "") : ownText(one)) ||
      one.getAttribute("placeholder") ||
      one.getAttribute("title") ||
      "",
  );
const labelText = (one) =>
  Array.from(one.labels ?? [])
    .map((label) => ownText(label))
    .join(" ");
const QUOTE = new Set(['"', "'", "`"]);
const chain = (selector) => {
  const parts = [];
  let start = 0,
    mark = null,
    quoted = false; // whether this part has a quotation mark already
  for (let i = 0; i <= selector.length; i++) {
    const c = selector[i];
    if (c === "\\" && i + 1 < selector.length) {
      i++;
      quoted ||= QUOTE.has(selector[i]);
      continue;
    }
    if (mark && i < selector.length) {
      if (c === mark) mark = null;
      quoted ||= QUOTE.has(c);
      continue;
    }
    if (QUOTE.has(c)) {
      const opens = quoted || i === start || !/\w/.test(selector[i - 1]);
      quoted = true;
      if (opens) {
        mark = c;
        continue;
      }
    }
    if (i === selector.length || selector.startsWith(">>", i)) {
      parts.push(selector.slice(start, i).trim());
      start = i + 2;
      quoted = false;
      i++;
    }
  }
  return parts;
};
const engineOf = (part) => {
  const named = /^([a-zA-Z_0-9\-+:*]+)\s*=/.exec(part);
  if (named && !/^["'/.]/.test(part)) return [named[1], part.slice(named[0].length)];
  if (part.length > 1 && /^(["']).*\1$/s.test(part)) return ["text", part];
  if (/^\(*\/\//.test(part) || part.startsWith("..")) return ["xpath", part];
  return ["css", part];
};
const ENGINES = new Set([
  "css",
  "css:light",
  "text",
  "text:light",
  "xpath",
  "xpath:light",
  "id",
  "id:light",
  "data-testid",
  "data-testid:light",
  "data-test-id",
  "data-test-id:light",
  "data-test",
  "data-test:light",
  "nth",
  "visible",
  "role",
  "internal:control",
  "internal:has",
  "internal:has-not",
  "internal:has-text",
  "internal:has-not-text",
  "internal:and",
  "internal:or",
  "internal:chain",
  "internal:label",
  "internal:text",
  "internal:role",
  "internal:testid",
  "internal:attr",
  "aria-ref",
  "_react",
  "_vue",
  "internal:describe",
]);
const checkLocator = (selector) => {
  for (const part of chain(selector)) {
    let [engine, body] = engineOf(part);
    if (engine.startsWith("*")) engine = engine.slice(1);
    if (engine === "css" || engine === "css:light") {
      try {
        parseCss(body, true);
      } catch (error) {
        if (!(error instanceof BadSelector)) throw error;
        return { css: body, token: error.message };
      }
    } else if (!ENGINES.has(engine)) return { engine };
    const pattern = engine.startsWith("text") ? /^\/(.*)\/([a-z]*)$/s.exec(body.trim()) : null;
    if (pattern) {
      try {
        new RegExp(pattern[1], pattern[2]);
      } catch (error) {
        return { pattern: `Invalid regular expression: /${pattern[1]}/${pattern[2]}: ${error.message}` };
      }
    }
  }
  return null;
};
const locate = (selector, root, xpath) => {
  let found = [root],
    capture = null;
  for (const part of chain(selector)) {
    let [engine, body] = engineOf(part);
    const marks = engine.startsWith("*");
    if (marks) engine = engine.slice(1);
    engine = engine.replace(/:light$/, "");
    if (found[0] === document && /^(nth|visible|internal:has-text)$/.test(engine)) found = elementsBelow(document);
    if (engine === "nth") {
      const n = parseInt(body);
      const one = found[n < 0 ? found.length + n : n];
      found = one ? [one] : [];
    } else if (engine === "visible") found = found.filter((one) => visible(one) === (body.trim() === "true"));
    else if (engine === "internal:has-text")
      found = found.filter((one) => folded(texts(one)).includes(folded(JSON.parse(body.replace(/[is]$/, "")))));
    else found = [...new Set(found.flatMap((from) => below(engine, body, from, xpath)))];
    if (marks) capture = found;
    if (!found.length) return [];
  }
  return (capture ?? found).filter((one) => one.nodeType === 1);
};
const below = (engine, body, from, xpath) => {
  const all = elementsBelow(from);
  if (engine === "css") {
    const css = parseCss(body, true);
    const before = scope;
    scope = from;
    try {
      return all.filter((one) => fits(one, css));
    } finally {
      scope = before;
    }
  }
  if (engine === "xpath") {
    const every = elementsBelow(document);
    return xpath.map((i) => every[i]).filter((one) => one && from.contains(one));
  }
  if (engine === "text") {
    const exact = /^(["'])(.*)\1$/s.exec(body.trim()),
      pattern = /^\/(.*)\/([a-z]*)$/s.exec(body.trim());
    const among = from.nodeType === 1 ? [from, ...all] : all;
    if (exact) {
      const text = flat(exact[2].replace(/\\(.)/g, "$1"));
      return among.filter((one) => ownTexts(one).some((own) => flat(own) === text));
    }
    const test = pattern
      ? (
          (own) => (have) =>
            own.test(flat(have))
        )(new RegExp(pattern[1], pattern[2]))
      : (have) => folded(have).includes(folded(body));
    return among.filter((one) => innermost(one, test));
  }
  if (engine === "role" || engine === "internal:role") {
    const parts = /^([\w-]+)((?:\[[^\]]*\])*)$/.exec(body.trim());
    const css = parts && ROLES[parts[1]];
    if (!css) return [];
    const name = /\[name\s*=\s*["'](.*?)["']\s*([is])?\]/.exec(parts[2]);
    return all.filter(
      (one) =>
        fits(one, parseCss(css, false)) &&
        shown(one) &&
        (!name || (name[2] === "i" ? folded(nameOf(one)).includes(folded(name[1])) : nameOf(one) === flat(name[1]))),
    );
  }
  if (engine === "internal:label") {
    const text = folded(JSON.parse(body.replace(/[is]$/, "")));
    return all.filter((one) => formControl(one) && folded(labelText(one)).includes(text));
  }
  const attribute = engine === "id" ? "id" : engine;
  return all.filter((one) => one[ATTRS].get(attribute) === body.trim());
};

// The visible part of a page: styles, a simple layout with fixed letter sizes, visible text and boxes.
//
// The layout supports blocks, lines of text, table rows and form controls of fixed size. It has no floats, no positioning and no
// grids. It exists so that boxes are empty where they are empty in a browser, pages can be painted, and elements are ordered
// from top to bottom.

const BLOCKS = new Set(
  "html body address article aside blockquote center details dialog dir div dl dt dd fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend main menu nav ol p pre search section summary ul option optgroup".split(
    " ",
  ),
);
const NONE = new Set(
  "head title meta link style script base template noscript datalist param area source track rp".split(" "),
);
const TABLES = {
  table: "table",
  tr: "table-row",
  td: "table-cell",
  th: "table-cell",
  tbody: "table-row-group",
  thead: "table-header-group",
  tfoot: "table-footer-group",
  caption: "table-caption",
  col: "table-column",
  colgroup: "table-column-group",
  li: "list-item",
  button: "inline-block",
  input: "inline-block",
  select: "inline-block",
  textarea: "inline-block",
  meter: "inline-block",
  progress: "inline-block",
  slot: "contents",
};
const natural = (one) => {
  const name = one.localName;
  if (
    one.hasAttribute("hidden") ||
    (name === "input" && (one.getAttribute("type") || "").toLowerCase() === "hidden") ||
    (name === "dialog" && !one.hasAttribute("open"))
  )
    return "none";
  return NONE.has(name) ? "none" : (TABLES[name] ?? (BLOCKS.has(name) ? "block" : "inline"));
};
let rules = [],
  ruled = -1;
const sheet = () => {
  if (ruled === stamp) return rules;
  rules = [];
  ruled = stamp;
  for (const style of elementsBelow(document)) {
    if (style.localName !== "style") continue;
    const text = texts(style)
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .replace(/@media\s+print\s*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "")
      .replace(/@[a-z-]+[^{};]*;/gi, "");
    for (const [, head, body] of text.matchAll(/([^{}@]+)\{([^{}]*)\}/g)) {
      const said = declarations(body);
      for (const source of head.split(/,(?![^()]*\))/)) {
        try {
          const weight =
            (source.match(/#[\w-]/g) || []).length * 10000 +
            (source.match(/\.[\w-]|\[|:(?!:)/g) || []).length * 100 +
            (source.match(/(^|[\s>+~])[a-z]/gi) || []).length;
          rules.push({ css: parseCss(source.trim(), false), said, weight });
        } catch (error) {
          if (!(error instanceof BadSelector)) throw error;
        }
      }
    }
  }
  rules.sort((a, b) => a.weight - b.weight);
  return rules;
};
let styles = new Map(),
  styled = -1;
const styleFor = (one) => {
  if (styled !== stamp) {
    styles = new Map();
    styled = stamp;
  }
  let own = styles.get(one);
  if (own) return own;
  own = new Map();
  const firm = new Map();
  const lay = (said) => {
    for (const [name, value] of said) {
      if (/!\s*important$/i.test(value)) firm.set(name, value.replace(/\s*!\s*important$/i, ""));
      else own.set(name, value);
    }
  };
  if (one[OWNER] === document) for (const rule of sheet()) if (fits(one, rule.css)) lay(rule.said);
  lay(declarations(one[ATTRS].get("style") || ""));
  for (const [name, value] of firm) own.set(name, value);
  styles.set(one, own);
  return own;
};
const INHERITED = new Set(
  "visibility color font-size font-weight font-family font-style text-align text-transform white-space cursor line-height list-style-type".split(
    " ",
  ),
);
const DEFAULTS = {
  visibility: "visible",
  color: "rgb(0, 0, 0)",
  "font-size": "16px",
  "font-weight": "400",
  "font-family": '"Times New Roman"',
  "font-style": "normal",
  "text-align": "start",
  "text-transform": "none",
  "white-space": "normal",
  cursor: "auto",
  "line-height": "normal",
  "background-color": "rgba(0, 0, 0, 0)",
  opacity: "1",
  position: "static",
  float: "none",
  width: "auto",
  height: "auto",
  overflow: "visible",
  "z-index": "auto",
  "pointer-events": "auto",
  "text-decoration": "none",
};
const computed = (one, name) => {
  if (name === "display") {
    const said = styleFor(one).get("display");
    return said && said !== "inherit" ? said : natural(one);
  }
  for (let at = one; at?.nodeType === 1; at = INHERITED.has(name) ? at[UP] : null) {
    const said = styleFor(at).get(name);
    if (said !== undefined && said !== "inherit") return colour(said);
    if (name === "font-weight" && /^(b|strong|th|h[1-6])$/.test(at.localName)) return "700";
  }
  if ((name === "width" || name === "height") && rendered(one)) return box(one)[name] + "px";
  return DEFAULTS[name] ?? "";
};
const COLOURS = {
  red: "255, 0, 0",
  green: "0, 128, 0",
  blue: "0, 0, 255",
  black: "0, 0, 0",
  white: "255, 255, 255",
  gray: "128, 128, 128",
  grey: "128, 128, 128",
  yellow: "255, 255, 0",
  orange: "255, 165, 0",
  purple: "128, 0, 128",
};
const colour = (said) => {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(said);
  if (hex) {
    const full = hex[1].length === 3 ? [...hex[1]].map((c) => c + c).join("") : hex[1];
    return `rgb(${[0, 2, 4].map((i) => parseInt(full.slice(i, i + 2), 16)).join(", ")})`;
  }
  return Object.hasOwn(COLOURS, said.toLowerCase()) ? `rgb(${COLOURS[said.toLowerCase()]})` : said;
};
const getComputedStyle = (one) => {
  if (!(one instanceof Element))
    throw new TypeError("Failed to execute 'getComputedStyle' on 'Window': parameter 1 is not of type 'Element'.");
  return new Proxy(
    {},
    {
      get: (_, name) =>
        name === "getPropertyValue"
          ? (key) => computed(one, key)
          : typeof name === "string"
            ? computed(one, kebab(name))
            : undefined,
    },
  );
};
const rendered = (one) => {
  for (let at = one; at?.nodeType === 1; at = at[UP]) {
    if (computed(at, "display") === "none") return false;
    if (
      at[UP]?.localName === "details" &&
      !at[UP].hasAttribute("open") &&
      at !== at[UP][KIDS].find((kid) => kid.localName === "summary")
    )
      return false;
  }
  return true;
};
const shown = (one) => one.isConnected && rendered(one) && computed(one, "visibility") === "visible";
const visible = (one) => {
  if (!one.isConnected || !rendered(one)) return false;
  if (computed(one, "display") === "contents")
    return one[KIDS].some((kid) => (kid.nodeType === 1 ? visible(kid) : kid.nodeType === 3 && kid[TEXT].trim() !== ""));
  if (computed(one, "visibility") !== "visible") return false;
  const own = box(one);
  return own.width > 0 && own.height > 0;
};
const SIZES = {
  h1: 32,
  h2: 24,
  h3: 18.72,
  h4: 16,
  h5: 13.28,
  h6: 10.72,
  small: 13.33,
  sub: 13.33,
  sup: 13.33,
  code: 13,
  pre: 13,
  kbd: 13,
  samp: 13,
  button: 13.33,
  input: 13.33,
  select: 13.33,
  textarea: 13.33,
};
const MARGINS = {
  p: 16,
  h1: 21.44,
  h2: 19.92,
  h3: 18.72,
  h4: 21.28,
  h5: 22.18,
  h6: 24.98,
  ul: 16,
  ol: 16,
  dl: 16,
  menu: 16,
  blockquote: 16,
  figure: 16,
  pre: 13,
  hr: 8,
};
const px = (said, whole) => {
  const found = /^(-?[\d.]+)(px|%|em|rem|vw|vh)?$/.exec((said ?? "").trim());
  if (!found) return null;
  const n = +found[1];
  return (
    {
      "%": (n * whole) / 100,
      em: n * 16,
      rem: n * 16,
      vw: (n * viewport.width) / 100,
      vh: (n * viewport.height) / 100,
    }[found[2]] ?? n
  );
};
const letters = (text, size) => {
  let width = 0;
  for (const c of text) {
    const code = c.codePointAt(0);
    width +=
      code > 0x2e7f
        ? size
        : /[iljt.,:;'|!()[\] ]/.test(c)
          ? size * 0.28
          : /[mwMW@]/.test(c)
            ? size * 0.8
            : /[A-Z]/.test(c)
              ? size * 0.66
              : size * 0.47;
  }
  return width;
};
let boxes = new Map(),
  laid = -1,
  laidFor = "",
  paints = [],
  pageHeight = 0;
const round = (n) => Math.round(n * 100) / 100;
const layout = () => {
  const key = viewport.width + "x" + viewport.height;
  if (laid === stamp && laidFor === key) return;
  boxes = new Map();
  paints = [];
  laid = stamp;
  laidFor = key;
  const root = document.documentElement;
  if (!root) return;
  pageHeight = Math.max(block(root, 0, 0, viewport.width), 0);
};
// Of a field, in pixels: the line height of a text area, and the distance of its text from its border.
const LINE = 15,
  EDGE = 3;
const box = (one) => {
  if (one[OWNER] !== document) return frameBox(one);
  layout();
  return boxes.get(one) ?? { x: 0, y: 0, width: 0, height: 0 };
};
const frameBox = (one) => {
  const size = control(one, 13.33);
  if (size) return { x: 0, y: 0, width: size[0], height: size[1] };
  const text = texts(one);
  return text.trim() || one[KIDS].some((kid) => kid.nodeType === 1 && frameBox(kid).width)
    ? { x: 0, y: 0, width: letters(text.trim(), 16) || 150, height: 18 }
    : { x: 0, y: 0, width: BLOCKS.has(one.localName) ? 300 : 0, height: 0 };
};
const control = (one, size) => {
  const said = (name) => px(styleFor(one).get(name), viewport.width) ?? px(one.getAttribute(name), viewport.width);
  const sized = (width, height) => [said("width") ?? width, said("height") ?? height];
  switch (one.localName) {
    case "input": {
      const type = one.type;
      if (type === "checkbox" || type === "radio") return sized(13, 13);
      if (/^(submit|reset|button)$/.test(type))
        return sized(
          letters(one.value || (type === "submit" ? "Submit" : type === "reset" ? "Reset" : ""), size) + 16,
          21,
        );
      if (type === "file") return sized(253, 21);
      if (type === "range") return sized(129, 16);
      if (type === "color") return sized(50, 27);
      if (type === "image") return sized(48, 21);
      return sized(153, 21);
    }
    case "select": {
      const all = Array.from(one.options);
      return sized(
        Math.max(...all.map((option) => letters(option.label, size)), 0) + 22,
        one.multiple ? 17 * Math.min(Math.max(all.length, 1), 4) + 2 : 19,
      );
    }
    case "textarea":
      return sized(8 * one.cols + 22, LINE * one.rows + 2 * EDGE);
    case "iframe":
      return sized(304, 154);
    case "img": {
      const w = said("width"),
        h = said("height");
      if (w !== null || h !== null) return [w ?? h, h ?? w];
      return one.getAttribute("alt") ? [16 + letters(one.getAttribute("alt"), 16), 16] : [16, 16];
    }
    case "video":
    case "canvas":
    case "object":
    case "embed":
      return sized(300, 150);
    case "audio":
      return sized(300, 54);
    case "svg":
      return sized(300, 150);
    case "progress":
    case "meter":
      return sized(160, 16);
  }
  return null;
};
const isBlock = (display) =>
  /^(block|list-item|flex|grid|table|table-row|table-row-group|table-header-group|table-footer-group|table-caption|flow-root)$/.test(
    display,
  );
const fontOf = (one) => {
  for (let at = one; at?.nodeType === 1; at = at[UP]) {
    const said = px(styleFor(at).get("font-size"), 16);
    if (said !== null) return said;
    if (SIZES[at.localName]) return SIZES[at.localName];
  }
  return 16;
};
const block = (one, x, y, width) => {
  const display = computed(one, "display"),
    name = one.localName;
  const margin = (side) =>
    px(styleFor(one).get("margin-" + side), width) ?? px((styleFor(one).get("margin") || "").split(/\s+/)[0], width);
  const padding = px(styleFor(one).get("padding"), width) ?? 0;
  const body = name === "body" ? (margin("top") ?? 8) : 0;
  const left =
    (name === "ul" || name === "ol" || name === "menu" || name === "dd" || name === "blockquote" || name === "figure"
      ? 40
      : 0) +
    padding +
    body +
    (margin("left") ?? 0);
  const wide =
    px(styleFor(one).get("width"), width) ?? width - (name === "body" ? 2 * body : 0) - (margin("left") ?? 0);
  const own = {
    x: round(x + body + (margin("left") ?? 0)),
    y: round(y + body),
    width: round(Math.max(wide, 0)),
    height: 0,
  };
  boxes.set(one, own);
  const inner = { x: x + left, width: Math.max(wide - (left - body - (margin("left") ?? 0)) - padding, 0) };
  let at = own.y + padding,
    gap = body ? 0 : 0,
    cells = display === "table-row" ? one[KIDS].filter((kid) => kid.nodeType === 1 && rendered(kid)) : null;
  if (name === "hr") {
    own.height = 2;
    paints.push({ box: [own.x, own.y, own.width, 1], fill: "#808080" });
    return own.height;
  }
  if (cells) {
    const share = cells.length ? inner.width / cells.length : 0;
    let tall = 0;
    cells.forEach((cell, i) => {
      tall = Math.max(tall, block(cell, inner.x + i * share, at, share));
    });
    own.height = round(tall);
    return tall;
  }
  let line = null;
  const flush = () => {
    if (line) {
      at = line.y + line.tall;
      if (line.used) gap = 0;
      line = null;
    }
  };
  const flow = (kids) => {
    for (const kid of kids) {
      if (kid.nodeType === 3) {
        put(kid[TEXT], kid[UP]);
        continue;
      }
      if (kid.nodeType !== 1 || computed(kid, "display") === "none") continue;
      if (one.localName === "details" && !one.hasAttribute("open") && kid.localName !== "summary") continue;
      const how = computed(kid, "display"),
        size = control(kid, fontOf(kid));
      if (kid.localName === "br") {
        if (!line) line = begin();
        line.tall = Math.max(line.tall, 18);
        line.used = true;
        flush();
        continue;
      }
      if (size || kid.localName === "button" || how === "inline-block" || how === "inline-flex") {
        inlineBox(kid, size);
        continue;
      }
      if (isBlock(how)) {
        const usual = MARGINS[kid.localName] ?? 0,
          said = px(styleFor(kid).get("margin-top"), 0) ?? px((styleFor(kid).get("margin") || "").split(/\s+/)[0], 0),
          between = said ?? usual;
        flush();
        const start = one.localName === "body" && at === own.y;
        at += start ? (document.compatMode === "BackCompat" ? 0 : Math.max(between - body, 0)) : Math.max(gap, between);
        at += block(kid, inner.x, at, inner.width);
        gap = px(styleFor(kid).get("margin-bottom"), 0) ?? between;
        continue;
      }
      const spot = { x: line ? line.x : inner.x, y: line ? line.y : at + gap };
      boxes.set(kid, { x: round(spot.x), y: round(spot.y), width: 0, height: 0 });
      const from = runs.length;
      flow(kid[KIDS]);
      const mine = runs.slice(from);
      if (mine.length) {
        const x0 = Math.min(...mine.map((r) => r[0])),
          y0 = Math.min(...mine.map((r) => r[1]));
        boxes.set(kid, {
          x: round(x0),
          y: round(y0),
          width: round(Math.max(...mine.map((r) => r[0] + r[2])) - x0),
          height: round(Math.max(...mine.map((r) => r[1] + r[3])) - y0),
        });
      }
    }
  };
  const runs = [];
  const begin = () => ({ x: inner.x, y: at + gap, tall: 0, used: false });
  const room = (need) => {
    if (!line) line = begin();
    if (line.x > inner.x && line.x + need > inner.x + inner.width) {
      flush();
      line = begin();
    }
  };
  const put = (text, up) => {
    const size = fontOf(up),
      tall = Math.round(size * 1.15),
      kept = /^pre/.test(computed(up, "white-space")) || up.closest("pre, textarea");
    const seen = computed(up, "visibility") === "visible";
    const words = kept ? text.split(/(\n)/) : text.replace(/[ \t\n\f\r]+/g, " ").split(/(?<= )|(?=[\u2e80-\uffef])/);
    for (const word of words) {
      if (kept && word === "\n") {
        if (!line) line = begin();
        line.tall = Math.max(line.tall, tall);
        line.used = true;
        flush();
        continue;
      }
      if (word === "" || (!kept && word === " " && (!line || !line.used))) continue;
      const wide = letters(word, size);
      room(letters(word.trimEnd(), size));
      runs.push([line.x, line.y, wide, tall]);
      if (seen && word.trim())
        paints.push({
          text: word.trimEnd(),
          at: [round(line.x), round(line.y)],
          size,
          bold: +computed(up, "font-weight") >= 600 || computed(up, "font-weight") === "bold",
          fill: up.closest("a[href]") ? "#0000ee" : computed(up, "color"),
        });
      line.x += wide;
      line.tall = Math.max(line.tall, tall);
      line.used = true;
    }
  };
  const inlineBox = (kid, size) => {
    const isButton = kid.localName === "button",
      text = isButton || !size ? ownText(kid).replace(/\s+/g, " ").trim() : "";
    const [w, h] = size ?? [
      px(styleFor(kid).get("width"), inner.width) ?? letters(text, fontOf(kid)) + (isButton ? 16 : 0),
      px(styleFor(kid).get("height"), inner.width) ?? (text || isButton ? (isButton ? (text ? 21 : 6) : 18) : 0),
    ];
    room(w);
    boxes.set(kid, { x: round(line.x), y: round(line.y), width: round(w), height: round(h) });
    runs.push([line.x, line.y, w, h]);
    const seen = computed(kid, "visibility") === "visible";
    if (seen && (isButton || formControl(kid) || kid.localName === "iframe" || kid.localName === "img")) {
      paints.push({
        box: [round(line.x), round(line.y), round(w), round(h)],
        line: "#767676",
        fill: isButton || /^(submit|button|reset)$/.test(kid.type) ? "#efefef" : "#ffffff",
      });
      const label = isButton
        ? text
        : kid.localName === "select"
          ? (kid.selectedOptions[0]?.label ?? "")
          : kid.type === "checkbox" || kid.type === "radio"
            ? kid.checked
              ? "x"
              : ""
            : kid.type === "password"
              ? "*".repeat((kid.value || "").length)
              : kid.localName === "img"
                ? kid.getAttribute("alt") || ""
                : (kid.value ?? "");
      if (label)
        paints.push({
          text: label,
          at: [round(line.x + 4), round(line.y + 3)],
          size: 13.33,
          bold: false,
          fill: "#000000",
        });
    } else if (seen && text && !size)
      paints.push({
        text,
        at: [round(line.x), round(line.y)],
        size: fontOf(kid),
        bold: false,
        fill: computed(kid, "color"),
      });
    for (const below of elementsBelow(kid))
      if (computed(below, "display") !== "none" && below.localName !== "option")
        boxes.set(below, {
          x: round(line.x),
          y: round(line.y),
          width: texts(below).trim() ? round(Math.max(w - 16, 1)) : 0,
          height: texts(below).trim() ? 15 : 0,
        });
    line.x += w + 4;
    line.tall = Math.max(line.tall, h);
    line.used = line.used || w > 0;
  };
  if (display === "list-item" && name === "li" && computed(one, "list-style-type") !== "none")
    paints.push({
      text: one[UP]?.localName === "ol" ? `${position(one, "nth-child")}.` : "\u2022",
      at: [inner.x - 16, at],
      size: 16,
      bold: false,
      fill: "#000000",
    });
  flow(one[KIDS]);
  flush();
  const said = px(styleFor(one).get("height"), viewport.height);
  own.height = round(Math.max(said ?? at + padding - own.y, 0));
  if (name === "html") own.height = round(at + gap);
  return own.height + (body ? body * 2 : 0);
};
const at = (x, y) => {
  layout();
  let found = null;
  for (const [one, b] of boxes)
    if (x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height && shown(one)) found = one;
  return found;
};
const THING = "\ufdd0";
const innerText = (one) => {
  if (!one.isConnected || !rendered(one)) return one.textContent;
  const parts = [];
  const go = (node) => {
    if (node.nodeType === 3) {
      const up = node[UP];
      if (computed(up, "visibility") !== "visible") return;
      let text = node[TEXT];
      if (!(/^pre/.test(computed(up, "white-space")) || up.closest("pre"))) text = text.replace(/[ \t\n\f\r]+/g, " ");
      const how = computed(up, "text-transform");
      parts.push(
        how === "uppercase"
          ? text.toUpperCase()
          : how === "lowercase"
            ? text.toLowerCase()
            : how === "capitalize"
              ? text.replace(/(^|\s)\S/g, (c) => c.toUpperCase())
              : text,
      );
      return;
    }
    if (node.nodeType !== 1) return;
    const how = computed(node, "display");
    if (how === "none") return;
    if (/^(textarea|input|iframe|video|audio|canvas|img|object|svg)$/.test(node.localName)) {
      parts.push(THING);
      return;
    }
    if (node.localName === "br") {
      parts.push("\n");
      return;
    }
    const around = node.localName === "p" ? 2 : isBlock(how) && how !== "table-row" ? 1 : 0;
    if (around) parts.push(around);
    if (node.localName === "select") {
      parts.push(THING);
      node[KIDS].forEach((kid) => go(kid));
      parts.push(THING);
    } else
      for (const kid of node[KIDS]) {
        if (node.localName === "details" && !node.hasAttribute("open") && kid.localName !== "summary") continue;
        go(kid);
      }
    if (how === "table-cell" && node.nextElementSibling) parts.push("\t");
    if (how === "table-row" && node.nextElementSibling) parts.push("\n");
    if (around) parts.push(around);
  };
  for (const kid of one[KIDS]) go(kid);
  // Inline elements without text occupy a line: white space next to them stays, and a line with nothing else is not shown.
  let text = "",
    owed = 0,
    beside = false,
    thing = false,
    space = false,
    kept = 0;
  const flush = () => {
    if (owed && text) text += "\n".repeat(owed);
    owed = 0;
    if (space) text += " ";
    space = false;
  };
  const trimmed = () => {
    text = text.slice(0, kept) + text.slice(kept).replace(/ +$/, "");
  };
  for (const part of parts) {
    if (typeof part === "number") {
      if (!owed) trimmed();
      owed = Math.max(owed, part);
      beside = thing = space = false;
      continue;
    }
    if (part === THING) {
      if (space) flush();
      beside = thing = true;
      kept = text.length;
      continue;
    }
    if ((owed || !text) && part.trim() === "" && !/[\t\n]/.test(part)) {
      space = beside;
      thing = false;
      continue;
    }
    const begins = owed > 0 || text === "";
    flush();
    if (part === "\n") {
      trimmed();
      text += part;
      beside = thing = false;
      continue;
    }
    text += !thing && (begins || /\s$/.test(text)) ? part.replace(/^ +/, "") : part;
    beside = true;
    thing = false;
  }
  if (!owed) trimmed();
  return text;
};
const visibleText = () => {
  let text = "";
  for (const node of walk(document.body)) {
    if (node.nodeType !== 3) continue;
    const up = node[UP];
    if (computed(up, "display") === "none" || computed(up, "visibility") === "hidden") continue;
    const own = node[TEXT].trim();
    if (own) text += own + "\n";
  }
  return text.trim();
};

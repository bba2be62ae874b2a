// An HTML parser and serializer, by the rules of the HTML standard that hand-written pages use.
//
// Supported: implied `html`, `head`, `body` and `tbody`, optional end tags, tags that close a paragraph, raw text, character
// references, and white space before and after the body. Not supported: misnested formatting, and content in places that a table does not allow.

const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const RAW = new Set(["script", "style", "textarea", "title", "noscript", "iframe", "xmp", "noframes"]),
  REFERRED = new Set(["textarea", "title"]);
const HEADED = new Set("base basefont bgsound link meta title style script noscript template".split(" "));
const CLOSES_P = new Set(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt".split(
    " ",
  ),
);
const LEFT_OPEN = {
  li: ["li", /^(ul|ol|menu)$/],
  dt: ["dt dd", /^dl$/],
  dd: ["dt dd", /^dl$/],
  option: ["option", /^(select|datalist|optgroup)$/],
  optgroup: ["option optgroup", /^select$/],
  tr: ["tr td th", /^(table|tbody|thead|tfoot)$/],
  td: ["td th", /^tr$/],
  th: ["td th", /^tr$/],
  tbody: ["tbody thead tfoot tr td th caption colgroup", /^table$/],
  thead: ["tbody thead tfoot tr td th caption colgroup", /^table$/],
  tfoot: ["tbody thead tfoot tr td th caption colgroup", /^table$/],
};
const ENTITIES = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "\u00a9",
  reg: "\u00ae",
  trade: "\u2122",
  hellip: "\u2026",
  mdash: "\u2014",
  ndash: "\u2013",
  lsquo: "\u2018",
  rsquo: "\u2019",
  ldquo: "\u201c",
  rdquo: "\u201d",
  laquo: "\u00ab",
  raquo: "\u00bb",
  bull: "\u2022",
  middot: "\u00b7",
  times: "\u00d7",
  divide: "\u00f7",
  euro: "\u20ac",
  pound: "\u00a3",
  yen: "\u00a5",
  cent: "\u00a2",
  sect: "\u00a7",
  para: "\u00b6",
  deg: "\u00b0",
  plusmn: "\u00b1",
  frac12: "\u00bd",
  frac14: "\u00bc",
  frac34: "\u00be",
  sup2: "\u00b2",
  sup3: "\u00b3",
  micro: "\u00b5",
  larr: "\u2190",
  uarr: "\u2191",
  rarr: "\u2192",
  darr: "\u2193",
  harr: "\u2194",
  check: "\u2713",
  star: "\u2606",
  starf: "\u2605",
  hearts: "\u2665",
  infin: "\u221e",
  ne: "\u2260",
  le: "\u2264",
  ge: "\u2265",
  thinsp: "\u2009",
  ensp: "\u2002",
  emsp: "\u2003",
  shy: "\u00ad",
  eacute: "\u00e9",
  egrave: "\u00e8",
  agrave: "\u00e0",
  aacute: "\u00e1",
  auml: "\u00e4",
  ouml: "\u00f6",
  uuml: "\u00fc",
  Auml: "\u00c4",
  Ouml: "\u00d6",
  Uuml: "\u00dc",
  szlig: "\u00df",
  ccedil: "\u00e7",
  ntilde: "\u00f1",
  oacute: "\u00f3",
  iacute: "\u00ed",
  uacute: "\u00fa",
};
const plainText = (text) =>
  text.includes("&")
    ? text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));?/gi, (all, hex, number, name) =>
        name
          ? Object.hasOwn(ENTITIES, name) && (all.endsWith(";") || /^(amp|lt|gt|quot|nbsp|copy|reg)$/.test(name))
            ? ENTITIES[name]
            : all
          : codePoint(parseInt(hex ?? number, hex ? 16 : 10)),
      )
    : text;
const codePoint = (code) => {
  try {
    return code === 0 ? "\ufffd" : String.fromCodePoint(code);
  } catch {
    return "\ufffd";
  }
};
const BLANK = /^[ \t\n\f\r]*$/;
function* tokens(html) {
  let at = 0;
  const tag = /<(\/?)([a-zA-Z][^\s/>]*)|<!--|<![a-zA-Z]|<\?|<\/(?![a-zA-Z])/g;
  let raw = null;
  while (at < html.length) {
    if (raw) {
      const end = new RegExp("</" + raw + "(?=[\\s/>])", "gi");
      end.lastIndex = at;
      const found = end.exec(html),
        stop = found ? found.index : html.length;
      if (stop > at) yield { text: REFERRED.has(raw) ? plainText(html.slice(at, stop)) : html.slice(at, stop) };
      at = stop;
      raw = null;
      continue;
    }
    tag.lastIndex = at;
    const found = tag.exec(html);
    if (!found) {
      yield { text: plainText(html.slice(at)) };
      return;
    }
    if (found.index > at) yield { text: plainText(html.slice(at, found.index)) };
    at = found.index;
    if (found[0] === "<!--") {
      let end = html.indexOf("-->", at + 4);
      const short = /^<!--(-?>)/.exec(html.slice(at, at + 6));
      if (short) {
        yield { comment: "" };
        at += 4 + short[1].length;
        continue;
      }
      if (end < 0) end = html.length;
      yield { comment: html.slice(at + 4, end) };
      at = end + 3;
    } else if (!found[2]) {
      let end = html.indexOf(">", at);
      if (end < 0) end = html.length;
      if (/^<!doctype/i.test(html.slice(at, at + 9))) yield { doctype: html.slice(at + 9, end).trim() };
      else yield { comment: html.slice(at + (html[at + 1] === "?" ? 1 : 2), end) };
      at = end + 1;
    } else {
      at = tag.lastIndex;
      const name = found[2].toLowerCase(),
        attributes = [];
      const part = /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))?)?)/y;
      let closed = false,
        self = false;
      for (;;) {
        part.lastIndex = at;
        const one = part.exec(html);
        if (!one) {
          at = html.length;
          break;
        }
        self = one[1] !== undefined && html.slice(at, part.lastIndex).includes("/");
        at = part.lastIndex;
        if (one[1]) {
          closed = true;
          break;
        }
        const key = one[2].toLowerCase();
        if (!attributes.some(([known]) => known === key))
          attributes.push([key, plainText(one[3] ?? one[4] ?? one[5] ?? "")]);
      }
      if (!closed) return;
      if (found[1]) yield { end: name };
      else {
        yield { start: name, attributes, self };
        if (RAW.has(name)) raw = name;
      }
    }
  }
}
const readDocument = (html, doc) => {
  html = html.replace(/\r\n?/g, "\n");
  let root = null,
    head = null,
    body = null,
    after = false,
    headDone = false,
    seen = false;
  const open = [];
  const put = (up, node) => attach(up, node, null);
  const needRoot = () => {
    if (!root) {
      root = make("html", doc);
      put(doc, root);
    }
  };
  const needHead = () => {
    needRoot();
    if (!head) {
      head = make("head", doc);
      put(root, head);
    }
  };
  const needBody = () => {
    needHead();
    headDone = true;
    if (!body) {
      body = make("body", doc);
      put(root, body);
      open.length = 0;
      open.push(body);
    }
  };
  for (const token of tokens(html)) {
    if (token.doctype !== undefined) {
      if (!seen) doc[FORM].type = token.doctype;
      continue;
    }
    if (token.comment !== undefined) {
      const up = open.length ? open[open.length - 1] : after ? root : head && !headDone ? head : (root ?? doc);
      put(after === "html" ? doc : up, new Comment(token.comment));
      continue;
    }
    seen = true;
    if (token.text !== undefined) {
      let text = token.text.replace(/\0/g, "");
      if (!body) {
        const raw = open.length ? open[open.length - 1] : null;
        if (raw) {
          put(raw, new Text(text));
          continue;
        }
        const lead = /^[ \t\n\f\r]*/.exec(text)[0];
        if (lead && root) {
          if (head && !headDone) addText(head, lead);
          else if (head) addText(root, lead);
        }
        text = text.slice(lead.length);
        if (!text) continue;
        needBody();
      }
      if (open.length === 0) open.push(body);
      const up = open[open.length - 1];
      if (/^(table|tbody|thead|tfoot|tr)$/.test(up.localName) && !BLANK.test(text)) {
        const table = open.findLast((one) => one.localName === "table");
        const before = table[UP][KIDS][table[UP][KIDS].indexOf(table) - 1];
        if (before?.nodeType === 3) before[TEXT] += text;
        else attach(table[UP], new Text(text), table);
      } else
        addText(
          up,
          up.localName === "textarea" || up.localName === "pre"
            ? up[KIDS].length
              ? text
              : text.replace(/^\n/, "")
            : text,
        );
      continue;
    }
    if (!body && open.length && open[0].localName === "template") {
      if (token.start) {
        place(open, token.start, token, doc);
      } else if (token.end === "template") open.length = 0;
      else close(open, token.end, doc, 1);
      continue;
    }
    if (token.start) {
      const name = token.start === "image" ? "img" : token.start;
      if (name === "html") {
        needRoot();
        merge(root, token.attributes);
        continue;
      }
      if (name === "head" && !head) {
        needHead();
        merge(head, token.attributes);
        continue;
      }
      if (name === "head") continue;
      if (name === "body") {
        needHead();
        headDone = true;
        if (!body) {
          needBody();
        }
        merge(body, token.attributes);
        continue;
      }
      if (!body && HEADED.has(name)) {
        needHead();
        const node = start(name, token.attributes, doc);
        put(headDone ? head : head, node);
        if (!VOID.has(name)) open.push(node);
        continue;
      }
      needBody();
      place(open, name, token, doc);
      continue;
    }
    const name = token.end;
    if (!body) {
      if (open.length && open[open.length - 1].localName === name) {
        open.pop();
        continue;
      }
      if (name === "head") {
        needHead();
        headDone = true;
        continue;
      }
      if (!/^(body|html|br)$/.test(name)) continue;
      needBody();
    }
    if (name === "body" || name === "html") {
      after = name;
      open.length = 1;
      continue;
    }
    close(open, name, doc, 1);
  }
  needBody();
  return doc;
};
const addText = (up, text) => {
  const last = up.lastChild;
  if (last?.nodeType === 3) last[TEXT] += text;
  else if (text) attach(up, new Text(text), null);
};
const merge = (node, attributes) => {
  for (const [name, value] of attributes) if (!node[ATTRS].has(name)) node[ATTRS].set(name, value);
};
const start = (name, attributes, doc) => {
  const node = make(name, doc);
  for (const [key, value] of attributes) node[ATTRS].set(key, value);
  return node;
};
const place = (open, name, token, doc) => {
  const top = () => open[open.length - 1];
  if (CLOSES_P.has(name)) {
    const p = open.findLastIndex((one) => /^(p|button|table|td|th|caption)$/.test(one.localName));
    if ((p > 0 && open[p].localName === "p") || (p === 0 && open[0].localName === "p")) open.length = p;
  }
  if (/^h[1-6]$/.test(name) && /^h[1-6]$/.test(top().localName)) open.pop();
  if (name === "a" || name === "button" || name === "form") {
    const same = open.findLastIndex((one) => one.localName === name);
    if (same > 0) {
      if (name === "form") return;
      open.length = same;
    }
  }
  if (Object.hasOwn(LEFT_OPEN, name)) {
    const [ends, bound] = LEFT_OPEN[name],
      names = ends.split(" ");
    for (let i = open.length - 1; i > 0 && !bound.test(open[i].localName); i--)
      if (names.includes(open[i].localName)) {
        open.length = i;
        if (name === "li" || name === "dd" || name === "dt" || name === "option") break;
      }
  } else if (top().localName === "option" && name !== "option") {
    /* what an option cannot hold stays in it as text does */
  }
  if (/^(td|th)$/.test(name) && /^(table|tbody|thead|tfoot)$/.test(top().localName))
    place(open, "tr", { attributes: [] }, doc);
  if (name === "tr" && top().localName === "table") {
    const body = make("tbody", doc);
    attach(top(), body, null);
    open.push(body);
  }
  const node = start(name, token.attributes, doc);
  attach(top(), node, null);
  if (!VOID.has(name) && !(token.self && SVG.test(name))) open.push(node);
};
const close = (open, name, doc, least) => {
  if (name === "br") {
    attach(open[open.length - 1], make("br", doc), null);
    return;
  }
  for (let i = open.length - 1; i >= least; i--) {
    if (open[i].localName === name || (/^h[1-6]$/.test(name) && /^h[1-6]$/.test(open[i].localName))) {
      open.length = i;
      return;
    }
    if (
      /^(table|td|th|button|form)$/.test(open[i].localName) &&
      !/^(table|tr|tbody|thead|tfoot|div|section|main|article|body|form)$/.test(name)
    )
      break;
  }
  if (name === "p") attach(open[open.length - 1], make("p", doc), null);
};
const fragment = (html, around) => {
  const top = make(around && around.nodeType === 1 ? around.localName : "div");
  const open = [top];
  for (const token of tokens(String(html).replace(/\r\n?/g, "\n"))) {
    if (token.comment !== undefined) attach(open[open.length - 1], new Comment(token.comment), null);
    else if (token.text !== undefined) addText(open[open.length - 1], token.text);
    else if (token.start && !/^(html|head|body)$/.test(token.start)) place(open, token.start, token, document);
    else if (token.end) close(open, token.end, document, 1);
  }
  return top[KIDS].splice(0).map((node) => {
    node[UP] = null;
    for (const one of walk(node)) if (one.localName === "script") one[FORM].ran = true;
    return node;
  });
};
const escaped = (text) =>
  text
    .replace(/&/g, "&amp;")
    .replace(/\u00a0/g, "&nbsp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
const quoted = (text) =>
  text
    .replace(/&/g, "&amp;")
    .replace(/\u00a0/g, "&nbsp;")
    .replace(/"/g, "&quot;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
const inner = (node) => node[KIDS].map(outer).join("");
const outer = (node) => {
  if (node.nodeType === 3)
    return node[UP]?.nodeType === 1 && RAW.has(node[UP].localName) && !REFERRED.has(node[UP].localName)
      ? node[TEXT]
      : escaped(node[TEXT]);
  if (node.nodeType === 8) return `<!--${node[TEXT]}-->`;
  if (node.nodeType !== 1)
    return (
      (node[FORM]?.type != null ? "<!DOCTYPE " + (node[FORM].type || "html").replace(/^html/i, "html") + ">" : "") +
      inner(node)
    );
  const name = node.localName,
    own = [...node[ATTRS]].map(([key, value]) => ` ${key}="${quoted(value)}"`).join("");
  return VOID.has(name) ? `<${name}${own}>` : `<${name}${own}>${inner(node)}</${name}>`;
};
class DOMParser {
  parseFromString(html) {
    return readDocument(String(html), new HTMLDocument(document.URL));
  }
}

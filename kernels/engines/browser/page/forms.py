"""Forms in JavaScript: what controls hold, what a click or a key does to them, and what a form sends."""

SOURCE = r"""
const typeOf = (one) => { const type = (one.getAttribute("type") || "text").toLowerCase(); return /^(button|checkbox|color|date|datetime-local|email|file|hidden|image|month|number|password|radio|range|reset|search|submit|tel|text|time|url|week)$/.test(type) ? type : "text"; };
const textual = (one) => one.localName === "textarea" || (one.localName === "input" && !/^(checkbox|radio|file|button|submit|reset|image|hidden|color|range)$/.test(one.type));
const cleaned = (one, value) => {
  switch (one.type) {
    case "number": return /^-?(\d+(\.\d+)?|\.\d+)([eE][-+]?\d+)?$/.test(value) ? value : "";
    case "date": return /^\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(value) && !isNaN(RealDate.parse(value)) && new RealDate(RealDate.parse(value)).toISOString().startsWith(value) ? value : "";
    case "time": return /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(value) ? value : "";
    case "month": return /^\d{4,}-(0[1-9]|1[0-2])$/.test(value) ? value : "";
    case "week": return /^\d{4,}-W(0[1-9]|[1-4]\d|5[0-3])$/.test(value) ? value : "";
    case "datetime-local": return /^\d{4,}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(value) ? value.replace(" ", "T") : "";
    case "color": return /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : "#000000";
    case "range": { const low = +(one.getAttribute("min") ?? 0), high = +(one.getAttribute("max") ?? 100), n = value === "" || isNaN(value) ? (low + high) / 2 : +value; return String(Math.min(Math.max(n, low), high)); }
    case "email": case "url": return value.replace(/[\r\n]/g, "").trim();
    default: return one.localName === "input" ? value.replace(/[\r\n]/g, "") : value;
  }
};
Object.defineProperties(Input.prototype, {
  type: { get() { return typeOf(this); }, set(value) { this.setAttribute("type", value); } },
  value: {
    get() {
      if (this.type === "file") return this[FORM].files?.length ? "C:\\fakepath\\" + this[FORM].files[0].name : "";
      if (/^(checkbox|radio)$/.test(this.type)) return this.getAttribute("value") ?? "on";
      if (/^(button|submit|reset|hidden|image)$/.test(this.type)) return this.getAttribute("value") ?? "";
      return cleaned(this, this[FORM].value ?? this.getAttribute("value") ?? "");
    },
    set(value) {
      if (this.type === "file") { if (value !== "") throw new DOMException("Failed to set the 'value' property on 'HTMLInputElement': This input element accepts a filename, which may only be programmatically set to the empty string.", "InvalidStateError"); this[FORM].files = []; return; }
      if (/^(checkbox|radio|button|submit|reset|hidden|image)$/.test(this.type)) { this.setAttribute("value", value ?? ""); return; }
      this[FORM].value = cleaned(this, value === null ? "" : String(value)); this[FORM].caret = this[FORM].value.length;
    },
  },
  checked: { get() { return this[FORM].checked ?? this.hasAttribute("checked"); }, set(on) { check(this, !!on); } },
  defaultValue: { get() { return this.getAttribute("value") ?? ""; }, set(value) { this.setAttribute("value", value); } }, defaultChecked: { get() { return this.hasAttribute("checked"); } },
  valueAsNumber: { get() { return this.value === "" ? NaN : +this.value; }, set(value) { this.value = String(value); } },
  files: { get() { if (this.type !== "file") return null; const list = new HTMLCollection(this[FORM].files ?? []); return list; } },
  list: { get() { return document.getElementById(this.getAttribute("list") ?? ""); } },
});
const check = (one, on) => { if (on && one.type === "radio") { const form = one.form; for (const other of elementsBelow(document)) if (other !== one && other.localName === "input" && other.type === "radio" && other.getAttribute("name") && other.getAttribute("name") === one.getAttribute("name") && other.form === form) other[FORM].checked = false; } one[FORM].checked = on; };
Object.defineProperties(Area2.prototype, {
  type: { get() { return "textarea"; } }, defaultValue: { get() { return this.textContent; }, set(text) { this.textContent = text; } }, textLength: { get() { return this.value.length; } },
  value: { get() { return this[FORM].value ?? texts(this); }, set(value) { this[FORM].value = (value === null ? "" : String(value)).replace(/\r\n?/g, "\n"); this[FORM].caret = this[FORM].value.length; } },
});
const optionsOf = (one) => elementsBelow(one).filter((below) => below.localName === "option");
const chosen = (one) => { const all = optionsOf(one), own = all.filter((option) => option[FORM].selected ?? option.hasAttribute("selected")); if (one.multiple) return own; if (own.length) return [own[own.length - 1]]; const first = one[FORM].none ? null : all.find((option) => !disabled(option)); return first && !(+one.getAttribute("size") > 1) ? [first] : []; };
const choose = (one, options) => { one[FORM].none = !options.length; for (const option of optionsOf(one)) option[FORM].selected = options.includes(option); };
Object.defineProperties(Select.prototype, {
  type: { get() { return this.multiple ? "select-multiple" : "select-one"; } }, options: { get() { return new HTMLCollection(optionsOf(this)); } }, length: { get() { return optionsOf(this).length; } },
  selectedOptions: { get() { return new HTMLCollection(chosen(this)); } }, selectedIndex: { get() { const own = chosen(this)[0]; return own ? optionsOf(this).indexOf(own) : -1; }, set(i) { const own = optionsOf(this)[i]; choose(this, own ? [own] : []); } },
  value: { get() { return chosen(this)[0]?.value ?? ""; }, set(value) { const own = optionsOf(this).find((option) => option.value === String(value)); choose(this, own ? [own] : []); } },
  item: { value(i) { return optionsOf(this)[i] ?? null; } }, add: { value(option) { this.appendChild(option); } },
});
Object.defineProperties(Option.prototype, {
  text: { get() { return flat(this.textContent); }, set(text) { this.textContent = text; } }, value: { get() { return this.getAttribute("value") ?? flat(this.textContent); }, set(value) { this.setAttribute("value", value); } }, label: { get() { return this.getAttribute("label") || this.text; } },
  index: { get() { const up = this.closest("select"); return up ? optionsOf(up).indexOf(this) : 0; } }, defaultSelected: { get() { return this.hasAttribute("selected"); } },
  selected: { get() { const up = this.closest("select"); return up ? chosen(up).includes(this) : this[FORM].selected ?? this.hasAttribute("selected"); }, set(on) { const up = this.closest("select"); if (up && !up.multiple && on) choose(up, [this]); else this[FORM].selected = !!on; } },
});
Object.defineProperties(Button.prototype, { type: { get() { const type = (this.getAttribute("type") || "submit").toLowerCase(); return /^(submit|reset|button)$/.test(type) ? type : "submit"; }, set(value) { this.setAttribute("type", value); } }, value: { get() { return this.getAttribute("value") ?? ""; }, set(value) { this.setAttribute("value", value); } } });
for (const Class of [Input, Area2, Select, Button]) {
  reflect(Class, ["name", "placeholder", "autocomplete", "pattern", "min", "max", "step", "accept", "formAction"]); reflect(Class, ["disabled", "required", "readOnly", "multiple", "autofocus"].map((one) => [one, one.toLowerCase()]), "flag");
  Object.defineProperties(Class.prototype, {
    form: { get() { const id = this.getAttribute("form"); return id !== null ? document.getElementById(id) : this.closest("form"); }, configurable: true },
    labels: { get() { return new NodeList(elementsBelow(document).filter((one) => one.localName === "label" && one.control === this)); } },
    validity: { get() { const wrong = problemOf(this); return { valid: !wrong, valueMissing: wrong === "missing", typeMismatch: wrong === "type", patternMismatch: wrong === "pattern", customError: wrong === "custom", tooShort: wrong === "short", rangeUnderflow: wrong === "low", rangeOverflow: wrong === "high" }; } }, willValidate: { get() { return !disabled(this); } },
    validationMessage: { get() { return wordsFor(this, problemOf(this)); } }, checkValidity: { value() { const wrong = problemOf(this); if (wrong) this.dispatchEvent(new Event("invalid", { cancelable: true })); return !wrong; } }, reportValidity: { value() { return this.checkValidity(); } }, setCustomValidity: { value(text) { this[FORM].custom = String(text); } },
    select: { value() { this[FORM].caret = String(this.value).length; this[FORM].all = true; focused(this); } }, setSelectionRange: { value(start, end) { this[FORM].caret = end; this[FORM].all = start === 0 && end >= String(this.value).length; } }, selectionStart: { get() { return this[FORM].all ? 0 : caretOf(this); }, set(i) { this[FORM].caret = i; } }, selectionEnd: { get() { return caretOf(this); }, set(i) { this[FORM].caret = i; } },
  });
}
reflect(Option, ["disabled"], "flag");
reflect(named.fieldset, ["disabled"], "flag");
for (const Class of [Option, named.fieldset, named.output]) Object.defineProperty(Class.prototype, "form", { get() { return this.closest("form"); } });
Object.defineProperty(Area2.prototype, "rows", { get() { return +(this.getAttribute("rows") ?? 2); } }); Object.defineProperty(Area2.prototype, "cols", { get() { return +(this.getAttribute("cols") ?? 20); } });
Object.defineProperties(Label.prototype, { control: { get() { const id = this.getAttribute("for"); return id !== null ? document.getElementById(id) : elementsBelow(this).find((one) => /^(input|select|textarea|button|meter|output|progress)$/.test(one.localName) && one.type !== "hidden") ?? null; } }, form: { get() { return this.control?.form ?? null; } } });
const controlsOf = (form) => elementsBelow(document === form[OWNER] ? document : rootOf(form)).filter((one) => /^(input|select|textarea|button)$/.test(one.localName) && one.form === form);
reflect(Form, ["name", "enctype", "target", "acceptCharset", "noValidate"]);
Object.defineProperties(Form.prototype, {
  action: { get() { const own = this.getAttribute("action"); return own ? absolute(own) ?? own : document.URL; }, set(value) { this.setAttribute("action", value); } }, method: { get() { const own = (this.getAttribute("method") || "get").toLowerCase(); return own === "post" || own === "dialog" ? own : "get"; }, set(value) { this.setAttribute("method", value); } },
  elements: { get() { const all = controlsOf(this).filter((one) => one.type !== "image"), list = new HTMLCollection(all); for (const one of all) { const name = one.getAttribute("name") || one.id; if (name && !(name in list)) Object.defineProperty(list, name, { value: one }); } return list; } }, length: { get() { return this.elements.length; } },
  submit: { value() { send(this, null); } }, requestSubmit: { value(by) { submitted(this, by ?? null); } }, reset: { value() { resetForm(this); } }, checkValidity: { value() { return controlsOf(this).every((one) => one.checkValidity()); } }, reportValidity: { value() { return this.checkValidity(); } },
});
const problemOf = (one) => {
  if (!/^(input|select|textarea)$/.test(one.localName) || disabled(one) || one.hasAttribute("readonly") || /^(hidden|button|reset|submit|image)$/.test(one.type)) return null;
  if (one[FORM].custom) return "custom";
  const value = one.value;
  if (one.hasAttribute("required")) {
    if (one.type === "checkbox" ? !one.checked : one.type === "radio" ? !elementsBelow(document).some((other) => other.type === "radio" && other.getAttribute("name") === one.getAttribute("name") && other.checked) : value === "") return "missing";
  }
  if (value === "" || one.localName === "select") return null;
  if (one.type === "email" && !/^[\w.!#$%&'*+\/=?^`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*$/.test(value)) return "type";
  if (one.type === "url" && !URL.canParse(value)) return "type";
  const pattern = one.getAttribute("pattern");
  if (pattern !== null && textual(one)) { try { if (!new RegExp(`^(?:${pattern})$`, "u").test(value)) return "pattern"; } catch { return null; } }
  if (one.hasAttribute("minlength") && one[FORM].value !== undefined && value.length < +one.getAttribute("minlength")) return "short";
  if (one.type === "number" || one.type === "range" || one.type === "date") { const n = one.type === "date" ? (text) => RealDate.parse(text) : Number; if (one.hasAttribute("min") && n(value) < n(one.getAttribute("min"))) return "low"; if (one.hasAttribute("max") && n(value) > n(one.getAttribute("max"))) return "high"; }
  return null;
};
const wordsFor = (one, wrong) => !wrong ? "" : wrong === "custom" ? one[FORM].custom : wrong === "missing" ? (one.type === "checkbox" ? "Please check this box if you want to proceed." : one.type === "radio" ? "Please select one of these options." : one.localName === "select" ? "Please select an item in the list." : "Please fill out this field.") : wrong === "type" && one.type === "email" ? (one.value.includes("@") ? `Please enter a part following '@'. '${one.value}' is incomplete.` : `Please include an '@' in the email address. '${one.value}' is missing an '@'.`) : wrong === "type" ? "Please enter a URL." : wrong === "pattern" ? "Please match the requested format." : wrong === "low" ? `Value must be greater than or equal to ${one.getAttribute("min")}.` : wrong === "high" ? `Value must be less than or equal to ${one.getAttribute("max")}.` : `Please lengthen this text to ${one.getAttribute("minlength")} characters or more (you are currently using ${one.value.length} characters).`;
const entriesOf = (form, by) => {
  const all = [];
  for (const one of controlsOf(form)) {
    const name = one.getAttribute("name");
    if (!name || disabled(one) || one.closest("datalist")) continue;
    if (one.localName === "button" || /^(submit|image|reset|button)$/.test(one.type)) { if (one !== by || /^(reset|button)$/.test(one.type)) continue; all.push([name, one.value]); continue; }
    if (/^(checkbox|radio)$/.test(one.type) && !one.checked) continue;
    if (one.localName === "select") for (const option of chosen(one)) { if (!disabled(option)) all.push([name, option.value]); }
    else if (one.type === "file") { const files = one[FORM].files ?? []; if (!files.length) all.push([name, new File("", 0, "application/octet-stream")]); for (const file of files) all.push([name, file]); }
    else all.push([name, one.value]);
  }
  return all;
};
const submitted = (form, by) => {
  if (!form.isConnected) return;
  if (!form.hasAttribute("novalidate") && !by?.hasAttribute("formnovalidate")) {
    const wrong = controlsOf(form).filter((one) => one.checkValidity && !one.checkValidity());
    if (wrong.length) { focused(wrong[0]); return; }
  }
  const event = new SubmitEvent("submit", { bubbles: true, cancelable: true, trusted: true }); event.submitter = by;
  if (form.dispatchEvent(event)) send(form, by);
};
const send = (form, by) => {
  const goal = absolute(by?.getAttribute("formaction") || form.getAttribute("action") || document.URL), method = (by?.getAttribute("formmethod") || form.getAttribute("method") || "get").toLowerCase();
  if (method === "dialog") { form.closest("dialog")?.close(by?.value); return; }
  if (goal === null) return;
  const data = new URLSearchParams(entriesOf(form, by).map(([name, value]) => [name, value instanceof File ? value.name : value.replace(/\r?\n|\r/g, "\r\n")])).toString(), target = by?.getAttribute("formtarget") || form.getAttribute("target") || "";
  if (method === "post") effects.push({ kind: "navigate", url: goal, method: "POST", body: data, target, frame: frameOf(form) });
  else { const url = new URL(goal); url.search = data; effects.push({ kind: "navigate", url: data ? url.href : url.href + "?", method: "GET", target, frame: frameOf(form) }); }
};
const resetForm = (form) => { if (!form.dispatchEvent(new Event("reset", { bubbles: true, cancelable: true }))) return; for (const one of controlsOf(form)) { one[FORM] = {}; if (one.localName === "select") for (const option of optionsOf(one)) delete option[FORM].selected; } };
const frameOf = (node) => { const root = rootOf(node); return root === document || !(root instanceof Document) ? null : elementsBelow(document).filter((one) => one.localName === "iframe").findIndex((one) => one[FRAME]?.document === root); };
const editable = (one) => (/^(input|textarea)$/.test(one.localName) ? !one.hasAttribute("readonly") && !disabled(one) : one.localName === "select" ? !disabled(one) : one.isContentEditable === true);
const focusable = (one) => (/^(input|select|textarea|button)$/.test(one.localName) ? !disabled(one) && one.type !== "hidden" : one.hasAttribute("tabindex") || one.isContentEditable || (one.localName === "a" && one.hasAttribute("href")) || one.localName === "summary" || one.localName === "iframe");
const focused = (one) => {
  const before = document[FORM].active;
  if (one && (!focusable(one) || !rendered(one))) return;
  if (before === one) return;
  document[FORM].active = null;
  if (before) { if (before[FORM].dirty) { before[FORM].dirty = false; before.dispatchEvent(new Event("change", { bubbles: true, trusted: true })); } before.dispatchEvent(new FocusEvent("blur", { trusted: true })); before.dispatchEvent(new FocusEvent("focusout", { bubbles: true, trusted: true })); }
  document[FORM].active = one;
  if (one) { one.dispatchEvent(new FocusEvent("focus", { trusted: true })); one.dispatchEvent(new FocusEvent("focusin", { bubbles: true, trusted: true })); }
};
const mouse = (one, type, more = {}) => one.dispatchEvent(new (type.startsWith("pointer") ? PointerEvent : MouseEvent)(type, { bubbles: !/enter|leave/.test(type), cancelable: !/enter|leave/.test(type), trusted: true, button: 0, detail: 1, clientX: Math.round(box(one).x + box(one).width / 2), clientY: Math.round(box(one).y + box(one).height / 2), ...more }));
const hover = (one) => { const before = hovered; hovered = one; if (before === one) { mouse(one, "mousemove"); return; } if (before?.isConnected) { mouse(before, "mouseout"); for (let at = before; at?.nodeType === 1 && !at.contains(one); at = at[UP]) mouse(at, "mouseleave"); } mouse(one, "pointerover"); mouse(one, "mouseover"); const path = pathOf(one).filter((at) => at.nodeType === 1 && !(before && at.contains(before))).reverse(); for (const at of path) mouse(at, "mouseenter"); mouse(one, "mousemove"); };
const pressed = (one) => { hover(one); mouse(one, "pointerdown"); if (mouse(one, "mousedown")) { let at = one; while (at && at.nodeType === 1 && !focusable(at)) at = at[UP]; const label = one.closest?.("label"); if (at?.nodeType === 1) focused(at); else if (!label) focused(null); } mouse(one, "pointerup"); mouse(one, "mouseup"); clicked(one, true); };
const clicked = (one, trusted) => {
  const control = one.closest("button, input, select, textarea, option");
  if (control && disabled(control) && control.localName !== "option") return;
  const box = one.localName === "input" && /^(checkbox|radio)$/.test(one.type) ? one : null, before = box?.checked;
  const group = box?.type === "radio" ? elementsBelow(document).find((other) => other.type === "radio" && other !== box && other.checked && other.getAttribute("name") === box.getAttribute("name") && other.form === box.form) : null;
  if (box) check(box, box.type === "radio" ? true : !before);
  const go = mouse(one, "click", { trusted });
  if (box && !go) { check(box, before); if (group) check(group, true); return; }
  if (!go) return;
  if (box) { if (box.checked !== before) { box.dispatchEvent(new Event("input", { bubbles: true, trusted })); box.dispatchEvent(new Event("change", { bubbles: true, trusted })); } return; }
  activated(one, trusted);
};
const activated = (one, trusted) => {
  for (let at = one; at?.nodeType === 1; at = at[UP]) {
    const name = at.localName;
    if ((name === "a" || name === "area") && at.hasAttribute("href")) {
      const url = absoluteIn(at, at.getAttribute("href"));
      if (url === null) return;
      if (/^javascript:/i.test(url)) { guarded(() => (0, eval)(decodeURIComponent(url.slice(11)))); return; }
      if (/^mailto:|^tel:/i.test(url)) return;
      if (at.hasAttribute("download")) { effects.push({ kind: "download", url, name: at.getAttribute("download") }); return; }
      const here = rootOf(at);
      if (url.includes("#") && url.replace(/#.*/s, "") === here.URL.replace(/#.*/s, "") && here === document) { moveTo(new URL(url).hash || "#"); return; }
      effects.push({ kind: "navigate", url, method: "GET", target: at.getAttribute("target") || "", frame: frameOf(at) });
      return;
    }
    if (name === "button" || (name === "input" && /^(submit|reset|image)$/.test(at.type))) { const form = at.form; if (form && at.type === "reset") resetForm(form); else if (form && at.type !== "button") submitted(form, at); return; }
    if (name === "label") { const control = at.control; if (control && !control.contains(one) && control !== one) { if (trusted) focused(control); clicked(control, trusted); } return; }
    if (name === "summary" && at[UP]?.localName === "details") { at[UP].open = !at[UP].open; at[UP].dispatchEvent(new Event("toggle")); return; }
    if (/^(input|select|textarea|option)$/.test(name)) return;
  }
};
const absoluteIn = (node, url) => { const root = rootOf(node); if (root === document) return absolute(url); try { return new URL(url, root.URL).href; } catch { return null; } };
const caretOf = (one) => one[FORM].caret ?? 0;
const typed = (one, text) => {
  if (!one) return;
  const input = () => one.dispatchEvent(new InputEvent("input", { bubbles: true, trusted: true, data: text, inputType: "insertText" }));
  if (one.isContentEditable && !textual(one)) { const first = [...walk(one)].find((node) => node.nodeType === 3); const caret = one[FORM].caret ?? 0; if (first) first.data = first[TEXT].slice(0, caret) + text + first[TEXT].slice(caret); else one.appendChild(new Text(text)); one[FORM].caret = caret + text.length; input(); return; }
  if (!textual(one) || !editable(one)) return;
  if (one.type === "number" && !/^[-+.eE\d]$/.test(text)) return;
  if (/^(date|time|month|week|datetime-local|color)$/.test(one.type)) return;
  const now = one[FORM].raw ?? one.value, caret = one[FORM].all ? now.length : caretOf(one);
  const next = one[FORM].all ? text : now.slice(0, caret) + text + now.slice(caret), most = one.getAttribute("maxlength");
  if (most !== null && next.length > +most) return;
  one[FORM].value = next; one[FORM].caret = (one[FORM].all ? 0 : caret) + text.length; one[FORM].all = false; one[FORM].dirty = true;
  if (one.type === "number") one[FORM].raw = next;
  input();
};
const erased = (one, ahead) => { if (!one || !textual(one) || !editable(one)) return; const now = one.value, caret = caretOf(one); const [from, to] = one[FORM].all ? [0, now.length] : ahead ? [caret, caret + 1] : [Math.max(caret - 1, 0), caret]; if (from === to || from >= now.length) return; one[FORM].value = now.slice(0, from) + now.slice(to); one[FORM].caret = from; one[FORM].all = false; one[FORM].dirty = true; one.dispatchEvent(new InputEvent("input", { bubbles: true, trusted: true, inputType: ahead ? "deleteContentForward" : "deleteContentBackward" })); };
const keyed = (key, code, text, held) => {
  const one = document.activeElement ?? document.body, init = { bubbles: true, cancelable: true, trusted: true, key, code, keyCode: text && text.length === 1 ? text.toUpperCase().charCodeAt(0) : { Enter: 13, Escape: 27, Tab: 9, Backspace: 8, Delete: 46, ArrowUp: 38, ArrowDown: 40, ArrowLeft: 37, ArrowRight: 39, " ": 32 }[key] ?? 0, ctrlKey: held.includes("Control"), shiftKey: held.includes("Shift"), altKey: held.includes("Alt"), metaKey: held.includes("Meta") };
  const command = init.ctrlKey || init.metaKey;
  let go = one.dispatchEvent(new KeyboardEvent("keydown", init));
  if (go && text && !command) go = one.dispatchEvent(new KeyboardEvent("keypress", init));
  if (go) acted(document.activeElement ?? document.body, key, text, command, init.shiftKey);
  (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keyup", init));
};
const acted = (one, key, text, command, shift) => {
  if (command) { if (key.toLowerCase() === "a" && textual(one)) { one[FORM].all = true; one[FORM].caret = one.value.length; } return; }
  switch (key) {
    case "Enter":
      if (one.localName === "textarea" || (one.isContentEditable && !textual(one))) { typed(one, "\n"); return; }
      if (one.localName === "input" && !/^(checkbox|radio|file|button|submit|reset|image)$/.test(one.type)) { if (one[FORM].dirty) { one[FORM].dirty = false; one.dispatchEvent(new Event("change", { bubbles: true, trusted: true })); } const form = one.form; if (!form) return; const by = controlsOf(form).find((other) => /^(submit|image)$/.test(other.type)); if (by) { if (!disabled(by)) clicked(by, true); } else if (controlsOf(form).filter((other) => textual(other)).length === 1) submitted(form, null); return; }
      if (one.localName === "a" || one.localName === "button" || one.localName === "summary" || /^(submit|button|reset|image)$/.test(one.type ?? "")) clicked(one, true);
      return;
    case " ": if (one.localName === "button" || one.localName === "summary" || /^(checkbox|radio|submit|button|reset)$/.test(one.type ?? "")) { clicked(one, true); return; } break;
    case "Tab": { const all = elementsBelow(document).filter((other) => focusable(other) && rendered(other) && other.getAttribute("tabindex") !== "-1"), i = all.indexOf(one); focused(all[shift ? (i < 0 ? all.length - 1 : i - 1) : i + 1] ?? null); const now = document[FORM].active; if (now && textual(now)) { now[FORM].all = now.value !== ""; now[FORM].caret = now.value.length; } return; }
    case "Backspace": erased(one, false); return;
    case "Delete": erased(one, true); return;
    case "Home": case "End": case "ArrowLeft": case "ArrowRight": if (textual(one)) { const size = one.value.length; one[FORM].all = false; one[FORM].caret = { Home: 0, End: size, ArrowLeft: Math.max(caretOf(one) - 1, 0), ArrowRight: Math.min(caretOf(one) + 1, size) }[key]; } return;
    case "ArrowUp": case "ArrowDown":
      if (one.localName === "select" && !one.multiple) { const all = optionsOf(one), step = key === "ArrowDown" ? 1 : -1; for (let i = one.selectedIndex + step; i >= 0 && i < all.length; i += step) if (!disabled(all[i])) { choose(one, [all[i]]); one.dispatchEvent(new Event("input", { bubbles: true, trusted: true })); one.dispatchEvent(new Event("change", { bubbles: true, trusted: true })); break; } }
      else if (one.type === "number") { one.value = String((+one.value || 0) + (key === "ArrowUp" ? 1 : -1) * (+one.getAttribute("step") || 1)); one.dispatchEvent(new Event("input", { bubbles: true, trusted: true })); one.dispatchEvent(new Event("change", { bubbles: true, trusted: true })); }
      return;
    case "Escape": { const open = elementsBelow(document).findLast((other) => other.localName === "dialog" && other.open); open?.close(); return; }
  }
  if (text) typed(one, text);
};
"""

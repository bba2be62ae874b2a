// Forms: the values of controls, the effects of clicks and keys on them, and the data that a form sends.

const typeOf = (one) => {
  const type = (one.getAttribute("type") || "text").toLowerCase();
  return /^(button|checkbox|color|date|datetime-local|email|file|hidden|image|month|number|password|radio|range|reset|search|submit|tel|text|time|url|week)$/.test(
    type,
  )
    ? type
    : "text";
};
const textual = (one) =>
  one.localName === "textarea" ||
  (one.localName === "input" && !/^(checkbox|radio|file|button|submit|reset|image|hidden|color|range)$/.test(one.type));
const cleaned = (one, value) => {
  switch (one.type) {
    case "number":
      return /^-?(\d+(\.\d+)?|\.\d+)([eE][-+]?\d+)?$/.test(value) ? value : "";
    case "date":
      return /^\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(value) &&
        !isNaN(RealDate.parse(value)) &&
        new RealDate(RealDate.parse(value)).toISOString().startsWith(value)
        ? value
        : "";
    case "time":
      return /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(value) ? value : "";
    case "month":
      return /^\d{4,}-(0[1-9]|1[0-2])$/.test(value) ? value : "";
    case "week":
      return /^\d{4,}-W(0[1-9]|[1-4]\d|5[0-3])$/.test(value) ? value : "";
    case "datetime-local":
      return /^\d{4,}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(value) ? value.replace(" ", "T") : "";
    case "color":
      return /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : "#000000";
    case "range": {
      const low = +(one.getAttribute("min") ?? 0),
        high = +(one.getAttribute("max") ?? 100),
        n = value === "" || isNaN(value) ? (low + high) / 2 : +value;
      return String(Math.min(Math.max(n, low), high));
    }
    case "email":
    case "url":
      return value.replace(/[\r\n]/g, "").trim();
    default:
      return one.localName === "input" ? value.replace(/[\r\n]/g, "") : value.replace(/\r\n?/g, "\n");
  }
};
Object.defineProperties(Input.prototype, {
  type: {
    get() {
      return typeOf(this);
    },
    set(value) {
      this.setAttribute("type", value);
    },
  },
  value: {
    get() {
      if (this.type === "file") return this[FORM].files?.length ? "C:\\fakepath\\" + this[FORM].files[0].name : "";
      if (/^(checkbox|radio)$/.test(this.type)) return this.getAttribute("value") ?? "on";
      if (/^(button|submit|reset|hidden|image)$/.test(this.type)) return this.getAttribute("value") ?? "";
      return cleaned(this, this[FORM].value ?? this.getAttribute("value") ?? "");
    },
    set(value) {
      if (this.type === "file") {
        if (value !== "")
          throw new DOMException(
            "Failed to set the 'value' property on 'HTMLInputElement': This input element accepts a filename, which may only be programmatically set to the empty string.",
            "InvalidStateError",
          );
        this[FORM].files = [];
        return;
      }
      if (/^(checkbox|radio|button|submit|reset|hidden|image)$/.test(this.type)) {
        this.setAttribute("value", value ?? "");
        return;
      }
      warned(this, value === null ? "" : String(value));
      this[FORM].value = cleaned(this, value === null ? "" : String(value));
      delete this[FORM].raw;
      delete this[FORM].parts;
      atEnd(this);
    },
  },
  checked: {
    get() {
      return this[FORM].checked ?? this.hasAttribute("checked");
    },
    set(on) {
      check(this, !!on);
    },
  },
  defaultValue: {
    get() {
      return this.getAttribute("value") ?? "";
    },
    set(value) {
      this.setAttribute("value", value);
    },
  },
  defaultChecked: {
    get() {
      return this.hasAttribute("checked");
    },
  },
  valueAsNumber: {
    get() {
      return this.value === "" ? NaN : +this.value;
    },
    set(value) {
      this.value = String(value);
    },
  },
  files: {
    get() {
      if (this.type !== "file") return null;
      const list = new HTMLCollection(this[FORM].files ?? []);
      return list;
    },
  },
  list: {
    get() {
      return document.getElementById(this.getAttribute("list") ?? "");
    },
  },
});
// The console message of Chromium for a value that a field cannot hold.
const FORMATS = {
  color: ".  The value must be a valid CSS color.",
  date: ', "yyyy-MM-dd".',
  month: '.  The format is "yyyy-MM" where yyyy is year in four or more digits, and MM is 01-12.',
  week: '.  The format is "yyyy-Www" where yyyy is year in four or more digits, and ww is 01-53.',
  time: '.  The format is "HH:mm", "HH:mm:ss" or "HH:mm:ss.SSS" where HH is 00-23, mm is 00-59, ss is 00-59, and SSS is 000-999.',
  "datetime-local": '.  The format is "yyyy-MM-ddThh:mm" followed by optional ":ss" or ":ss.SSS".',
};
const warned = (one, value) => {
  const type = one.type;
  if (
    FORMATS[type] &&
    (value !== "" || type === "color") &&
    !(type === "color" ? /^#[0-9a-f]{6}$/i.test(value) : cleaned(one, value))
  )
    say("warning", [`The specified value "${value}" does not conform to the required format${FORMATS[type]}`]);
  if (/^(number|range)$/.test(type) && value !== "" && (isNaN(value) || !cleaned({ type: "number" }, value)))
    say("warning", [`The specified value "${value}" cannot be parsed, or is out of range.`]);
};
const check = (one, on) => {
  if (on && one.type === "radio") {
    const form = one.form;
    for (const other of elementsBelow(document))
      if (
        other !== one &&
        other.localName === "input" &&
        other.type === "radio" &&
        other.getAttribute("name") &&
        other.getAttribute("name") === one.getAttribute("name") &&
        other.form === form
      )
        other[FORM].checked = false;
  }
  one[FORM].checked = on;
};
Object.defineProperties(Area2.prototype, {
  type: {
    get() {
      return "textarea";
    },
  },
  defaultValue: {
    get() {
      return this.textContent;
    },
    set(text) {
      this.textContent = text;
    },
  },
  textLength: {
    get() {
      return this.value.length;
    },
  },
  value: {
    get() {
      return this[FORM].value ?? texts(this);
    },
    set(value) {
      this[FORM].value = (value === null ? "" : String(value)).replace(/\r\n?/g, "\n");
      atEnd(this);
    },
  },
});
const optionsOf = (one) => elementsBelow(one).filter((below) => below.localName === "option");
const chosen = (one) => {
  const all = optionsOf(one),
    own = all.filter((option) => option[FORM].selected ?? option.hasAttribute("selected"));
  if (one.multiple) return own;
  if (own.length) return [own[own.length - 1]];
  const first = one[FORM].none ? null : all.find((option) => !disabled(option));
  return first && !(+one.getAttribute("size") > 1) ? [first] : [];
};
const choose = (one, options) => {
  one[FORM].none = !options.length;
  for (const option of optionsOf(one)) option[FORM].selected = options.includes(option);
};
Object.defineProperties(Select.prototype, {
  type: {
    get() {
      return this.multiple ? "select-multiple" : "select-one";
    },
  },
  options: {
    get() {
      return new HTMLCollection(optionsOf(this));
    },
  },
  length: {
    get() {
      return optionsOf(this).length;
    },
  },
  selectedOptions: {
    get() {
      return new HTMLCollection(chosen(this));
    },
  },
  selectedIndex: {
    get() {
      const own = chosen(this)[0];
      return own ? optionsOf(this).indexOf(own) : -1;
    },
    set(i) {
      const own = optionsOf(this)[i];
      choose(this, own ? [own] : []);
    },
  },
  value: {
    get() {
      return chosen(this)[0]?.value ?? "";
    },
    set(value) {
      const own = optionsOf(this).find((option) => option.value === String(value));
      choose(this, own ? [own] : []);
    },
  },
  item: {
    value(i) {
      return optionsOf(this)[i] ?? null;
    },
  },
  add: {
    value(option) {
      this.appendChild(option);
    },
  },
});
Object.defineProperties(Option.prototype, {
  text: {
    get() {
      return flat(this.textContent);
    },
    set(text) {
      this.textContent = text;
    },
  },
  value: {
    get() {
      return this.getAttribute("value") ?? flat(this.textContent);
    },
    set(value) {
      this.setAttribute("value", value);
    },
  },
  label: {
    get() {
      return this.getAttribute("label") || this.text;
    },
  },
  index: {
    get() {
      const up = this.closest("select");
      return up ? optionsOf(up).indexOf(this) : 0;
    },
  },
  defaultSelected: {
    get() {
      return this.hasAttribute("selected");
    },
  },
  selected: {
    get() {
      const up = this.closest("select");
      return up ? chosen(up).includes(this) : (this[FORM].selected ?? this.hasAttribute("selected"));
    },
    set(on) {
      const up = this.closest("select");
      if (up && !up.multiple && on) choose(up, [this]);
      else this[FORM].selected = !!on;
    },
  },
});
Object.defineProperties(Button.prototype, {
  type: {
    get() {
      const type = (this.getAttribute("type") || "submit").toLowerCase();
      return /^(submit|reset|button)$/.test(type) ? type : "submit";
    },
    set(value) {
      this.setAttribute("type", value);
    },
  },
  value: {
    get() {
      return this.getAttribute("value") ?? "";
    },
    set(value) {
      this.setAttribute("value", value);
    },
  },
});
for (const Class of [Input, Area2, Select, Button]) {
  reflect(Class, ["name", "placeholder", "autocomplete", "pattern", "min", "max", "step", "accept", "formAction"]);
  reflect(
    Class,
    ["disabled", "required", "readOnly", "multiple", "autofocus"].map((one) => [one, one.toLowerCase()]),
    "flag",
  );
  Object.defineProperties(Class.prototype, {
    form: {
      get() {
        const id = this.getAttribute("form");
        return id !== null ? document.getElementById(id) : this.closest("form");
      },
      configurable: true,
    },
    labels: {
      get() {
        return new NodeList(elementsBelow(document).filter((one) => one.localName === "label" && one.control === this));
      },
    },
    validity: {
      get() {
        const wrong = problemOf(this);
        return {
          valid: !wrong,
          badInput: wrong === "bad",
          valueMissing: wrong === "missing",
          typeMismatch: wrong === "type",
          patternMismatch: wrong === "pattern",
          customError: wrong === "custom",
          tooShort: wrong === "short",
          rangeUnderflow: wrong === "low",
          rangeOverflow: wrong === "high",
          stepMismatch: wrong === "step",
        };
      },
    },
    willValidate: {
      get() {
        return !disabled(this) && !this.hasAttribute("readonly") && !/^(hidden|button|reset)$/.test(this.type);
      },
    },
    validationMessage: {
      get() {
        return wordsFor(this, problemOf(this));
      },
    },
    checkValidity: {
      value() {
        const wrong = problemOf(this);
        if (wrong) this.dispatchEvent(new Event("invalid", { cancelable: true, trusted: true }));
        return !wrong;
      },
    },
    reportValidity: {
      value() {
        return this.checkValidity();
      },
    },
    setCustomValidity: {
      value(text) {
        this[FORM].custom = String(text);
      },
    },
    select: {
      value() {
        focused(this);
        marked(this);
      },
    },
    setSelectionRange: {
      value(start, end) {
        const [from, to] = rangeOf(this),
          most = this.value.length,
          last = Math.min(end, most),
          first = Math.min(start, last);
        (first === from && last === to ? selects : marked)(this, first, last);
      },
    },
    selectionStart: {
      get() {
        return rangeOf(this)[0];
      },
      set(i) {
        this.setSelectionRange(i, Math.max(rangeOf(this)[1], i));
      },
    },
    selectionEnd: {
      get() {
        return rangeOf(this)[1];
      },
      set(i) {
        this.setSelectionRange(Math.min(rangeOf(this)[0], i), i);
      },
    },
  });
}
reflect(Option, ["disabled"], "flag");
reflect(named.fieldset, ["disabled"], "flag");
for (const Class of [Option, named.fieldset, named.output])
  Object.defineProperty(Class.prototype, "form", {
    get() {
      return this.closest("form");
    },
  });
for (const [name, usual] of [
  ["rows", 2],
  ["cols", 20],
])
  Object.defineProperty(Area2.prototype, name, {
    get() {
      return Math.max(parseInt(this.getAttribute(name), 10), 0) || usual;
    },
  });
Object.defineProperties(Label.prototype, {
  control: {
    get() {
      const id = this.getAttribute("for");
      return id !== null
        ? document.getElementById(id)
        : (elementsBelow(this).find(
            (one) =>
              /^(input|select|textarea|button|meter|output|progress)$/.test(one.localName) && one.type !== "hidden",
          ) ?? null);
    },
  },
  form: {
    get() {
      return this.control?.form ?? null;
    },
  },
});
const controlsOf = (form) =>
  elementsBelow(document === form[OWNER] ? document : rootOf(form)).filter(
    (one) => /^(input|select|textarea|button)$/.test(one.localName) && one.form === form,
  );
reflect(Form, ["name", "enctype", "target", "acceptCharset", "noValidate"]);
Object.defineProperties(Form.prototype, {
  action: {
    get() {
      const own = this.getAttribute("action");
      return own ? (absolute(own) ?? own) : document.URL;
    },
    set(value) {
      this.setAttribute("action", value);
    },
  },
  method: {
    get() {
      const own = (this.getAttribute("method") || "get").toLowerCase();
      return own === "post" || own === "dialog" ? own : "get";
    },
    set(value) {
      this.setAttribute("method", value);
    },
  },
  elements: {
    get() {
      return new HTMLCollection(
        elementsBelow(rootOf(this)).filter(
          (one) =>
            /^(input|select|textarea|button|fieldset|output|object)$/.test(one.localName) &&
            one.type !== "image" &&
            one.form === this,
        ),
      );
    },
  },
  length: {
    get() {
      return this.elements.length;
    },
  },
  submit: {
    value() {
      send(this, null);
    },
  },
  requestSubmit: {
    value(by) {
      submitted(this, by ?? null);
    },
  },
  reset: {
    value() {
      resetForm(this);
    },
  },
  checkValidity: {
    value() {
      return controlsOf(this).every((one) => one.checkValidity());
    },
  },
  reportValidity: {
    value() {
      return this.checkValidity();
    },
  },
});
const problemOf = (one) => {
  if (
    !/^(input|select|textarea)$/.test(one.localName) ||
    disabled(one) ||
    one.hasAttribute("readonly") ||
    /^(hidden|button|reset|submit|image)$/.test(one.type)
  )
    return null;
  if (one[FORM].custom) return "custom";
  if (halfDone(one)) return "bad";
  const value = one.value;
  if (one.hasAttribute("required")) {
    if (
      one.type === "checkbox"
        ? !one.checked
        : one.type === "radio"
          ? !elementsBelow(document).some(
              (other) =>
                other.type === "radio" && other.getAttribute("name") === one.getAttribute("name") && other.checked,
            )
          : value === ""
    )
      return "missing";
  }
  if (value === "" || one.localName === "select") return null;
  if (one.type === "email" && !/^[\w.!#$%&'*+/=?^`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*$/.test(value)) return "type";
  if (one.type === "url" && !URL.canParse(value)) return "type";
  const pattern = one.getAttribute("pattern");
  if (pattern !== null && textual(one)) {
    try {
      if (!new RegExp(`^(?:${pattern})$`, "u").test(value)) return "pattern";
    } catch {
      return null;
    }
  }
  if (one.hasAttribute("minlength") && one[FORM].value !== undefined && value.length < +one.getAttribute("minlength"))
    return "short";
  if (one.type === "number" || one.type === "range" || one.type === "date") {
    const n = one.type === "date" ? (text) => RealDate.parse(text) : Number;
    if (one.hasAttribute("min") && n(value) < n(one.getAttribute("min"))) return "low";
    if (one.hasAttribute("max") && n(value) > n(one.getAttribute("max"))) return "high";
  }
  if ((one.type === "number" || one.type === "range") && strayed(one, value)) return "step";
  return null;
};
const stepOf = (one) => {
  const said = one.getAttribute("step");
  return said?.toLowerCase() === "any" ? null : +said > 0 ? +said : 1;
};
const stepBase = (one) => {
  const own = one.getAttribute("min") ?? one.getAttribute("value");
  return own !== null && !isNaN(own) && own !== "" ? +own : 0;
};
const strayed = (one, value) => {
  const step = stepOf(one);
  if (step === null) return null;
  const steps = (value - stepBase(one)) / step;
  return Math.abs(steps - Math.round(steps)) < 1e-7
    ? null
    : [Math.floor(steps), Math.ceil(steps)].map((n) => +(stepBase(one) + n * step).toFixed(10));
};
const wordsFor = (one, wrong) =>
  !wrong
    ? ""
    : wrong === "custom"
      ? one[FORM].custom
      : wrong === "bad"
        ? "Please enter a valid value. The field is incomplete or has an invalid date."
        : wrong === "missing"
          ? one.type === "checkbox"
            ? "Please check this box if you want to proceed."
            : one.type === "radio"
              ? "Please select one of these options."
              : one.localName === "select"
                ? "Please select an item in the list."
                : "Please fill out this field."
          : wrong === "type" && one.type === "email"
            ? one.value.includes("@")
              ? `Please enter a part following '@'. '${one.value}' is incomplete.`
              : `Please include an '@' in the email address. '${one.value}' is missing an '@'.`
            : wrong === "type"
              ? "Please enter a URL."
              : wrong === "pattern"
                ? "Please match the requested format."
                : wrong === "step"
                  ? `Please enter a valid value. The two nearest valid values are ${strayed(one, one.value).join(" and ")}.`
                  : wrong === "low"
                    ? `Value must be greater than or equal to ${one.getAttribute("min")}.`
                    : wrong === "high"
                      ? `Value must be less than or equal to ${one.getAttribute("max")}.`
                      : `Please lengthen this text to ${one.getAttribute("minlength")} characters or more (you are currently using ${one.value.length} character${one.value.length === 1 ? "" : "s"}).`;
const entriesOf = (form, by) => {
  const all = [];
  for (const one of controlsOf(form)) {
    const name = one.getAttribute("name");
    if (!name || disabled(one) || one.closest("datalist")) continue;
    if (one.localName === "button" || /^(submit|image|reset|button)$/.test(one.type)) {
      if (one !== by || /^(reset|button)$/.test(one.type)) continue;
      all.push([name, one.value]);
      continue;
    }
    if (/^(checkbox|radio)$/.test(one.type) && !one.checked) continue;
    if (one.localName === "select")
      for (const option of chosen(one)) {
        if (!disabled(option)) all.push([name, option.value]);
      }
    else if (one.type === "file") {
      const files = one[FORM].files ?? [];
      if (!files.length) all.push([name, new File("", 0, "application/octet-stream")]);
      for (const file of files) all.push([name, file]);
    } else all.push([name, one.value]);
  }
  return all;
};
const submitted = (form, by) => {
  if (!form.isConnected) return;
  if (!form.hasAttribute("novalidate") && !by?.hasAttribute("formnovalidate")) {
    const wrong = controlsOf(form).filter((one) => one.checkValidity && !one.checkValidity());
    if (wrong.length) {
      focused(wrong[0]);
      return;
    }
  }
  const event = new SubmitEvent("submit", { bubbles: true, cancelable: true, trusted: true });
  event.submitter = by;
  if (form.dispatchEvent(event)) send(form, by);
};
const send = (form, by) => {
  const goal = absolute(by?.getAttribute("formaction") || form.getAttribute("action") || document.URL),
    method = (by?.getAttribute("formmethod") || form.getAttribute("method") || "get").toLowerCase();
  if (method === "dialog") {
    form.closest("dialog")?.close(by?.value);
    return;
  }
  if (goal === null) return;
  const data = new URLSearchParams(
      entriesOf(form, by).map(([name, value]) => [
        name,
        value instanceof File ? value.name : value.replace(/\r?\n|\r/g, "\r\n"),
      ]),
    ).toString(),
    goes = aimed(form, by?.getAttribute("formtarget") || form.getAttribute("target") || "");
  if (method === "post") effects.push({ kind: "navigate", url: goal, method: "POST", body: data, form: true, ...goes });
  else {
    const url = new URL(goal);
    url.search = data;
    effects.push({ kind: "navigate", url: data ? url.href : url.href + "?", method: "GET", form: true, ...goes });
  }
};
// Return the target of a link or a form: the frame of that name, or the frame that contains it.
const aimed = (from, target) => {
  const named =
    target && !target.startsWith("_") ? frames().find((one) => one[FRAME] && one[ATTRS].get("name") === target) : null;
  return named
    ? { target: "", frame: named[FRAME].number }
    : { target, frame: frames()[frameOf(from)]?.[FRAME].number ?? null };
};
const resetForm = (form) => {
  if (!form.dispatchEvent(new Event("reset", { bubbles: true, cancelable: true, trusted: true }))) return;
  for (const one of controlsOf(form)) {
    for (const name of ["value", "raw", "parts", "checked", "files", "all", "dirty", "none"]) delete one[FORM][name];
    if (one.type === "color") warned(one, one.getAttribute("value") ?? "");
    if (one.localName === "select") for (const option of optionsOf(one)) delete option[FORM].selected;
  }
};
const frameOf = (node) => {
  const root = rootOf(node);
  return root === document || !(root instanceof Document)
    ? null
    : elementsBelow(document)
        .filter((one) => one.localName === "iframe")
        .findIndex((one) => one[FRAME]?.document === root);
};
const editable = (one) =>
  /^(input|textarea)$/.test(one.localName)
    ? !one.hasAttribute("readonly") && !disabled(one)
    : one.localName === "select"
      ? !disabled(one)
      : one.isContentEditable === true;
const focusable = (one) =>
  /^(input|select|textarea|button)$/.test(one.localName)
    ? !disabled(one) && one.type !== "hidden"
    : one.hasAttribute("tabindex") ||
      one.isContentEditable ||
      (one.localName === "a" && one.hasAttribute("href")) ||
      one.localName === "summary" ||
      one.localName === "iframe";
const told = (one) => {
  one.dispatchEvent(new Event("input", { bubbles: true, trusted: true }));
  one.dispatchEvent(new Event("change", { bubbles: true, trusted: true }));
};
const committed = (one) => {
  if (!one[FORM].dirty) return;
  one[FORM].dirty = false;
  if (textual(one) && contentOf(one) !== one[FORM].told)
    one.dispatchEvent(new Event("change", { bubbles: true, trusted: true }));
};
const contentOf = (one) => (textual(one) ? one.value : one.textContent);
const touched = (one) => {
  if (one[FORM].dirty) return;
  one[FORM].dirty = true;
  one[FORM].told = contentOf(one);
};
// The selection of a field is the range between its anchor and its caret.
const writtenIn = (one) => one[FORM].raw ?? one.value;
const caretOf = (one) => Math.min(one[FORM].caret ?? 0, writtenIn(one).length);
const rangeOf = (one) => {
  const caret = caretOf(one),
    anchor = Math.min(one[FORM].anchor ?? caret, writtenIn(one).length);
  return [Math.min(anchor, caret), Math.max(anchor, caret)];
};
const selects = (one, anchor, caret) => {
  one[FORM].anchor = anchor;
  one[FORM].caret = caret;
};
const atEnd = (one) => selects(one, undefined, one[FORM].value.length);
const marked = (one, anchor = 0, caret = writtenIn(one).length) => {
  selects(one, anchor, caret);
  if (anchor !== caret) soon(() => one.dispatchEvent(new Event("select", { bubbles: true, trusted: true })));
};
const soon = (work) => queue.push({ due: clock, id: ++timer, work });
const announced = (one, data, inputType) =>
  one.dispatchEvent(new InputEvent("beforeinput", { bubbles: true, cancelable: true, trusted: true, data, inputType }));
const focused = (one) => {
  const before = document[FORM].active;
  if (one && (!focusable(one) || !rendered(one))) return;
  if (before === one) {
    if (one && parts(one)) toPart(one, one[FORM].part < parts(one).length ? one[FORM].part : 0);
    return;
  }
  document[FORM].active = null;
  if (before) {
    committed(before);
    before.dispatchEvent(new FocusEvent("blur", { trusted: true }));
    before.dispatchEvent(new FocusEvent("focusout", { bubbles: true, trusted: true }));
  }
  document[FORM].active = one;
  if (one && parts(one)) toPart(one, 0);
  if (one) {
    one.dispatchEvent(new FocusEvent("focus", { trusted: true }));
    one.dispatchEvent(new FocusEvent("focusin", { bubbles: true, trusted: true }));
  }
};
const mouse = (one, type, more = {}) =>
  one.dispatchEvent(
    new (/^pointer|^click$/.test(type) ? PointerEvent : MouseEvent)(type, {
      bubbles: !/enter|leave/.test(type),
      cancelable: !/enter|leave/.test(type),
      trusted: true,
      button: 0,
      detail: 1,
      clientX: Math.round(box(one).x + box(one).width / 2),
      clientY: Math.round(box(one).y + box(one).height / 2),
      ...more,
    }),
  );
const hover = (one) => {
  const before = hovered;
  hovered = one;
  if (before === one) {
    mouse(one, "mousemove");
    return;
  }
  if (before?.isConnected) {
    mouse(before, "mouseout");
    for (let at = before; at?.nodeType === 1 && !at.contains(one); at = at[UP]) mouse(at, "mouseleave");
  }
  mouse(one, "pointerover");
  mouse(one, "mouseover");
  const path = pathOf(one)
    .filter((at) => at.nodeType === 1 && !(before && at.contains(before)))
    .reverse();
  for (const at of path) mouse(at, "mouseenter");
  mouse(one, "mousemove");
};
// Return what a click in the middle of an element hits: the content of the line there.
const met = (one) => {
  if (!/^inline/.test(computed(one, "display")) || /^(input|select|textarea|iframe)$/.test(one.localName)) return one;
  const own = box(one),
    x = own.x + own.width / 2,
    y = own.y + own.height / 2;
  const kids = one[KIDS].filter((kid) => kid.nodeType === 1 || kid[TEXT]?.trim());
  const kid =
    kids.length === 1 && kids[0].nodeType === 1 && /^inline$/.test(computed(kids[0], "display"))
      ? kids[0]
      : kids.find((kid) => {
          if (kid.nodeType !== 1 || !shown(kid)) return false;
          const b = box(kid);
          return one.localName !== "button" && x >= b.x && x < b.x + b.width && y >= b.y - 4 && y < b.y + b.height + 4;
        });
  return kid && shown(kid) ? met(kid) : one;
};
const pressed = (one) => {
  one = met(one);
  hover(one);
  if (disabled(one)) {
    mouse(one, "pointerdown");
    focused(null);
    mouse(one, "pointerup");
    return;
  }
  mouse(one, "pointerdown");
  if (mouse(one, "mousedown")) {
    let at = one;
    while (at && at.nodeType === 1 && !focusable(at)) at = at[UP];
    if (at?.nodeType === 1) {
      focused(at);
      pointed(at);
    } else away(one);
  }
  mouse(one, "pointerup");
  mouse(one, "mouseup");
  clicked(one, true, "mouse");
};
// If nothing accepts the focus, nothing has it. A frame is the exception: it has the focus as a whole.
const away = (one) => {
  focused(null);
  document[FORM].active = frames()[frameOf(one)] ?? null;
};
const clicked = (one, trusted, by = null) => {
  const control = one.closest("button, input, select, textarea, option");
  if (control && disabled(control) && control.localName !== "option") return;
  const box = one.localName === "input" && /^(checkbox|radio)$/.test(one.type) ? one : null,
    before = box?.checked;
  const group =
    box?.type === "radio"
      ? elementsBelow(document).find(
          (other) =>
            other.type === "radio" &&
            other !== box &&
            other.checked &&
            other.getAttribute("name") === box.getAttribute("name") &&
            other.form === box.form,
        )
      : null;
  if (box) check(box, box.type === "radio" ? true : !before);
  const go = mouse(
    one,
    "click",
    by === "mouse" ? { trusted, pointerType: "mouse", pointerId: 1 } : { trusted, detail: 0, clientX: 0, clientY: 0 },
  );
  if (box && !go) {
    check(box, before);
    if (group) check(group, true);
    return;
  }
  if (!go) return;
  if (box) {
    if (box.checked !== before) {
      told(box);
    }
    return;
  }
  activated(one, trusted, by);
};
const activated = (one, trusted, by) => {
  for (let at = one; at?.nodeType === 1; at = at[UP]) {
    const name = at.localName;
    if ((name === "a" || name === "area") && at.hasAttribute("href")) {
      const url = absoluteIn(at, at.getAttribute("href"));
      if (url === null) return;
      if (/^javascript:/i.test(url)) {
        guarded(() => (0, eval)(decodeURIComponent(url.slice(11))));
        return;
      }
      if (/^mailto:|^tel:/i.test(url)) return;
      if (at.hasAttribute("download")) {
        effects.push({ kind: "download", url, name: at.getAttribute("download") });
        return;
      }
      const here = rootOf(at);
      if (here === document && withinPage(url)) {
        moveTo(url);
        return;
      }
      effects.push({
        kind: "navigate",
        url,
        method: "GET",
        ...aimed(at, at.getAttribute("target") || ""),
        ...(/(^|\s)noreferrer(\s|$)/i.test(at.getAttribute("rel") || "") && { noreferrer: true }),
      });
      return;
    }
    if (name === "button" || (name === "input" && /^(submit|reset|image)$/.test(at.type))) {
      const form = at.form;
      if (form && at.type === "reset") resetForm(form);
      else if (form && at.type !== "button") submitted(form, at);
      return;
    }
    if (name === "label") {
      const control = at.control;
      if (control && !control.contains(one) && control !== one) {
        if (trusted) focused(control);
        clicked(control, trusted, by);
      }
      return;
    }
    if (name === "summary" && at[UP]?.localName === "details") {
      at[UP].open = !at[UP].open;
      return;
    }
    if (/^(input|select|textarea|option)$/.test(name)) return;
  }
};
const absoluteIn = (node, url) => {
  const root = rootOf(node);
  if (root === document || /^about:/.test(root.URL)) return absolute(url);
  try {
    return new URL(url, root.URL).href;
  } catch {
    return null;
  }
};
// A click puts the caret in the middle of a field: between two letters, or after the last letter of the line.
const pointed = (one) => {
  if (!textual(one) || parts(one)) return;
  const size = fontOf(one),
    { width, height } = box(one),
    lines = writtenIn(one).split("\n"),
    row = one.localName === "textarea" ? Math.min(Math.floor((height / 2 - EDGE) / LINE), lines.length - 1) : 0;
  const line = lines[row],
    middle = width / 2 - EDGE;
  let at = 0;
  while (at < line.length && letters(line.slice(0, at), size) + letters(line[at], size) / 2 < middle) at++;
  selects(one, undefined, lines.slice(0, row).join("\n").length + (row && 1) + at);
};
const typed = (one, text) => {
  if (!one) return;
  const input = () =>
    one.dispatchEvent(new InputEvent("input", { bubbles: true, trusted: true, data: text, inputType: "insertText" }));
  if (one.isContentEditable && !textual(one)) {
    if (!announced(one, text, "insertText")) return;
    touched(one);
    const first = [...walk(one)].find((node) => node.nodeType === 3),
      caret = one[FORM].caret ?? 0;
    if (first) first.data = first[TEXT].slice(0, caret) + text + first[TEXT].slice(caret);
    else {
      if (one[KIDS].length === 1 && one.firstChild.localName === "br") detach(one.firstChild);
      one.appendChild(new Text(text));
    }
    one[FORM].caret = caret + text.length;
    input();
    return;
  }
  if (!textual(one) || !editable(one)) return;
  if (one.type === "number" && !/^[-+.eE\d]+$/.test(text)) return;
  if (parts(one)) {
    for (const c of text) partTyped(one, c);
    return;
  }
  if (!announced(one, text, "insertText")) return;
  const now = writtenIn(one),
    [from, to] = rangeOf(one),
    most = one.getAttribute("maxlength");
  const own = (
    one.localName === "textarea"
      ? text.replace(/\r\n?/g, "\n")
      : text.replace(/[\r\n]+$/, "").replace(/\r\n|\r|\n/g, " ")
  ).slice(0, most === null ? undefined : Math.max(+most - now.length + to - from, 0));
  if (own === "" && text !== "") return;
  touched(one);
  holds(one, now.slice(0, from) + own + now.slice(to), from + own.length);
  input();
};
const holds = (one, text, caret) => {
  one[FORM].value = text;
  if (one.type === "number") one[FORM].raw = text;
  selects(one, undefined, caret);
};
// Word-wise keys work as on Linux: to the start of the previous word, to the end of the next. A run of punctuation is a word.
const WORD =
  /[\p{L}\p{N}_]+(?:(?:(?<=\p{L})['\u2019.:](?=\p{L})|(?<=\p{N})[.,;'\u2019](?=\p{N}))[\p{L}\p{N}_]+)*|[^\p{L}\p{N}_\s]+/gu;
const wordBefore = (text, at) => [...text.slice(0, at).matchAll(WORD)].pop()?.index ?? 0;
const wordBehind = (text, at) => {
  const [next] = text.slice(at).matchAll(WORD);
  return next ? at + next.index + next[0].length : text.length;
};
const erased = (one, ahead, word) => {
  if (!one || !textual(one) || !editable(one)) return;
  const now = writtenIn(one),
    caret = caretOf(one),
    marks = rangeOf(one),
    some = marks[0] < marks[1];
  const [from, to] = some
    ? marks
    : ahead
      ? [caret, word ? wordBehind(now, caret) : caret + 1]
      : [word ? wordBefore(now, caret) : Math.max(caret - 1, 0), caret];
  const inputType = `delete${word && !some ? "Word" : "Content"}${ahead ? "Forward" : "Backward"}`;
  if (!announced(one, null, inputType) || from === to || from >= now.length) return;
  touched(one);
  holds(one, now.slice(0, from) + now.slice(to), from);
  one.dispatchEvent(new InputEvent("input", { bubbles: true, trusted: true, inputType }));
};
// Delete and Backspace next to the caret of an editable text.
const struck = (one, ahead) => {
  if (!announced(one, null, ahead ? "deleteContentForward" : "deleteContentBackward")) return;
  const first = [...walk(one)].find((node) => node.nodeType === 3),
    caret = one[FORM].caret ?? 0,
    from = ahead ? caret : caret - 1;
  if (!first || from < 0 || from >= first[TEXT].length) return;
  touched(one);
  first.data = first[TEXT].slice(0, from) + first[TEXT].slice(from + 1);
  one[FORM].caret = from;
  if (
    first[TEXT] === "" &&
    !first[UP][KIDS].some(
      (kid) => kid !== first && (kid.nodeType === 3 ? kid[TEXT] : !isBlock(computed(kid, "display"))),
    )
  )
    first[UP].replaceChild(make("br"), first);
  one.dispatchEvent(
    new InputEvent("input", {
      bubbles: true,
      trusted: true,
      inputType: ahead ? "deleteContentForward" : "deleteContentBackward",
    }),
  );
};
// Fill a text field as the driver does: select everything and replace it.
const replaced = (one, value) => {
  const edits = one.isContentEditable && !textual(one);
  if (!edits && one.value !== "") one.dispatchEvent(new Event("select", { bubbles: true, trusted: true }));
  if (value === "") {
    if (edits ? one.textContent === "" : one.value === "") {
      keyed("Delete", "Delete", null, []);
      return;
    }
  }
  if (edits) {
    if (!announced(one, value, "insertText")) return;
    touched(one);
    one.textContent = value;
    one[FORM].caret = value.length;
    one.dispatchEvent(new InputEvent("input", { bubbles: true, trusted: true, data: value, inputType: "insertText" }));
    return;
  }
  selects(one, 0, writtenIn(one).length);
  if (value === "") keyed("Delete", "Delete", null, []);
  else {
    delete one[FORM].raw;
    typed(one, value);
  }
};
const focusedOne = () => {
  const one = document[FORM].active;
  return one?.isConnected ? one : document.body;
};
const spaced = (one) =>
  one.localName === "button" ||
  one.localName === "summary" ||
  /^(checkbox|radio|submit|button|reset)$/.test(one.type ?? "");
const KEY_CODES = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Shift: 16,
  Control: 17,
  Alt: 18,
  Pause: 19,
  CapsLock: 20,
  Escape: 27,
  " ": 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
  Meta: 91,
  ContextMenu: 93,
  NumLock: 144,
  ScrollLock: 145,
};
const SIGN_CODES = {
  Semicolon: 186,
  Equal: 187,
  Comma: 188,
  Minus: 189,
  Period: 190,
  Slash: 191,
  Backquote: 192,
  BracketLeft: 219,
  Backslash: 220,
  BracketRight: 221,
  Quote: 222,
};
const keyCodeOf = (key, code) =>
  KEY_CODES[key] ??
  SIGN_CODES[code] ??
  (/^F\d+$/.test(key) ? 111 + +key.slice(1) : /^(Key|Digit).$/.test(code) ? code.charCodeAt(code.length - 1) : 0);
const keyed = (key, code, text, held) => {
  const down = [],
    tell = (type, key, code, more) =>
      focusedOne().dispatchEvent(
        new KeyboardEvent(type, {
          bubbles: true,
          cancelable: true,
          trusted: true,
          key,
          code,
          keyCode: keyCodeOf(key, code),
          location: { Left: 1, Right: 2 }[/^(?:Shift|Control|Alt|Meta)(Left|Right)$/.exec(code)?.[1]] ?? 0,
          ctrlKey: down.includes("Control"),
          shiftKey: down.includes("Shift"),
          altKey: down.includes("Alt"),
          metaKey: down.includes("Meta"),
          ...more,
        }),
      );
  const modifies = (name) => /^(Control|Shift|Alt|Meta)$/.test(name),
    holding = held.filter(modifies);
  for (const name of holding) {
    down.push(name);
    tell("keydown", name, `${name}Left`);
  }
  const one = focusedOne(),
    command = down.includes("Control") || down.includes("Meta");
  if (modifies(key)) down.push(key);
  let go = tell("keydown", key, code);
  if (go && text && !command && !down.includes("Alt"))
    go = tell("keypress", key, code, { keyCode: text.charCodeAt(0), charCode: text.charCodeAt(0) });
  const pushed = go && key === " " && !command && spaced(one) ? one : null; // it is clicked on keyup
  if (go && !pushed) acted(focusedOne(), key, down.includes("Alt") ? null : text, command, down.includes("Shift"));
  if (modifies(key)) down.pop();
  const up = focusedOne();
  if (tell("keyup", key, code) && pushed === up) clicked(up, true);
  for (const name of holding.reverse()) {
    down.pop();
    tell("keyup", name, `${name}Left`);
  }
};
const group = (one) =>
  one.getAttribute("name")
    ? elementsBelow(document).filter(
        (other) =>
          other.localName === "input" &&
          other.type === "radio" &&
          other.getAttribute("name") === one.getAttribute("name") &&
          other.form === one.form,
      )
    : [one];
// Return the Tab stops: elements with a tabindex first, in its order; of a radio group the checked one, or any if none is.
const stops = (now) => {
  const all = elementsBelow(document).filter(
    (one) =>
      focusable(one) &&
      shown(one) &&
      one.tabIndex >= 0 &&
      !(
        one.type === "radio" &&
        one !== now &&
        group(one).some((other) => other !== one && (other.checked || other === now))
      ),
  );
  return [
    ...all.filter((one) => one.tabIndex > 0).sort((a, b) => a.tabIndex - b.tabIndex),
    ...all.filter((one) => one.tabIndex <= 0),
  ];
};
const after = (all, one) => {
  if (one === document.body || one === document.documentElement) return 0;
  const order = elementsBelow(document),
    i = order.indexOf(one),
    next = all.findIndex((other) => other.tabIndex === 0 && order.indexOf(other) > i);
  return next < 0 ? all.length : next;
};
const pick = (one, option) => {
  if (!option || (!one.multiple && chosen(one)[0] === option)) return;
  choose(one, [option]);
  told(one);
};
const stepped = (one, up) => {
  const step = stepOf(one) ?? 1,
    low = one.getAttribute("min"),
    high = one.getAttribute("max"),
    base = stepBase(one),
    n = (+one.value || 0) - base;
  const next =
    base +
    (Math.abs(n / step - Math.round(n / step)) > 1e-7
      ? up
        ? Math.ceil(n / step)
        : Math.floor(n / step)
      : Math.round(n / step) + (up ? 1 : -1)) *
      step;
  if ((up && high !== null && high !== "" && next > +high) || (!up && low !== null && low !== "" && next < +low))
    return;
  one[FORM].value = String(+next.toFixed(10));
  delete one[FORM].raw;
  told(one);
};
const caretBy = (one, key, ahead, command) => {
  const now = writtenIn(one),
    caret = caretOf(one);
  if (command)
    return /^(Home|End)$/.test(key) ? (ahead ? now.length : 0) : (ahead ? wordBehind : wordBefore)(now, caret);
  if (one.localName === "textarea") return moved(now, caret, key);
  return /Left|Right/.test(key) ? Math.min(Math.max(caret + (ahead ? 1 : -1), 0), now.length) : ahead ? now.length : 0;
};
const moved = (text, caret, key) => {
  const start = text.lastIndexOf("\n", caret - 1) + 1,
    found = text.indexOf("\n", caret),
    end = found < 0 ? text.length : found;
  switch (key) {
    case "Home":
      return start;
    case "End":
      return end;
    case "ArrowLeft":
      return Math.max(caret - 1, 0);
    case "ArrowRight":
      return Math.min(caret + 1, text.length);
    case "ArrowUp":
    case "PageUp": {
      if (start === 0) return 0;
      const before = text.lastIndexOf("\n", start - 2) + 1;
      return Math.min(before + caret - start, start - 1);
    }
    default: {
      if (end === text.length) return text.length;
      const rest = text.indexOf("\n", end + 1);
      return Math.min(end + 1 + caret - start, rest < 0 ? text.length : rest);
    }
  }
};
// Enter in a field submits its form with the first submit button, or without one if the form has no other field.
const entered = (one) => {
  const form = one.form;
  if (!form) return;
  const by = controlsOf(form).find((other) => /^(submit|image)$/.test(other.type));
  if (by) {
    if (!disabled(by)) clicked(by, true);
  } else if (controlsOf(form).filter((other) => textual(other)).length === 1) submitted(form, null);
};
// Enter in an editable text: the text before the caret stays, the rest moves into a new block.
const parted = (one) => {
  if (!announced(one, null, "insertParagraph")) return;
  touched(one);
  const first = [...walk(one)].find((node) => node.nodeType === 3),
    caret = one[FORM].caret ?? 0,
    block = make("div");
  if (first && first[UP] === one) {
    const rest = first[TEXT].slice(caret);
    first.data = first[TEXT].slice(0, caret);
    if (first[TEXT] === "") {
      const above = make("div");
      above.appendChild(make("br"));
      one.insertBefore(above, first);
      detach(first);
    }
    block.append(rest || make("br"));
  } else block.append(make("br"));
  attach(one, block, null);
  one[FORM].caret = 0;
  one.dispatchEvent(new InputEvent("input", { bubbles: true, trusted: true, inputType: "insertParagraph" }));
};
const acted = (one, key, text, command, shift) => {
  if (command && key.toLowerCase() === "a" && textual(one)) marked(one);
  if (command && !(textual(one) && /^(Home|End|ArrowLeft|ArrowRight|Backspace|Delete)$/.test(key))) return;
  if (parts(one) && partKey(one, key, text, shift)) return;
  switch (key) {
    case "Enter":
      if (one.localName === "textarea") {
        typed(one, "\n");
        return;
      }
      if (one.isContentEditable && !textual(one)) {
        parted(one);
        return;
      }
      if (one.localName === "input" && !/^(checkbox|radio|file|button|submit|reset|image)$/.test(one.type)) {
        if (textual(one) && editable(one) && !announced(one, null, "insertLineBreak")) return;
        committed(one);
        entered(one);
        return;
      }
      if (one.localName === "input" && /^(checkbox|radio|file)$/.test(one.type)) {
        if (one.type !== "file") entered(one);
        return;
      }
      if (
        one.localName === "a" ||
        one.localName === "button" ||
        one.localName === "summary" ||
        /^(submit|button|reset|image)$/.test(one.type ?? "")
      )
        clicked(one, true);
      return;
    case "Tab": {
      const all = stops(one),
        i = all.indexOf(one);
      focused(all[shift ? (i < 0 ? all.length - 1 : i - 1) : i < 0 ? after(all, one) : i + 1] ?? null);
      const now = document[FORM].active;
      if (now && parts(now)) toPart(now, shift ? parts(now).length : 0);
      else if (now?.localName === "input" && textual(now)) marked(now);
      return;
    }
    case "Backspace":
      if (one.isContentEditable && !textual(one)) struck(one, false);
      else erased(one, false, command);
      return;
    case "Delete":
      if (one.isContentEditable && !textual(one)) struck(one, true);
      else erased(one, true, command);
      return;
    case "Home":
    case "End":
    case "ArrowLeft":
    case "ArrowRight":
    case "ArrowUp":
    case "ArrowDown":
    case "PageUp":
    case "PageDown": {
      const ahead = /^(ArrowRight|ArrowDown|PageDown|End)$/.test(key),
        far = /^(Home|End)$/.test(key);
      if (one.localName === "select") {
        const all = optionsOf(one).filter((option) => !disabled(option)),
          i = all.findLastIndex((option) => chosen(one).includes(option));
        pick(
          one,
          far || /^Page/.test(key)
            ? ahead
              ? all[all.length - 1]
              : all[0]
            : (all[i + (ahead ? 1 : -1)] ?? (i < 0 ? all[all.length - 1] : undefined)),
        );
        return;
      }
      if (one.type === "radio" && !far && key.startsWith("Arrow")) {
        const all = group(one).filter((other) => !disabled(other) && rendered(other)),
          next = all[(all.indexOf(one) + (ahead ? 1 : all.length - 1)) % all.length];
        if (next && next !== one) {
          focused(next);
          clicked(next, true);
        }
        return;
      }
      if (one.type === "range" && !disabled(one)) {
        const low = +(one.getAttribute("min") ?? 0),
          high = +(one.getAttribute("max") ?? 100),
          step = stepOf(one) ?? (high - low) / 100,
          by = /^Page/.test(key) ? Math.max((high - low) / 10, step) : step,
          up = /^(ArrowRight|ArrowUp|PageUp|End)$/.test(key);
        const next = far ? (up ? high : low) : Math.min(Math.max(+one.value + (up ? by : -by), low), high);
        if (String(next) !== one.value) {
          one[FORM].value = String(next);
          told(one);
        }
        return;
      }
      if (one.type === "number" && /^Arrow(Up|Down)$/.test(key)) {
        if (editable(one)) stepped(one, key === "ArrowUp");
        return;
      }
      if (one.isContentEditable && !textual(one)) {
        const size = one.textContent.length;
        one[FORM].caret = far
          ? ahead
            ? size
            : 0
          : Math.min(Math.max((one[FORM].caret ?? 0) + (ahead ? 1 : -1), 0), size);
        return;
      }
      if (textual(one)) {
        const [from, to] = rangeOf(one),
          next =
            !shift && !command && !far && from < to && /Left|Right/.test(key)
              ? ahead
                ? to
                : from
              : caretBy(one, key, ahead, command);
        if (shift) marked(one, one[FORM].anchor ?? caretOf(one), next);
        else selects(one, undefined, next);
      }
      return;
    }
    case "Escape": {
      const open = elementsBelow(document).findLast(
        (other) => other.localName === "dialog" && other[FORM].modal && other.open,
      );
      if (open) {
        if (open.dispatchEvent(new Event("cancel", { cancelable: true, trusted: true }))) open.close("");
        return;
      }
      if (one.type === "search" && one.value !== "" && editable(one)) {
        selects(one, 0, one.value.length);
        erased(one, true);
      }
      return;
    }
  }
  if (text && one.localName === "select") {
    const all = optionsOf(one),
      start = Math.max(one.selectedIndex, 0),
      own = text.toLowerCase();
    pick(
      one,
      [...all.slice(start + 1), ...all.slice(0, start + 1)].find(
        (option) => !disabled(option) && option.label.toLowerCase().startsWith(own),
      ),
    );
    return;
  }
  if (text) typed(one, text);
};

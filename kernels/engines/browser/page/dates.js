// Date and time fields: their parts, and the effect of keys on each part.

// The parts of a date or time field, each with its own keys: [name, minimum, maximum, digits], or the words to choose from.
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAY = [
    ["month", 1, 12, 2],
    ["day", 1, 31, 2],
    ["year", 1, 275760, 6],
  ],
  TIME = [
    ["hour", 1, 12, 2],
    ["minute", 0, 59, 2],
    ["half", ["AM", "PM"]],
  ];
const PARTS = {
  date: DAY,
  time: TIME,
  "datetime-local": [...DAY, ...TIME],
  month: [["month", MONTHS], DAY[2]],
  week: [["week", 1, 53, 2], DAY[2]],
};
const digits = (n, many) => String(n).padStart(many, "0");
const parts = (one) => (one.localName === "input" && Object.hasOwn(PARTS, one.type) ? PARTS[one.type] : null);
const partsHeld = (one) => {
  if (one[FORM].parts) return one[FORM].parts;
  const [, year, month, day, hour, minute] =
      /^(?:(\d{4,})-(?:W(?=\d))?(\d\d)(?:-(\d\d))?)?T?(?:(\d\d):(\d\d))?/.exec(one.value) ?? [],
    n = (text) => (text === undefined ? null : +text);
  return (one[FORM].parts = {
    year: n(year),
    month: month === undefined ? null : +month - (one.type === "month"),
    week: n(month),
    day: n(day),
    hour: hour === undefined ? null : +hour % 12 || 12,
    minute: n(minute),
    half: hour === undefined ? null : +(+hour > 11),
  });
};
const joined = (one) => {
  const own = partsHeld(one);
  if (parts(one).some(([name]) => own[name] === null)) return "";
  const time = () => `${digits((own.hour % 12) + 12 * own.half, 2)}:${digits(own.minute, 2)}`,
    day = () => `${digits(own.year, 4)}-${digits(own.month, 2)}-${digits(own.day, 2)}`;
  return cleaned(
    one,
    {
      date: day,
      time,
      "datetime-local": () => `${day()}T${time()}`,
      month: () => `${digits(own.year, 4)}-${digits(own.month + 1, 2)}`,
      week: () => `${digits(own.year, 4)}-W${digits(own.week, 2)}`,
    }[one.type](),
  );
};
const halfDone = (one) =>
  parts(one) !== null &&
  one[FORM].parts !== undefined &&
  one.value === "" &&
  parts(one).some(([name]) => one[FORM].parts[name] !== null);
const put = (one, name, n) => {
  const before = one.value;
  partsHeld(one)[name] = n;
  one[FORM].value = joined(one);
  if (one.value !== before) told(one);
};
const toPart = (one, i) => {
  one[FORM].part = i;
  one[FORM].typed = "";
};
const partTyped = (one, c) => {
  const all = parts(one),
    { part: i, typed: before } = one[FORM],
    [name, least, most, many] = all[i],
    last = all.length - 1;
  if (Array.isArray(least)) {
    const own = c.toLowerCase(),
      begins = (text) => least.findIndex((word) => word.toLowerCase().startsWith(text)),
      text = [before + own, own].find((one) => begins(one) >= 0);
    if (text) {
      one[FORM].typed = text;
      put(one, name, begins(text));
    }
    return;
  }
  if (!/^\d$/.test(c)) return;
  const text = (before.length >= many ? "" : before) + c,
    n = +text;
  one[FORM].typed = text;
  put(one, name, n >= least ? Math.min(n, most) : null);
  if ((text.length >= many || n * 10 > most) && i < last) toPart(one, i + 1);
};
const partStepped = (one, up) => {
  const [name, least, most] = parts(one)[one[FORM].part],
    own = partsHeld(one)[name],
    [low, high] = Array.isArray(least) ? [0, least.length - 1] : [least, most];
  const first = name === "year" ? new RealDate(nowMs()).getUTCFullYear() : up ? low : high;
  one[FORM].typed = "";
  put(one, name, own === null ? first : up ? (own >= high ? low : own + 1) : own <= low ? high : own - 1);
};
// Handle a key in such a field and return whether it was handled. After the last part, Tab stops at the calendar button,
// which handles no keys here.
const partKey = (one, key, text, shift) => {
  const i = one[FORM].part,
    last = parts(one).length - 1;
  if (key === "Tab") {
    if (shift ? i === 0 : i > last) return false;
    toPart(one, i + (shift ? -1 : 1));
    return true;
  }
  if (i > last) return !/^(Enter|Escape)$/.test(key);
  switch (key) {
    case "ArrowLeft":
      toPart(one, Math.max(i - 1, 0));
      return true;
    case "ArrowRight":
      toPart(one, Math.min(i + 1, last));
      return true;
    case "ArrowUp":
    case "ArrowDown":
      if (editable(one)) partStepped(one, key === "ArrowUp");
      return true;
    case "Backspace":
    case "Delete":
      if (editable(one)) {
        one[FORM].typed = "";
        put(one, parts(one)[i][0], null);
      }
      return true;
    case "Enter":
    case "Escape":
      return false;
  }
  if (text && editable(one)) partTyped(one, text);
  return true;
};

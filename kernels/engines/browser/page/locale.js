// Numbers and dates as text: `Intl` and `toLocaleString` for en-US and UTC, the only locale and zone of this browser.
//
// The formats are those of ECMA-402 with CLDR data for en-US; every other locale gets the same formats.

const SIGNS = {
  USD: "$",
  EUR: "€",
  GBP: "£",
  JPY: "¥",
  CNY: "CN¥",
  INR: "₹",
  KRW: "₩",
  CAD: "CA$",
  AUD: "A$",
  MXN: "MX$",
  BRL: "R$",
};
const rounded = (n, least, most) => {
  let text = n < 1e21 ? n.toFixed(most) : BigInt(n) + (most ? "." + "0".repeat(most) : "");
  if (most > least) text = text.replace(new RegExp(`0{1,${most - least}}$`), "").replace(/\.$/, "");
  return text;
};
const numberWritten = (
  n,
  {
    style = "decimal",
    currency,
    currencyDisplay,
    useGrouping = true,
    minimumIntegerDigits: whole = 1,
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    notation,
  } = {},
) => {
  if (typeof n === "bigint") n = Number(n);
  if (isNaN(n)) return "NaN";
  const sign = n < 0 || Object.is(n, -0) ? "-" : "",
    cents = /^(JPY|KRW)$/.test(currency) ? 0 : 2;
  const [low, high] = { currency: [cents, cents], percent: [0, 0] }[style] ?? [0, 3];
  least ??= Math.min(low, most ?? low);
  most ??= Math.max(high, least);
  let size = Math.abs(n) * (style === "percent" ? 100 : 1),
    unit = "";
  if (notation === "compact") {
    const step = [
      [1e12, "T"],
      [1e9, "B"],
      [1e6, "M"],
      [1e3, "K"],
    ].find(([from]) => size >= from);
    if (step) {
      size /= step[0];
      unit = step[1];
    }
    if (most === 3) most = size < 100 ? 1 : 0;
  }
  let [before, after] = size === Infinity ? ["∞"] : rounded(size, least, most).split(".");
  before = before.padStart(whole, "0");
  if (useGrouping) before = before.replace(/\B(?=(\d{3})+$)/g, ",");
  const text = before + (after ? "." + after : "") + unit;
  if (style === "percent") return `${sign}${text}%`;
  if (style !== "currency") return sign + text;
  return currencyDisplay === "code"
    ? `${sign}${currency}\u00a0${text}`
    : `${sign}${SIGNS[currency] ?? currency + "\u00a0"}${text}`;
};
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const STYLES = {
  full: { weekday: "long", month: "long", day: "numeric", year: "numeric" },
  long: { month: "long", day: "numeric", year: "numeric" },
  medium: { month: "short", day: "numeric", year: "numeric" },
  short: { month: "numeric", day: "numeric", year: "2-digit" },
};
const HOURS = {
  full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "long" },
  long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
  medium: { hour: "numeric", minute: "2-digit", second: "2-digit" },
  short: { hour: "numeric", minute: "2-digit" },
};
const DAYS = ["weekday", "year", "month", "day"],
  CLOCK = ["hour", "minute", "second", "fractionalSecondDigits", "dayPeriod"];
// Parts that `required` asks for and the options do not name are formatted as in `defaults`: date, time, any or all.
const dateWritten = (date, asked = {}, required = "any", defaults = "date") => {
  if (isNaN(date)) return "Invalid Date";
  const how = { ...STYLES[asked.dateStyle], ...HOURS[asked.timeStyle], ...asked };
  if (!{ date: DAYS, time: CLOCK, any: [...DAYS, ...CLOCK] }[required].some((name) => how[name]))
    Object.assign(
      how,
      defaults !== "time" && { year: "numeric", month: "numeric", day: "numeric" },
      defaults !== "date" && { hour: "numeric", minute: "2-digit", second: "2-digit" },
    );
  const two = (n) => String(n).padStart(2, "0"),
    plain = (n, as) => (as === "2-digit" ? two(n % 100) : String(n));
  const cut = (word, as) => (as === "long" ? word : as === "narrow" ? word[0] : word.slice(0, 3));
  const month = date.getUTCMonth(),
    worded = /^(long|short|narrow)$/.test(how.month ?? "");
  const weekday = how.weekday && cut(WEEKDAYS[date.getUTCDay()], how.weekday),
    year = how.year && plain(date.getUTCFullYear(), how.year),
    day = how.day && plain(date.getUTCDate(), how.day);
  let said;
  if (worded) {
    const dated = [cut(MONTHS[month], how.month), day].filter(Boolean).join(" ");
    said = [weekday, dated].filter(Boolean).join(", ") + (year ? (day ? ", " : " ") + year : "");
  } else
    said = [weekday, [how.month && plain(month + 1, how.month), day, year].filter(Boolean).join("/")]
      .filter(Boolean)
      .join(", ");
  const half = how.hourCycle ? /^h1/.test(how.hourCycle) : (how.hour12 ?? true),
    h = date.getUTCHours(),
    shown = half ? h % 12 || 12 : h,
    alone = !how.minute && !how.second;
  let time = [
    how.hour && (how.hour === "2-digit" || (!half && !alone) ? two(shown) : String(shown)),
    how.minute && (how.hour || how.second ? two(date.getUTCMinutes()) : String(date.getUTCMinutes())),
    how.second && (how.minute ? two(date.getUTCSeconds()) : String(date.getUTCSeconds())),
  ]
    .filter(Boolean)
    .join(":");
  if (time && how.hour && half) time += ` ${h < 12 ? "AM" : "PM"}`;
  if (how.timeZoneName) time += ` ${how.timeZoneName === "long" ? "Coordinated Universal Time" : "UTC"}`;
  return [said, time].filter(Boolean).join(how.month === "long" ? " at " : ", ");
};
class NumberFormat {
  #how;
  constructor(_, how) {
    this.#how = how ?? {};
    this.format = (n) => numberWritten(Number(n), this.#how);
  }
  resolvedOptions() {
    return { locale: "en-US", numberingSystem: "latn", style: "decimal", ...this.#how };
  }
}
class DateTimeFormat {
  #how;
  constructor(_, how) {
    this.#how = how ?? {};
    this.format = (date) => dateWritten(date === undefined ? new PageDate() : new RealDate(date), this.#how);
  }
  resolvedOptions() {
    return { locale: "en-US", calendar: "gregory", numberingSystem: "latn", timeZone: "UTC", ...this.#how };
  }
}
class PluralRules {
  #ordinal;
  constructor(_, how) {
    this.#ordinal = how?.type === "ordinal";
  }
  select(n) {
    if (!this.#ordinal) return n === 1 ? "one" : "other";
    const two = n % 100,
      one = n % 10;
    return one === 1 && two !== 11
      ? "one"
      : one === 2 && two !== 12
        ? "two"
        : one === 3 && two !== 13
          ? "few"
          : "other";
  }
}
class Collator {
  constructor() {
    this.compare = (a, b) => String(a).localeCompare(String(b));
  }
}
class ListFormat {
  #word;
  constructor(_, how) {
    this.#word = how?.type === "disjunction" ? "or" : "and";
  }
  format(all) {
    const texts = [...all];
    return texts.length < 3
      ? texts.join(` ${this.#word} `)
      : `${texts.slice(0, -1).join(", ")}, ${this.#word} ${texts[texts.length - 1]}`;
  }
}
const callable = (Class) => new Proxy(Class, { apply: (_, __, args) => new Class(...args) });
const Intl = Object.defineProperty({}, Symbol.toStringTag, { value: "Intl" });
for (const [name, Class] of Object.entries({
  NumberFormat: callable(NumberFormat),
  DateTimeFormat: callable(DateTimeFormat),
  Collator: callable(Collator),
  PluralRules,
  ListFormat,
}))
  Object.defineProperty(Intl, name, { value: Class, writable: true, configurable: true });
const written = (Class, name, value) =>
  Object.defineProperty(Class.prototype, name, { value, writable: true, configurable: true });
written(Number, "toLocaleString", function (_, how) {
  return numberWritten(Number(this), how);
});
written(BigInt, "toLocaleString", function (_, how) {
  return numberWritten(BigInt(this), how);
});
for (const [name, required, defaults] of [
  ["toLocaleDateString", "date", "date"],
  ["toLocaleTimeString", "time", "time"],
  ["toLocaleString", "any", "all"],
])
  written(RealDate, name, function (_, how) {
    return dateWritten(this, how, required, defaults);
  });
// Return a structured clone; functions and elements cannot be cloned.
const structuredClone = (value) => {
  const made = new Map();
  const copy = (one) => {
    if (typeof one === "function" || typeof one === "symbol" || one instanceof Node || one === window)
      throw new DOMException(
        `Failed to execute 'structuredClone' on 'Window': ${typeof one === "symbol" ? String(one) : one instanceof Node ? `${one.constructor.name} object` : String(one)} could not be cloned.`,
        "DataCloneError",
      );
    if (one === null || typeof one !== "object") return one;
    if (made.has(one)) return made.get(one);
    const keep = (own) => {
      made.set(one, own);
      return own;
    };
    if (one instanceof RealDate) return keep(new Dated(+one));
    if (one instanceof RegExp) return keep(new RegExp(one.source, one.flags));
    if (one instanceof Map) {
      const own = keep(new Map());
      for (const [key, item] of one) own.set(copy(key), copy(item));
      return own;
    }
    if (one instanceof Set) {
      const own = keep(new Set());
      for (const item of one) own.add(copy(item));
      return own;
    }
    if (one instanceof ArrayBuffer || ArrayBuffer.isView(one)) return keep(one.slice());
    if (one instanceof Error) return keep(Object.assign(new one.constructor(one.message), { stack: one.stack }));
    const own = keep(Array.isArray(one) ? new Array(one.length) : {});
    for (const key of Object.keys(one)) own[key] = copy(one[key]);
    return own;
  };
  return copy(value);
};

/**
 * Checks a scrape against the text format (Prometheus' exposition formats, version 0.0.4), and against the rules of
 * `promtool check metrics` for names, units, types and help.
 */

/** A metric with its samples, as they were read. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: { readonly name: string; readonly labels: string; readonly value: number }[];
}

/** Complaints, in the order of the text; none for a good scrape. */
export function lintMetrics(text: string): string[] {
  const complaints: string[] = text.endsWith("\n") ? [] : ["the last line does not end"];
  const families = readFamilies(text, complaints);
  const names = families.map(({ name }) => name);
  if (new Set(names).size < names.length) complaints.push("a metric is there twice");
  for (const family of families) {
    for (const [isBroken, rule] of RULES) if (isBroken(family)) complaints.push(`${family.name}: ${rule}`);
  }
  return complaints;
}

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/;
const SUFFIXES = /_(bucket|sum|count)$/;

function readFamilies(text: string, complaints: string[]): Family[] {
  const families: Family[] = [];
  const helps = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, word, name = "", rest = ""] = HEAD.exec(line) ?? [];
    if (word === "HELP") helps.set(name, rest);
    else if (word === "TYPE") families.push({ name, help: helps.get(name) ?? "", type: rest, samples: [] });
    else if (!readSample(line, families.at(-1))) complaints.push(`not understood: ${line}`);
  }
  return families;
}

function readSample(line: string, family: Family | undefined): boolean {
  const [, name, labels = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (name === undefined || family === undefined) return false;
  const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
  const isOfFamily = name === family.name || (isSplit(family) && name.replace(SUFFIXES, "") === family.name);
  family.samples.push({ name, labels, value: number });
  return isOfFamily && (!Number.isNaN(number) || /^nan$/i.test(value));
}

function isSplit({ type }: Family): boolean {
  return type === "histogram" || type === "summary";
}

const TYPES = ["gauge", "counter", "histogram", "summary", "untyped"];
const SHORT_UNITS = ["s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d"];
const PREFIXES =
  "pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi";
const BASE_UNITS = "amperes|bytes|celsius|grams|joules|kelvin|meters|metres|seconds|volts";
const OTHER_UNITS =
  "minutes|hours|days|weeks|kelvins|fahrenheit|rankine|inches|yards|miles|bits|calories|pounds|ounces";
const NO_BASE_UNIT = new RegExp(`^(?:(?:${PREFIXES})(?:${BASE_UNITS})|(?:${PREFIXES})?(?:${OTHER_UNITS}))$`);
const LABEL_NAMES = /(?:^|,)(\w+)=/g;

/** Reports whether a name contains a word, whatever its case, other than at its beginning. */
function holds(name: string, word: string): boolean {
  return name.toLowerCase().split("_").slice(1).includes(word);
}

/** Names of the labels, those that split a value left out. */
function labelsOf({ samples }: Family): string[] {
  const all = samples.flatMap(({ labels }) => [...labels.matchAll(LABEL_NAMES)].map(([, name = ""]) => name));
  return [...new Set(all)];
}

/** Those of promlint (prometheus/client_golang), and the last one. */
const RULES: readonly (readonly [isBroken: (family: Family) => boolean, rule: string])[] = [
  [({ help }) => help.trim() === "", "no help"],
  [({ type }) => !TYPES.includes(type), "no such type"],
  [({ type, name }) => type === "counter" && !name.endsWith("_total"), "counters end in _total"],
  [
    ({ type, name }) => type !== "counter" && type !== "untyped" && name.endsWith("_total"),
    "only counters end in _total",
  ],
  [({ type, name }) => isPlain(type) && SUFFIXES.test(name), "a suffix of histograms"],
  [
    (family) => isPlain(family.type) && labelsOf(family).some((name) => name === "le" || name === "quantile"),
    "a label of histograms",
  ],
  [({ type, name }) => type !== "untyped" && holds(name, type), "its type is in its name"],
  [({ name }) => name.includes(":"), "colons are for rules"],
  [(family) => [family.name, ...labelsOf(family)].some((name) => /[a-z][A-Z]/.test(name)), "no snake_case"],
  [({ name }) => SHORT_UNITS.some((unit) => holds(name, unit)), "a unit that is cut short"],
  [({ name }) => name.split("_").some((word) => NO_BASE_UNIT.test(word)), "no base unit"],
  [
    ({ samples }) => new Set(samples.map(({ name, labels }) => name + labels)).size < samples.length,
    "a series is there twice",
  ],
  [(family) => family.type === "histogram" && !isCumulative(family), "buckets do not add up"],
];

/** Nothing is said of untyped values. */
function isPlain(type: string): boolean {
  return type === "gauge" || type === "counter";
}

/** Every bucket holds those before it, and the last one all. */
function isCumulative({ name, samples }: Family): boolean {
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  return counts.every(({ labels, value }) => {
    const own = buckets.filter((bucket) => withoutBound(bucket.labels) === labels);
    const values = own.map((bucket) => bucket.value);
    const rises = values.every((each, i) => i === 0 || each >= (values[i - 1] ?? 0));
    return rises && values.at(-1) === value && /le="\+Inf"/.test(own.at(-1)?.labels ?? "");
  });
}

function withoutBound(labels: string): string {
  return labels.replace(/,?le="[^"]*",?/, "");
}

/**
 * The program's metrics. Rooms declare theirs here: what the Go node has too under its registry's name
 * (`blockchain/head/blocknumber`, exported as `klaytn_blockchain_head_blocknumber` and, as all of them there, a
 * gauge, or of no type where its name may not be a gauge's), so that dashboards made for it keep working; others under a name of our own that begins with `knit_` and
 * keeps Prometheus' rules for names. Values are plain numbers; a scrape writes them as text.
 */
import { MinuteRate } from "./minute-rate.ts";

/** A value that may rise and fall. */
export interface Gauge {
  set(value: number): void;
}

/** A value that only rises. */
export interface Counter {
  add(amount: number): void;
}

/** Takes lengths of time. */
export interface Timer {
  observe(ms: number): void;
}

/** A metric's name and what it says. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
}

/** A value is set by its user, or read when it is scraped; read as undefined it is left out. */
export interface ReadOptions extends MetricOptions {
  readonly read?: () => number | undefined;
}

/** Upper bounds of the buckets, ascending. */
export interface HistogramOptions extends MetricOptions {
  readonly buckets: readonly number[];
}

/** The names of the labels that tell a metric's values apart. Their values must be few. */
export interface LabelledOptions extends MetricOptions {
  readonly labels: readonly string[];
}

/** One of several values: what its labels are, in the order of their names. */
export type LabelledValue = readonly [labels: readonly string[], value: number];

/** One metric for each set of label values, made when it is first asked for. */
export interface Family<T> {
  of(...labels: readonly string[]): T;
}

/** Name, help and type of a metric. */
export interface Declaration {
  /** As Prometheus sees it. */
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram" | "untyped";
  readonly labels: readonly string[];
}

/** Metrics of a scrape: all, or without those under the Go node's names. */
export type Shown = "all" | "own";

/** A registry of metrics. A name can be declared once. */
export interface Metrics {
  gauge(options: ReadOptions): Gauge;
  counter(options: ReadOptions): Counter;
  histogram(options: HistogramOptions): Histogram;
  /** Counts, and shows the average a second over the last minute, as the Go node's meters do. */
  meter(options: MetricOptions): Counter;
  /** The same of a total that is read when it is scraped; what was there before the first scrape does not count. */
  readMeter(options: MetricOptions & { read: () => number }): void;
  /** The Go node's hybrid timer: nanoseconds a second over the last minute, and the longest since the last scrape. */
  timer(options: MetricOptions): Timer;
  /** Values that are read when they are scraped. */
  values(type: "gauge" | "counter", options: LabelledOptions & { read: () => Iterable<LabelledValue> }): void;
  counters(options: LabelledOptions): Family<Counter>;
  histograms(options: LabelledOptions & HistogramOptions): Family<Histogram>;
  /** In the order of their declaration. */
  readonly declared: readonly Declaration[];
  /** The Prometheus text format; those of the process at the end. */
  render(shown?: Shown): Promise<string>;
  readonly contentType: string;
}

/** Of a millisecond. */
const NANOSECONDS = 1e6;
/** Names that begin with this are our own. */
const OWN = "knit_";
/** Names that Prometheus' rules do not allow for gauges: such a metric has no type. */
const NO_GAUGE = /_(total|count|sum|bucket)$|_gauge(_|$)/;

/** A registry name as Prometheus sees it; a name of our own as it is. */
export function exportedName(name: string): string {
  return name.startsWith(OWN) ? name : `klaytn_${name.replace(/[ .\-=/]/g, "_")}`;
}

/** An empty set of metrics. */
export function createMetrics(): Metrics {
  return new DeclaredMetrics();
}

interface Collector extends Declaration {
  /** The lines of its values. */
  readonly write: () => string;
}

class DeclaredMetrics implements Metrics {
  readonly contentType = "text/plain; version=0.0.4; charset=utf-8";
  readonly #collectors = new Map<string, Collector>();
  #process: Promise<ProcessMetrics> | undefined;

  get declared(): readonly Declaration[] {
    return [...this.#collectors.values()];
  }

  gauge(options: ReadOptions): Gauge {
    let value = 0;
    this.#single("gauge", options, options.read ?? (() => value));
    return { set: (next) => void (value = next) };
  }

  counter(options: ReadOptions): Counter {
    let value = 0;
    this.#single("counter", options, options.read ?? (() => value));
    return { add: (amount) => void (value += amount) };
  }

  meter(options: MetricOptions): Counter {
    const rate = new MinuteRate();
    this.#single("gauge", options, () => rate.perSecond);
    return rate;
  }

  readMeter({ read, ...options }: MetricOptions & { read: () => number }): void {
    const rate = new MinuteRate();
    let before: number | undefined;
    this.#single("gauge", options, () => {
      const total = read();
      rate.add(Math.max(0, total - (before ?? total)));
      before = total;
      return rate.perSecond;
    });
  }

  timer({ name, help }: MetricOptions): Timer {
    const rate = this.meter({ name, help: `${help} Nanoseconds a second, over the last minute.` });
    let longest = 0;
    this.#single(
      "gauge",
      { name: `${name}/maxgauge`, help: `${help} Longest since the last scrape.` },
      () => {
        const result = longest;
        longest = 0;
        return result;
      },
    );
    return {
      observe: (ms) => {
        rate.add(ms * NANOSECONDS);
        longest = Math.max(longest, Math.round(ms * NANOSECONDS));
      },
    };
  }

  histogram({ buckets, ...options }: HistogramOptions): Histogram {
    const series = new BucketSeries(exportedName(options.name), buckets, "");
    this.#declare("histogram", { ...options, labels: [] }, () => series.write());
    return series;
  }

  values(
    type: "gauge" | "counter",
    { read, ...options }: LabelledOptions & { read: () => Iterable<LabelledValue> },
  ): void {
    const name = exportedName(options.name);
    this.#declare(type, options, () => {
      const lines = [...read()].map(([values, value]) =>
        singleLine(name, labelText(options.labels, values), value),
      );
      return lines.join("");
    });
  }

  counters(options: LabelledOptions): Family<Counter> {
    const name = exportedName(options.name);
    const family = new Labelled(options.labels, (labels) => {
      let value = 0;
      const begin = singleLine(name, labels, "");
      return {
        add: (amount: number) => void (value += amount),
        write: () => `${begin.slice(0, -1)}${value}\n`,
      };
    });
    this.#declare("counter", options, () => family.write());
    return family;
  }

  histograms({ buckets, ...options }: LabelledOptions & HistogramOptions): Family<Histogram> {
    const name = exportedName(options.name);
    const family = new Labelled(options.labels, (labels) => new BucketSeries(name, buckets, labels));
    this.#declare("histogram", options, () => family.write());
    return family;
  }

  async render(shown: Shown = "all"): Promise<string> {
    this.#process ??= processMetrics();
    const collectors = [...this.#collectors.values()];
    const wanted = shown === "all" ? collectors : collectors.filter(({ name }) => name.startsWith(OWN));
    const parts = wanted.map((collector) => metricText(collector, collector.write()));
    return `${parts.join("")}${await (await this.#process).render()}`;
  }

  #single(type: "gauge" | "counter", options: MetricOptions, read: () => number | undefined): void {
    const name = exportedName(options.name);
    this.#declare(type, { ...options, labels: [] }, () => {
      const value = read();
      return value === undefined ? "" : singleLine(name, "", value);
    });
  }

  #declare(type: Declaration["type"], options: LabelledOptions, write: () => string): void {
    const { help, labels } = options;
    const name = exportedName(options.name);
    if (this.#collectors.has(name)) throw new Error(`metric ${name} is declared twice`);
    const shownType = name.startsWith(OWN) || type === "histogram" ? type : goType(name);
    this.#collectors.set(name, { name, help, labels, type: shownType, write });
  }
}

/** Everything under the Go node's names is a gauge there; a type changes nothing for who asks for the value. */
function goType(name: string): Declaration["type"] {
  return NO_GAUGE.test(name) ? "untyped" : "gauge";
}

/** A distribution over fixed buckets. */
export interface Histogram {
  observe(value: number): void;
}

/** Help and type before a metric's lines; nothing where it has none. */
function metricText(
  { name, help, type }: { readonly name: string; readonly help: string; readonly type: string },
  lines: string,
): string {
  return lines === "" ? "" : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
}

/** One value; `labels` as `labelText` gives them. */
function singleLine(name: string, labels: string, value: number | ""): string {
  return labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
}

/** `method="eth_call",outcome="ok"`. */
function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, i) => `${name}="${escapeLabel(values[i] ?? "")}"`).join(",");
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));
}

/** One metric for each set of label values, kept for good: whoever asks must have few. */
class Labelled<T extends { write(): string }> {
  readonly #names: readonly string[];
  readonly #make: (labels: string) => T;
  readonly #all = new Map<string, T>();

  constructor(names: readonly string[], make: (labels: string) => T) {
    this.#names = names;
    this.#make = make;
  }

  of(...values: readonly string[]): T {
    const key = values.length === 1 ? (values[0] ?? "") : values.join("\n");
    let found = this.#all.get(key);
    if (found === undefined) {
      found = this.#make(labelText(this.#names, values));
      this.#all.set(key, found);
    }
    return found;
  }

  write(): string {
    let text = "";
    for (const one of this.#all.values()) text += one.write();
    return text;
  }
}

/** The counts of one histogram. */
class BucketSeries implements Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  /** Beginnings of the lines: one per bucket, then the rest. */
  readonly #begins: readonly string[];
  #sum = 0;
  #count = 0;
  /** Its lines in the last answer; most series stay as they are from one scrape to the next. */
  #text: string | undefined;

  constructor(name: string, bounds: readonly number[], labels: string) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
    const also = labels === "" ? "" : `${labels},`;
    const end = labels === "" ? " " : `{${labels}} `;
    const buckets = [...bounds, "+Inf"].map((bound) => `${name}_bucket{${also}le="${bound}"} `);
    this.#begins = [...buckets, `${name}_sum${end}`, `${name}_count${end}`];
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.#bounds.length && value > (this.#bounds[i] as number)) i++;
    if (i < this.#bounds.length) this.#counts[i] = (this.#counts[i] as number) + 1;
    this.#sum += value;
    this.#count += 1;
    this.#text = undefined;
  }

  write(): string {
    this.#text ??= this.#lines().join("\n");
    return this.#text;
  }

  /** The last is empty, so that all lines end. */
  #lines(): string[] {
    const lines: string[] = [];
    let upTo = 0;
    for (let i = 0; i < this.#bounds.length; i++) {
      upTo += this.#counts[i] as number;
      lines.push(`${this.#begins[i]}${upTo}`);
    }
    const [all, sum, count] = this.#begins.slice(this.#bounds.length);
    lines.push(`${all}${this.#count}`, `${sum}${this.#sum}`, `${count}${this.#count}`, "");
    return lines;
  }
}

/** The process's metrics. */
interface ProcessMetrics {
  render(): Promise<string>;
  declarations(): readonly { readonly name: string; readonly help: string; readonly type: string }[];
}

/** Gauges whose names end like those of counters; their parts by kind say the same. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Starts to collect them: processor time, memory, files, delay of the event loop, garbage collection. */
export async function processMetrics(): Promise<ProcessMetrics> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return {
    render: () => registry.metrics(),
    declarations: () =>
      registry.getMetricsAsArray().map(({ name, help, type }) => ({ name, help, type: String(type) })),
  };
}

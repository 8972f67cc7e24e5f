/** Values as lines of the Prometheus text format. What does not change of a line is made once. */

/** A distribution over fixed buckets. */
export interface Histogram {
  observe(value: number): void;
}

/** Help and type before a metric's lines; nothing where it has none. */
export function metricText(
  { name, help, type }: { readonly name: string; readonly help: string; readonly type: string },
  lines: string,
): string {
  return lines === "" ? "" : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
}

/** One value; `labels` as `labelText` gives them. */
export function singleLine(name: string, labels: string, value: number | ""): string {
  return labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
}

/** `method="eth_call",outcome="ok"`. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, i) => `${name}="${escapeLabel(values[i] ?? "")}"`).join(",");
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));
}

/** One metric for each set of label values, kept for good: whoever asks must have few. */
export class Labelled<T extends { write(): string }> {
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
export class BucketSeries implements Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  /** Beginnings of the lines: one per bucket, then the rest. */
  readonly #begins: readonly string[];
  #sum = 0;
  #count = 0;
  /** Its lines as they were told last; most series stay as they are from one scrape to the next. */
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

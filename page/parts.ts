/** Parts that the views share: loading, links, lists of facts and tables. All data is shown as text, never as markup. */
import { type ComponentChildren, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Properties of every view. */
export interface ViewProps {
  /** The rest of the address after the view's name. */
  readonly id: string;
  /** Grows with each new block. */
  readonly tick: number;
}

/** The state of data that a view loads. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: string;
}

/** Loads again when a dependency changes, but not before the last answer has come: the newest one counts then. */
export function useLoad<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({});
  const state = useRef({ isLoading: false, isStale: false, isGone: false, load });
  const run = async (): Promise<void> => {
    const { current } = state;
    current.isLoading = true;
    do {
      current.isStale = false;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const next = await answerOf(current.load);
      if (!current.isGone) setLoaded(next);
    } while (current.isStale && !current.isGone);
    current.isLoading = false;
  };
  useEffect(() => {
    state.current.load = load;
    if (state.current.isLoading) state.current.isStale = true;
    else void run();
  }, inputs);
  useEffect(() => () => void (state.current.isGone = true), []);
  return loaded;
}

async function answerOf<T>(load: () => Promise<T>): Promise<Loaded<T>> {
  try {
    return { value: await load() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Shows loaded data, the error in its place, or that it is loading. */
export function show<T>(
  { value, error }: Loaded<T>,
  format: (value: T) => ComponentChildren,
): ComponentChildren {
  if (error !== undefined) return h("p", { class: "bad", role: "alert" }, error);
  return value === undefined ? h("p", null, "Loading") : format(value);
}

/** Links to a view. */
export function link(view: string, id: unknown, text: ComponentChildren = String(id)): ComponentChildren {
  return h("a", { href: `#/${view}/${String(id)}`, class: "mono" }, text);
}

/** Links to an account; a missing address is `none`. */
export function accountLink(address: unknown): ComponentChildren {
  return typeof address === "string" ? link("account", address) : "none";
}

/** Shows names with their values; rows without a value are left out. */
export function facts(rows: readonly (readonly [string, ComponentChildren])[]): ComponentChildren {
  return h(
    "dl",
    null,
    rows
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]),
  );
}

/** Shows rows under heads. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly ComponentChildren[])[],
): ComponentChildren {
  return h("table", null, [
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        heads.map((head) => h("th", { scope: "col" }, head)),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map((row) =>
        h(
          "tr",
          null,
          row.map((cell) => h("td", null, cell)),
        ),
      ),
    ),
  ]);
}

/** Formats seconds since the epoch. */
export function timeText(seconds: unknown): string {
  return new Date(Number(seconds) * 1_000).toISOString().replace("T", " ").slice(0, 19);
}

/** Figures by row and node, printed as one line of JSON a row: medians, and ratios of the first node to the others. */
import { median, report, roundTo } from "../support/figures.ts";
import type { Figure, Row } from "./rows.ts";

/** Name and unit of a row, and the direction of improvement. */
export type RowHead = Pick<Row, "name" | "unit" | "isLessBetter">;

/** See the file's header. */
export class Table {
  readonly #cells = new Map<string, Map<string, (Figure | string)[]>>();

  add({ name }: RowHead, node: string, figure: Figure | string): void {
    const row = this.#cells.get(name) ?? new Map<string, (Figure | string)[]>();
    this.#cells.set(name, row);
    row.set(node, [...(row.get(node) ?? []), figure]);
  }

  print({ name, unit, isLessBetter = false }: RowHead): void {
    const nodes: Record<string, unknown> = {};
    const ratios: Record<string, number> = {};
    let first: number | undefined;
    for (const [node, figures] of this.#cells.get(name) ?? []) {
      const cell = cellOf(figures);
      nodes[node] = cell;
      if (typeof cell === "string") continue;
      if (first !== undefined) ratios[node] = roundTo(isLessBetter ? cell.value / first : first / cell.value);
      first ??= cell.value;
    }
    report({ bench: "rpc", row: name, unit, nodes, ratios });
  }
}

/** Medians of every member, and the values of all runs; or why there is none. */
function cellOf(
  figures: readonly (Figure | string)[],
): (Figure & { readonly runs: readonly number[] }) | string {
  const [first] = figures;
  if (typeof first === "string" || first === undefined) return first ?? "was not measured";
  const measured = figures.filter((figure) => typeof figure !== "string");
  const medians = Object.keys(first).map((key) => [
    key,
    roundTo(median(measured.map((figure) => figure[key] ?? Number.NaN))),
  ]);
  return { ...Object.fromEntries(medians), runs: measured.map(({ value }) => roundTo(value)) };
}

/** Measures several nodes in turns, so that whatever the machine does meets all of them alike. */
import { type Case, cases } from "./cases.ts";
import { measure } from "./load.ts";
import { type RunningNode, startNode } from "./targets.ts";

/** What is compared. */
export interface CompareOptions {
  /** `knit`, `anvil`; ratios are of the first to each other one. */
  readonly names: readonly string[];
  readonly runs: number;
  readonly measureMs: number;
}

/** Per case: each node's runs and median, and the ratio of the first node's median to the others'. */
export type Comparison = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Starts all nodes, measures, ends them. */
export async function compare({ names, runs, measureMs }: CompareOptions): Promise<Comparison> {
  await using stack = new AsyncDisposableStack();
  const nodes: RunningNode[] = [];
  for (const [index, name] of names.entries())
    nodes.push(stack.use(await startNode(name, 18_551 + index * 10)));
  const figures = new Map<string, number[]>();
  for (let run = 0; run < runs; run++) {
    const turn = run % 2 === 0 ? nodes : nodes.toReversed();
    for (const row of cases) for (const node of turn) await measureOne(node, row, measureMs, figures);
  }
  return report(names, figures);
}

async function measureOne(
  { name, targets }: RunningNode,
  { name: title, ...request }: Case,
  measureMs: number,
  figures: Map<string, number[]>,
): Promise<void> {
  const target = targets[request.wire];
  if (target === undefined) return;
  const { callsPerSecond, firstAnswer } = await measure({ ...request, target, warmupMs: 500, measureMs });
  if (!firstAnswer.includes('"result"')) throw new Error(`${name}, ${title}: ${firstAnswer}`);
  const key = `${title}|${name}`;
  figures.set(key, [...(figures.get(key) ?? []), callsPerSecond]);
}

function report(names: readonly string[], figures: ReadonlyMap<string, readonly number[]>): Comparison {
  const lines: Record<string, Record<string, unknown>> = {};
  for (const { name: title } of cases) {
    const medians = names.map((name) => median(figures.get(`${title}|${name}`) ?? []));
    const line: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      line[name] = { median: medians[index], runs: figures.get(`${title}|${name}`) ?? [] };
      if (index > 0)
        line[`ratio to ${name}`] = Number(((medians[0] ?? 0) / (medians[index] ?? 1)).toFixed(2));
    }
    lines[title] = line;
  }
  return lines;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

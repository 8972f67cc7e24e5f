/** Starts the nodes: several times in turns for the row of start-up, the last time to stay. */
import { type Contents, madeContents, seed } from "./contents.ts";
import { type Launch, type RunningNode, startNode } from "./running.ts";
import type { RowHead, Table } from "./table.ts";
import type { Target, Workshop } from "./targets.ts";

/** A node that is ready to be measured. */
export interface ReadyNode {
  readonly name: string;
  readonly node: RunningNode;
  readonly contents: Contents;
}

/** All of them. Disposing ends them. */
export interface Nodes extends AsyncDisposable {
  readonly open: readonly ReadyNode[];
  /** Adds what their memory is now, after everything, and prints it. */
  noteMemory(): void;
}

/** Start options. */
export interface NodesOptions {
  readonly workshop: Workshop;
  /** Of the made chain. */
  readonly height: number;
  /** Starts of each for the row of start-up. */
  readonly runs: number;
  readonly table: Table;
}

const START: RowHead = { name: "start", unit: "ms", isLessBetter: true };
const IDLE_MEMORY: RowHead = { name: "idle memory", unit: "MiB", isLessBetter: true };
const LOADED_MEMORY: RowHead = { name: "memory after all", unit: "MiB", isLessBetter: true };
/** Nobody asks anything for this long before idle memory is read. */
const QUIET_MS = 15_000;

interface Prepared {
  readonly target: Target;
  readonly launch: Launch;
}

/** Prepares, times and fills every target; one that lacks something says so on the error stream. */
export async function openNodes(targets: readonly Target[], options: NodesOptions): Promise<Nodes> {
  const { table, runs, height } = options;
  const prepared = await prepare(targets, options);
  for (let run = 1; run < runs; run++)
    for (const each of prepared) await (await timedStart(each, table))[Symbol.asyncDispose]();
  await using stack = new AsyncDisposableStack();
  const open: ReadyNode[] = [];
  for (const each of prepared) open.push(await ready(stack.use(await timedStart(each, table)), each, height));
  table.print(START);
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  noteMemory(IDLE_MEMORY, open, table);
  const owned = stack.move();
  return {
    open,
    noteMemory: () => noteMemory(LOADED_MEMORY, open, table),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function prepare(targets: readonly Target[], { workshop, table }: NodesOptions): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const target of targets) {
    const launch = await target.prepare(workshop);
    if (typeof launch !== "string") prepared.push({ target, launch });
    else process.stderr.write(`${target.name} is left out: ${launch}\n`);
    if (typeof launch === "string") table.add(START, target.name, launch);
  }
  return prepared;
}

async function timedStart({ target, launch }: Prepared, table: Table): Promise<RunningNode> {
  const node = await startNode(launch);
  table.add(START, target.name, { value: node.firstAnswerMs });
  return node;
}

async function ready(node: RunningNode, { target }: Prepared, height: number): Promise<ReadyNode> {
  const { http } = node.targets;
  const { name, setters } = target;
  const contents = setters === undefined ? await madeContents(http, height) : await seed(http, setters);
  return { name, node, contents };
}

function noteMemory(row: RowHead, nodes: readonly ReadyNode[], table: Table): void {
  for (const { name, node } of nodes) {
    const memory = node.memory();
    table.add(row, name, memory === undefined ? "has no memory that can be read here" : { value: memory });
  }
  table.print(row);
}

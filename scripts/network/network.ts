/** Runs a network on this machine: directories and files, a process for each node, and what they say. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ConsensusChoice, networkGenesis } from "./genesis.ts";
import { type NetworkSize, type PlannedNode, planNetwork, portsOf, urlOf } from "./plan.ts";
import { freePorts } from "./ports.ts";
import { goNode, knit, layOut, type Program } from "./programs.ts";
import { ask } from "./rpc.ts";

/** Options of a network. */
export interface NetworkOptions {
  readonly size: NetworkSize;
  readonly consensus?: ConsensusChoice;
  /** Changes the text of the genesis file before block 0 is written; `council` is the core nodes. */
  readonly adapt?: (genesis: string, council: readonly Uint8Array[]) => string;
  /** Parent of the data directories; created when it is missing. */
  readonly directory: string;
  /** Further flags of every node of ours. */
  readonly flags?: readonly string[];
  /** Further flags of one node, whichever program it is, by its place. */
  readonly flagsOf?: (place: number) => readonly string[];
  /** The file that runs a node of ours in place of `knit`, by its place; undefined for `knit`. */
  readonly entryOf?: (place: number) => string | undefined;
  /** So many of the nodes of a type, the last ones, are Go nodes. */
  readonly go?: GoNodes | undefined;
  /** The port that others reach a node by, where it is not the node's own. */
  readonly reach?: (from: PlannedNode, to: PlannedNode) => number;
}

/** Numbers of Go nodes by type. */
export interface GoNodes extends Partial<NetworkSize> {
  /** Path of the Go core node; the binaries of the other types, `kpn` and `ken`, are in the same directory. */
  readonly binary: string;
}

/** A node of a running network. */
export interface NetworkNode extends PlannedNode {
  /** Path of its IPC socket. */
  readonly socket: string;
  /** URL of its HTTP endpoint. */
  readonly url: string;
  /** Of its process while that is running. */
  readonly pid: () => number | undefined;
  /** Starts its process and waits until it answers. */
  start(): Promise<void>;
  /** Ends its process, with a kill when it takes too long; the exit code, null after a kill. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Calls a method of it. Rejects with the node's error, or when it cannot be reached. */
  readonly ask: (method: string, ...params: unknown[]) => Promise<unknown>;
}

/** A running network. Disposing it stops all nodes. */
export interface Network extends AsyncDisposable {
  readonly nodes: readonly NetworkNode[];
}

/** A node ends within ten seconds; now and then a Go node never does. */
const STOP_MS = 20_000;
/** Interval of requests to a starting node. */
const ASK_MS = 100;

/** Makes a chain, a directory for each node, and starts them all. Rejects when one does not start. */
export async function openNetwork(terms: NetworkOptions): Promise<Network> {
  const { size, directory, flags = [], flagsOf, entryOf, go } = terms;
  const plan = planNetwork(size, await freePorts(portsOf(size)));
  const foreign = foreignNodes(plan, size, go);
  const goProgram = goNode(go?.binary ?? "");
  const nodes = plan.map((node, place) => {
    const home = join(directory, node.name);
    const program = foreign.includes(node) ? goProgram : knit;
    const own = [...(program === knit ? flags : []), ...(flagsOf?.(place) ?? [])];
    const entry = program === knit ? entryOf?.(place) : undefined;
    const line = program.command(node, home, entry);
    const command = [...line, "--maxconnections", String(plan.length + 1), ...own];
    return { program, home, node: networkNode(node, { home, command, socket: join(home, program.socket) }) };
  });
  await prepare(nodes, { plan, goProgram, terms });
  const running = nodes.map(({ node }) => node);
  const network = {
    nodes: running,
    [Symbol.asyncDispose]: async () => void (await Promise.all(running.map((node) => node.stop()))),
  };
  try {
    await Promise.all(running.map((node) => node.start()));
    return network;
  } catch (error) {
    await network[Symbol.asyncDispose]();
    throw error;
  }
}

function foreignNodes(
  plan: readonly PlannedNode[],
  size: NetworkSize,
  go: Partial<NetworkSize> = {},
): PlannedNode[] {
  const types = ["core", "proxy", "endpoint"] as const;
  return types.flatMap((type) =>
    plan.filter((node) => node.type === type).slice(size[type] - (go[type] ?? 0)),
  );
}

interface Placed {
  readonly program: Program;
  readonly home: string;
  readonly node: PlannedNode;
}

interface Preparation {
  readonly plan: readonly PlannedNode[];
  readonly goProgram: Program;
  readonly terms: NetworkOptions;
}

/** Writes the genesis, block 0 and the peers of each node. */
async function prepare(
  nodes: readonly Placed[],
  { plan, goProgram, terms: { directory, reach, consensus, adapt } }: Preparation,
): Promise<void> {
  const [first, ...others] = plan.filter(({ type }) => type === "core").map(({ key }) => key);
  if (first === undefined) throw new RangeError("a network needs a core node");
  await mkdir(directory, { recursive: true });
  const genesis = join(directory, "genesis.json");
  const time = Math.floor(Date.now() / 1000) - 1;
  const council = [first, ...others];
  const text = await networkGenesis([first, ...others], time, consensus);
  await writeFile(
    genesis,
    adapt?.(
      text,
      council.map(({ address }) => address),
    ) ?? text,
  );
  for (const [program, name] of [
    [knit, "knit"],
    [goProgram, "go"],
  ] as const) {
    const homes = nodes.filter((each) => each.program === program).map(({ home }) => home);
    await layOut(program, homes, { genesis, scratch: join(directory, `block-0-${name}`) });
  }
  for (const { program, home, node } of nodes) {
    const peers = plan
      .filter(({ name }) => node.peers.includes(name))
      .filter((peer) => dials(program, node, peer));
    const urls = peers.map((peer) => urlOf({ ...peer, port: reach?.(node, peer) ?? peer.port }));
    await program.meet(home, urls);
  }
}

/** Two Go nodes that dial each other at once lose both connections, and wait half a minute. */
function dials(program: Program, node: PlannedNode, peer: PlannedNode): boolean {
  return program === knit || peer.name < node.name || !peer.peers.includes(node.name);
}

interface Place {
  readonly home: string;
  readonly socket: string;
  readonly command: readonly string[];
}

function networkNode(planned: PlannedNode, { home, socket, command }: Place): NetworkNode {
  const url = `http://127.0.0.1:${planned.rpcPort}`;
  let child: ChildProcess | undefined;
  const isUp = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    ...planned,
    socket,
    url,
    pid: () => (isUp() ? child?.pid : undefined),
    async start() {
      child = spawnNode(command, `${home}.log`);
      while (!(await answers(url))) {
        if (!isUp()) throw new Error(`${planned.name} ended at once: see ${home}.log`);
        await new Promise((resolve) => setTimeout(resolve, ASK_MS));
      }
    },
    async stop(signal = "SIGTERM") {
      if (child === undefined || !isUp()) return child?.exitCode ?? null;
      const exited = once(child, "exit");
      const stopping = child;
      const timer = setTimeout(() => stopping.kill("SIGKILL"), STOP_MS);
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      clearTimeout(timer);
      return code;
    },
    ask: (method, ...params) => ask(url, method, params),
  };
}

function spawnNode([program = "", ...args]: readonly string[], path: string): ChildProcess {
  const log = openSync(path, "a");
  // A group of its own: Ctrl-C reaches the script alone, which asks the nodes before it stops them.
  const child = spawn(program, args, { stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  return child;
}

async function answers(url: string): Promise<boolean> {
  return ask(url, "eth_blockNumber", []).then(
    () => true,
    () => false,
  );
}

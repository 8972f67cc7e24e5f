/** Runs a network on this machine: directories and files, a process for each node, and what they say. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bareHex } from "../../node/bytes/hex.ts";
import { networkGenesis } from "./genesis.ts";
import { type NetworkSize, type PlannedNode, planNetwork, portsOf, urlOf } from "./plan.ts";
import { freePorts } from "./ports.ts";
import { ask } from "./rpc.ts";

/** What a network is made of. */
export interface NetworkTerms {
  readonly size: NetworkSize;
  /** Where the nodes keep things; made when it is missing. */
  readonly directory: string;
  /** Further flags of every node. */
  readonly flags?: readonly string[];
}

/** A node of a running network. */
export interface NetworkNode extends PlannedNode {
  /** Where it answers. */
  readonly url: string;
  /** Its process is running. */
  readonly isUp: () => boolean;
  /** Starts its process and waits until it answers. */
  start(): Promise<void>;
  /** Ends its process and waits until it is gone; the exit code, null after a kill. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Calls a method of it. Rejects with the node's error, or when it cannot be reached. */
  readonly ask: (method: string, ...params: unknown[]) => Promise<unknown>;
}

/** A running network. Disposing it stops all nodes. */
export interface Network extends AsyncDisposable {
  readonly nodes: readonly NetworkNode[];
}

const PROGRAM = fileURLToPath(new URL("../knit.js", import.meta.url));
const MODULES = "admin,eth,governance,istanbul,klay,net,txpool";
/** How often a starting node is asked. */
const ASK_MS = 100;

/** Makes a chain, a directory for each node, and starts them all. Rejects when one does not start. */
export async function openNetwork({ size, directory, flags = [] }: NetworkTerms): Promise<Network> {
  const plan = planNetwork(size, await freePorts(portsOf(size)));
  await layOut(plan, directory);
  const all = ["--maxconnections", String(plan.length + 1), ...flags];
  const nodes = plan.map((node) => networkNode(node, join(directory, node.name), all));
  const network = {
    nodes,
    [Symbol.asyncDispose]: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    return network;
  } catch (error) {
    await network[Symbol.asyncDispose]();
    throw error;
  }
}

/** Block 0 is written once and copied; each node gets its peers. */
async function layOut(plan: readonly PlannedNode[], directory: string): Promise<void> {
  const council = plan.filter(({ type }) => type === "core").map(({ key }) => key.address);
  await mkdir(directory, { recursive: true });
  const genesis = join(directory, "genesis.json");
  await writeFile(genesis, networkGenesis(council, Math.floor(Date.now() / 1000) - 1));
  const first = join(directory, "block-0");
  await runToEnd("init", "--datadir", first, genesis);
  for (const { name, peers } of plan) {
    const home = join(directory, name);
    await cp(first, home, { recursive: true });
    const urls = plan.filter((other) => peers.includes(other.name)).map(urlOf);
    await writeFile(join(home, "knit", "static-nodes.json"), JSON.stringify(urls, undefined, 2));
  }
}

async function runToEnd(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`knit ${args.join(" ")} ended with ${code}`);
}

function networkNode(planned: PlannedNode, home: string, flags: readonly string[]): NetworkNode {
  const url = `http://127.0.0.1:${planned.rpcPort}`;
  let child: ChildProcess | undefined;
  const isUp = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    ...planned,
    url,
    isUp,
    async start() {
      child = spawnNode(planned, home, flags);
      while (!(await answers(url))) {
        if (!isUp()) throw new Error(`${planned.name} ended at once: see ${logOf(home)}`);
        await new Promise((resolve) => setTimeout(resolve, ASK_MS));
      }
    },
    async stop(signal = "SIGTERM") {
      if (child === undefined || !isUp()) return child?.exitCode ?? null;
      const exited = once(child, "exit");
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
    ask: (method, ...params) => ask(url, method, params),
  };
}

function logOf(home: string): string {
  return `${home}.log`;
}

function spawnNode({ type, key, port, rpcPort }: PlannedNode, home: string, flags: readonly string[]) {
  const log = openSync(logOf(home), "a");
  const own = ["--type", type, "--datadir", home, "--nodekeyhex", bareHex(key.key)];
  const meeting = ["--port", String(port), "--nodiscover", "--netrestrict", "127.0.0.0/8"];
  const rpc = ["--rpc", "--rpcport", String(rpcPort), "--rpcapi", MODULES];
  const args = [PROGRAM, "run", ...own, ...meeting, ...rpc, ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", log, log] });
  closeSync(log);
  return child;
}

async function answers(url: string): Promise<boolean> {
  return ask(url, "eth_blockNumber", []).then(
    () => true,
    () => false,
  );
}

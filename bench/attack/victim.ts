/** The node under attack: the built program as a development chain in a directory that goes with it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../test/support/go-node.ts";
import { ask } from "../rpc/ask.ts";
import { BUILT_MAIN } from "../support/built-knit.ts";
import type { AttackTarget } from "./attack.ts";

/** Start options of the node. */
export interface VictimOptions {
  /** As `--max-memory` takes it; undefined for a node without a limit. */
  readonly maxMemory: string | undefined;
  readonly flags: readonly string[];
}

/** A running node; disposing ends it and deletes its directory. */
export interface Victim extends AsyncDisposable {
  readonly pid: number;
  readonly target: AttackTarget;
  /** Returns the exit and the last output; undefined while the process runs. */
  readonly death: () => string | undefined;
}

const PATIENCE_MS = 60_000;
const MAX_WORDS = 4096;

/** Starts a node; it makes blocks when the promise resolves. Rejects when it does not within a minute. */
export async function startVictim(options: VictimOptions): Promise<Victim> {
  const directory = await mkdtemp(join(tmpdir(), "knit-attack-"));
  const ports = {
    http: await freePort(),
    ws: await freePort(),
    peers: await freePort(),
    metrics: await freePort(),
  };
  const child = spawn(process.execPath, [BUILT_MAIN, ...argumentsOf(options, directory, ports)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const death = watchDeath(child);
  try {
    const http = `http://127.0.0.1:${ports.http}`;
    await firstBlock(http, death);
    const { id } = await ask<{ readonly id: string }>(http, "admin_nodeInfo", []);
    const target: AttackTarget = {
      http,
      ws: `ws://127.0.0.1:${ports.ws}`,
      httpPort: ports.http,
      wsPort: ports.ws,
      peerPort: ports.peers,
      kni: `kni://${id}@127.0.0.1:${ports.peers}`,
    };
    return {
      pid: child.pid ?? Number.NaN,
      target,
      death,
      [Symbol.asyncDispose]: () => stop(child, directory),
    };
  } catch (error) {
    await stop(child, directory);
    throw error;
  }
}

interface Ports {
  readonly http: number;
  readonly ws: number;
  readonly peers: number;
  readonly metrics: number;
}

function argumentsOf(
  { maxMemory, flags }: VictimOptions,
  directory: string,
  ports: Ports,
): readonly string[] {
  const limit = ["--max-memory", maxMemory ?? "0"];
  const rpc = [
    "--rpcport",
    `${ports.http}`,
    "--wsport",
    `${ports.ws}`,
    "--rpcapi",
    "admin,eth,net",
    "--wsapi",
    "eth,net",
  ];
  const rest = [
    "--port",
    `${ports.peers}`,
    "--nodiscover",
    "--prometheusport",
    `${ports.metrics}`,
    "--verbosity",
    "2",
  ];
  return ["dev", "--datadir", directory, ...limit, ...rpc, ...rest, ...flags];
}

function watchDeath(child: ChildProcess): () => string | undefined {
  let words = "";
  let death: string | undefined;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = `${words}${text}`.slice(-MAX_WORDS);
  });
  child.once("exit", (code, signal) => {
    const reason = /FATAL ERROR: .*|^knit: .*/m.exec(words)?.[0];
    death = `${signal ?? `exit code ${code}`}${reason === undefined ? "" : `: ${reason}`}`;
  });
  return () => death;
}

async function firstBlock(http: string, death: () => string | undefined): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (death() !== undefined) throw new Error(`the node ended: ${death()}`);
    const number = await ask<string>(http, "eth_blockNumber", []).catch(() => "0x0");
    if (Number(number) > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${http} makes no blocks`);
}

async function stop(child: ChildProcess, directory: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
  await rm(directory, { recursive: true, force: true });
}

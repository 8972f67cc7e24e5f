/** The nodes that are compared: how each is started and where it then answers. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Wire } from "./load.ts";

/** Where a node answers; a missing wire is not measured. */
export type Targets = Readonly<Partial<Record<Wire, string>>>;

/** A running node. Disposing ends it. */
export interface RunningNode extends AsyncDisposable {
  readonly name: string;
  readonly targets: Targets;
}

/** Drops what is not given. */
export function targetsOf(given: Readonly<Partial<Record<Wire, string | undefined>>>): Targets {
  return Object.fromEntries(Object.entries(given).filter(([, target]) => target !== undefined));
}

/** Starts `knit dev` (built) or `anvil`, both with one-second blocks and everything open. */
export async function startNode(name: string, port: number): Promise<RunningNode> {
  const directory = await mkdtemp(join(tmpdir(), `bench-${name}-`));
  const ipc = join(directory, "node.ipc");
  const row = name === "anvil" ? anvil(port, ipc) : knit(directory, port, ipc);
  const child = spawn(row.command, row.args, { stdio: ["ignore", "ignore", "inherit"] });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${row.command} ended with ${code}`)));
  });
  failed.catch(() => undefined); // it ends when it is told to, too
  await Promise.race([reachable(row.targets), failed]);
  return {
    name,
    targets: row.targets,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Row {
  readonly command: string;
  readonly args: readonly string[];
  readonly targets: Targets;
}

function anvil(port: number, ipc: string): Row {
  const url = `127.0.0.1:${port}`;
  return {
    command: process.env["ANVIL"] ?? "anvil",
    args: ["--port", `${port}`, "--block-time", "1", "--ipc", ipc, "--silent"],
    targets: { http: `http://${url}`, ws: `ws://${url}`, ipc },
  };
}

function knit(directory: string, port: number, ipc: string): Row {
  const flags = ["--datadir", directory, "--rpcport", `${port}`, "--wsport", `${port + 1}`, "--ipcpath", ipc];
  return {
    command: process.execPath,
    args: ["dist/node/main.js", "dev", ...flags, "--prometheusport", "0"],
    targets: { http: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port + 1}`, ipc },
  };
}

/** Resolves when every wire accepts connections. */
async function reachable(targets: Targets): Promise<void> {
  const until = performance.now() + 30_000;
  for (const target of Object.values(targets)) {
    while (!(await accepts(target))) {
      if (performance.now() > until) throw new Error(`${target} does not answer`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function accepts(target: string): Promise<boolean> {
  if (!target.includes("://")) return Promise.resolve(existsSync(target));
  const { hostname, port } = new URL(target);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

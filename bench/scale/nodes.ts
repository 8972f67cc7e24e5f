/** Nodes on data directories of the scale bench: Knit under its limit of memory, and the Go node without one. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, GO_BINARY } from "../../test/support/go-node.ts";
import { makerFlags } from "../../test/support/large-genesis.ts";
import { CHAIN_ID } from "../../test/support/transfer-chain.ts";
import { type RunningNode, startNode } from "../rpc/running.ts";
import { BUILT_MAIN } from "../support/built-knit.ts";

/** A node under measurement with its IPC socket. */
export interface ScaleNode extends RunningNode {
  readonly ipc: string;
}

/** Start options. */
export interface ScaleNodeOptions {
  readonly datadir: string;
  /** The only validator, which makes a block a second; an endpoint without blocks when false. */
  readonly isValidator: boolean;
  readonly flags?: readonly string[];
}

/** Starts a node on a data directory and waits for its first answer. */
export type StartNode = (options: ScaleNodeOptions) => Promise<ScaleNode>;

/** An empty node may copy a chain before it answers. */
const PATIENCE_MS = 7_200_000;

/** Starts the built program under a limit of memory. */
export function knitStarter(maxMemory: string): StartNode {
  return ({ isValidator, ...options }) => {
    const type = isValidator ? "core" : "endpoint";
    const command = [BUILT_MAIN, "run", "--type", type, "--max-memory", maxMemory];
    return start(process.execPath, command, { isValidator, ...options });
  };
}

/** Starts the Go node, as it is without flags about memory. */
export function goStarter(): StartNode {
  const command = ["--nat", "none", "--ntp.disable", "--networkid", `${CHAIN_ID}`];
  return (options) => start(GO_BINARY, command, options);
}

async function start(
  command: string,
  first: readonly string[],
  { datadir, isValidator, flags = [] }: ScaleNodeOptions,
): Promise<ScaleNode> {
  const sockets = await mkdtemp(join(tmpdir(), "ks-")); // the path of a socket is short
  const ipc = join(sockets, "node.ipc");
  const [http, peers] = [await freePort(), await freePort()];
  const own = ["--datadir", datadir, "--nodiscover", "--port", `${peers}`, "--ipcpath", ipc];
  const rpc = ["--rpc", "--rpcaddr", "127.0.0.1", "--rpcport", `${http}`, "--rpcapi", "eth,admin"];
  const maker = isValidator ? makerFlags : [];
  const args = [...first, ...own, ...rpc, "--verbosity", "1", ...maker, ...flags];
  try {
    const targets = { http: `http://127.0.0.1:${http}` };
    const node = await startNode({ command, args, targets, patienceMs: PATIENCE_MS });
    const end = async (): Promise<void> => {
      await node[Symbol.asyncDispose]();
      await rm(sockets, { recursive: true, force: true });
    };
    return { ...node, ipc, [Symbol.asyncDispose]: end };
  } catch (error) {
    await rm(sockets, { recursive: true, force: true });
    throw error;
  }
}

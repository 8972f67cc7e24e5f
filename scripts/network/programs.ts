/** The programs that a node of a network can be, and how each is started. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import { CHAIN_ID } from "./genesis.ts";
import type { PlannedNode } from "./plan.ts";

/** A program that can run as a node of the network. */
export interface Program {
  /** The name of its socket in the data directory. */
  readonly socket: string;
  /** Writes block 0 into a directory that does not exist yet. */
  init(directory: string, genesis: string): Promise<void>;
  /** Names the peers that a node keeps connected to. */
  meet(directory: string, urls: readonly string[]): Promise<void>;
  /** The command line that runs a node. `entry` is another file to run than the program's own. */
  command(node: PlannedNode, directory: string, entry?: string): readonly string[];
}

const KNIT = fileURLToPath(new URL("../knit.js", import.meta.url));
const MODULES = "admin,auction,eth,governance,istanbul,klay,net,txpool";

/** knit as it is here: built, or its sources. */
export const knit: Program = {
  socket: "knit.ipc",
  init: (directory, genesis) => run(process.execPath, KNIT, "init", "--datadir", directory, genesis),
  meet: (directory, urls) => writeNodes(join(directory, "knit"), urls),
  command({ type, key, port, rpcPort }, directory, entry = KNIT) {
    const own = ["--type", type, "--datadir", directory, "--nodekeyhex", bareHex(key.key)];
    const meeting = ["--port", String(port), "--nodiscover", "--netrestrict", "127.0.0.0/8"];
    const rpc = ["--rpc", "--rpcport", String(rpcPort), "--rpcapi", MODULES];
    const signing = ["--consensus.doppelganger-listen", "1s"]; // the keys are new: nobody else has them
    return [process.execPath, entry, "run", ...own, ...meeting, ...rpc, ...signing];
  },
};

/** The binaries of the Go node beside that of its core node. */
const GO_BINARIES = { proxy: "kpn", endpoint: "ken" };

/** Go nodes; `binary` is the path of the core node, and those of the other types are beside it. */
export function goNode(binary: string): Program {
  return {
    socket: "klay.ipc",
    init: (directory, genesis) => run(binary, "--datadir", directory, "init", genesis),
    meet: writeNodes,
    command({ type, key, port, rpcPort }, directory) {
      const own = ["--datadir", directory, "--networkid", String(CHAIN_ID), "--nodekeyhex", bareHex(key.key)];
      const program = type === "core" ? binary : join(dirname(binary), GO_BINARIES[type]);
      const rewards = type === "core" ? ["--rewardbase", toHex(key.address)] : [];
      const meeting = ["--port", String(port), "--nodiscover", "--nat", "none", "--ntp.disable"];
      const rpc = ["--rpc", "--rpcaddr", "127.0.0.1", "--rpcport", String(rpcPort), "--rpcapi", MODULES];
      return [program, ...own, ...rewards, ...meeting, ...rpc];
    },
  };
}

async function writeNodes(directory: string, urls: readonly string[]): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "static-nodes.json"), JSON.stringify(urls, undefined, 2));
}

/** Block 0 is the same everywhere: it is written once and copied. */
export async function layOut(
  program: Program,
  directories: readonly string[],
  { genesis, scratch }: { readonly genesis: string; readonly scratch: string },
): Promise<void> {
  if (directories.length === 0) return;
  await program.init(scratch, genesis);
  for (const directory of directories) await cp(scratch, directory, { recursive: true });
}

async function run(program: string, ...args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${said}`);
}

/** `knit dev` as a process, and what its banner tells. */
import { dirname, join } from "node:path";
import { type KnitProcess, startKnit } from "./knit-process.ts";

/** A key that everybody knows, and its address. */
export interface FundedKey {
  readonly address: `0x${string}`;
  readonly key: `0x${string}`;
}

/** A running development chain. */
export interface DevNode {
  readonly knit: KnitProcess;
  readonly http: string;
  readonly ws: string;
  /** Path of the IPC socket. */
  readonly ipc: string;
  readonly metrics: string;
  /** The folder of its key files. */
  readonly keystore: string;
  /** Ten accounts with 1,000,000 KLAY each. */
  readonly funded: readonly FundedKey[];
}

const ENDPOINTS = /HTTP +(http:\S+)\s+WebSocket +(ws:\S+)\s+IPC +(\S+)\s+Metrics +(http:\S+)\n/;
const ACCOUNT = /(0x[0-9a-f]{40}) {2}(0x[0-9a-f]{64})/g;

/** Starts one on free ports; `flags` are added. Its `knit` must be stopped. */
export async function startDevNode(...flags: readonly string[]): Promise<DevNode> {
  const knit = startKnit("dev", "--rpcport", "0", "--wsport", "0", "--prometheusport", "0", ...flags);
  const [, http = "", ws = "", ipc = "", metrics = ""] = await knit.waitFor(ENDPOINTS);
  const funded = [...knit.output().matchAll(ACCOUNT)].map(
    ([, address, key]) => ({ address, key }) as FundedKey, // the pattern's groups
  );
  return { knit, http, ws, ipc, metrics, keystore: join(dirname(ipc), "keystore"), funded };
}

/** One of its accounts. */
export function fundedKey(node: DevNode, index: number): FundedKey {
  const found = node.funded[index];
  if (found === undefined) throw new Error(`a development chain has no account ${index}`);
  return found;
}

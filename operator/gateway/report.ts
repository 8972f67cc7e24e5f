/** Status of a node in one response: identity, peers, chain, validators and free space of its volume. */
import {
  type DiskUsage,
  type NodeReport,
  readHeight,
  readNodeInfo,
  readPeerIds,
  readSyncing,
  readValidators,
} from "../control/answers.ts";
import { ControlError } from "../control/error.ts";
import type { ControlMethod } from "../control/methods.ts";
import { IpcError, type NodeAnswer } from "./ipc.ts";

/** Sources of a report. */
export interface ReportSources {
  readonly node: (method: ControlMethod, ...params: readonly string[]) => Promise<NodeAnswer>;
  /** Undefined when the space cannot be measured. */
  readonly disk: () => Promise<DiskUsage | undefined>;
  /** Reasons at the node's `/readyz`; undefined when they cannot be read. */
  readonly reasons: () => Promise<readonly string[] | undefined>;
}

const questions = ["admin_nodeInfo", "admin_peers", "chain_blockNumber", "chain_syncing"] as const;

/** Calls the node's methods in turn. An error of the node becomes the response. Rejects with `IpcError`. */
export async function reportOf({ node, disk, reasons }: ReportSources): Promise<NodeAnswer> {
  const results: unknown[] = [];
  for (const method of questions) {
    const answer = await node(method);
    if (answer.isError) return answer;
    results.push((JSON.parse(answer.text) as { result?: unknown }).result); // an answer of JSON-RPC
  }
  const result: NodeReport = {
    ...read(results),
    council: await councilOf(node),
    disk: await disk(),
    reasons: await reasons(),
  };
  return { text: JSON.stringify({ jsonrpc: "2.0", id: 1, result }), isError: false };
}

/**
 * Calls for the validators of the next block, by which nodes admit each other, or for those of the newest one where the
 * node does not report the next (profile `klaytn`). Undefined when it reports neither.
 */
async function councilOf(node: ReportSources["node"]): Promise<NodeReport["council"]> {
  const next = await node("istanbul_getValidators", "pending");
  const answer = next.isError ? await node("istanbul_getValidators") : next;
  if (answer.isError) return undefined;
  return decode(() => readValidators((JSON.parse(answer.text) as { result?: unknown }).result)); // an answer of JSON-RPC
}

/** Decodes the results, in the order of the calls. */
function read([info, peers, height, syncing]: readonly unknown[]): Pick<
  NodeReport,
  "id" | "version" | "genesis" | "forks" | "peers" | "height" | "syncing"
> {
  return decode(() => ({
    ...readNodeInfo(info),
    peers: [...readPeerIds(peers)],
    height: readHeight(height),
    syncing: readSyncing(syncing),
  }));
}

function decode<T>(decoder: () => T): T {
  try {
    return decoder();
  } catch (error) {
    if (error instanceof ControlError) throw new IpcError("bad-answer", error.message, { cause: error });
    throw error;
  }
}

/** Heads of the nodes of a network. */
import type { NetworkNode } from "./network.ts";

/** A node's newest block; undefined when it does not answer. */
export interface Head {
  readonly name: string;
  readonly number: number | undefined;
  readonly hash: string | undefined;
  readonly peers: number | undefined;
}

/** The newest block of each node. */
export function headsOf(nodes: readonly NetworkNode[]): Promise<Head[]> {
  return Promise.all(nodes.map(headOf));
}

async function headOf({ name, ask }: NetworkNode): Promise<Head> {
  try {
    const { number, hash } = (await ask("eth_getBlockByNumber", "latest", false)) as BlockAnswer;
    return { name, number: Number(number), hash, peers: Number(await ask("net_peerCount")) };
  } catch {
    return { name, number: undefined, hash: undefined, peers: undefined };
  }
}

interface BlockAnswer {
  readonly number: string;
  readonly hash: string;
}

/** True when a node responds and all responding nodes have the same block at the lowest of their heads. */
export async function agree(nodes: readonly NetworkNode[]): Promise<boolean> {
  const heads = await headsOf(nodes);
  const up = nodes.filter((_, place) => heads[place]?.number !== undefined);
  const lowest = Math.min(...heads.flatMap(({ number }) => number ?? []));
  const at = `0x${lowest.toString(16)}`;
  const hashes = await Promise.all(
    up.map(async ({ ask }) => ((await ask("eth_getBlockByNumber", at, false)) as BlockAnswer).hash),
  );
  return new Set(hashes).size === 1;
}

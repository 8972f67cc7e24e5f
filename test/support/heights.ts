/** Waits for the heights of a network's nodes. */
import type { NetworkNode } from "../../scripts/network/network.ts";
import { until } from "./rpc-client.ts";

/** Resolves when every node has block `number`. */
export async function reachHeight(nodes: readonly NetworkNode[], number: number): Promise<void> {
  const arrived = ({ ask }: NetworkNode): Promise<true> =>
    until(async () => (Number(await ask("eth_blockNumber")) >= number ? true : undefined));
  await Promise.all(nodes.map(arrived));
}

/** Answers that the nodes of a network give alike. */
import { expect } from "@jest/globals";
import type { NetworkNode } from "../../scripts/network/network.ts";
import { until } from "./rpc-client.ts";

/** Resolves when every node has block `number`. */
export async function reachHeight(nodes: readonly NetworkNode[], number: number): Promise<void> {
  const arrived = ({ ask }: NetworkNode): Promise<true> =>
    until(async () => (Number(await ask("eth_blockNumber")) >= number ? true : undefined));
  await Promise.all(nodes.map(arrived));
}

/** Returns the answer that all nodes give alike, once they all have one; what is missing is null or an error. */
export async function commonAnswer(
  nodes: readonly NetworkNode[],
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  const asked = nodes.map(({ ask }) =>
    until(async () => (await ask(method, ...params).catch(() => undefined)) ?? undefined),
  );
  const [first, ...others] = await Promise.all(asked);
  for (const other of others)
    expect({ method, params, answer: other }).toEqual({ method, params, answer: first });
  return first;
}

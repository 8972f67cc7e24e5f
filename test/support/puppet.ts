/** A peer of a node in memory that is played by the test. */
import type { Lane, ProtocolMessage } from "../../node/p2p/protocol.ts";
import type { TestNode } from "./protocol-node.ts";
import { aLink, type Link } from "./protocol-peer.ts";
import { until } from "./until.ts";

/** A peer that a test plays. */
export interface Puppet {
  readonly link: Link;
  /** Messages from the node so far; the status is not in it. */
  readonly received: ProtocolMessage[];
  /** Reason of the node's disconnect. */
  readonly left: Promise<string>;
  say(code: number, payload: Uint8Array): void;
}

/** Plays a peer: it says it has the node's own head and listens. */
export async function aPuppet(
  node: TestNode,
  number: number,
  type: "cn" | "pn" | "en" = "pn",
): Promise<Puppet> {
  const link = aLink(node.end, { type, number });
  const left = node.end.protocol.run(link.first).then(
    () => "returned",
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
  const status = await link.second.next();
  if (status === undefined) throw new Error("no status came");
  link.second.send(status.code, status.payload);
  const received: ProtocolMessage[] = [];
  for (const lane of [0, 1] as const) void listen(link, lane, received);
  await until(() => node.protocol.peerCount() >= 1);
  return { link, received, left, say: (code, payload) => void link.second.send(code, payload) };
}

async function listen({ second }: Link, lane: Lane, received: ProtocolMessage[]): Promise<void> {
  for (let message = await second.next(lane); message; message = await second.next(lane))
    received.push(message);
}

/**
 * Meters of messages and bytes by kind and direction, under the Go node's names (node/cn/metrics.go@v2.2.2).
 */
import type { Counter, Metrics } from "../observe/metrics.ts";
import { messages, PROTOCOL_NAME } from "./messages.ts";

/** A message of a peer, as the metrics count it. */
export interface MessageEvent {
  readonly type: string;
  readonly protocol?: string | undefined;
  readonly code?: number | undefined;
  /** Size of the payload, uncompressed, in bytes. */
  readonly size?: number | undefined;
}

/** Meter names by message code. Everything else counts as `klay/misc`. */
const KINDS: ReadonlyMap<number, string> = new Map([
  [messages.transactions.code, "klay/prop/txns"],
  [messages.newBlockHashes.code, "klay/prop/hashes"],
  [messages.newBlock.code, "klay/prop/blocks"],
  [messages.consensus.code, "klay/prop/consensus/istanbul"],
  [messages.headers.code, "klay/req/headers"],
  [messages.bodies.code, "klay/req/bodies"],
  [messages.nodeData.code, "klay/req/states"],
  [messages.receipts.code, "klay/req/receipts"],
]);
const OTHERS = "klay/misc";

const WAYS = [
  { type: "msgrecv", name: "in", help: "received" },
  { type: "msgsend", name: "out", help: "sent" },
] as const;

/** Declares the meters. The returned function counts a message. */
export function declareTrafficMetrics(metrics: Metrics): (event: MessageEvent) => void {
  const meters = new Map<string, { readonly packets: Counter; readonly traffic: Counter }>();
  for (const { type, name, help } of WAYS) {
    for (const kind of [...KINDS.values(), OTHERS]) {
      const meter = (what: string, unit: string): Counter =>
        metrics.meter({
          name: `${kind}/${name}/${what}`,
          help: `${unit} ${help} a second, over the last minute.`,
        });
      meters.set(type + kind, { packets: meter("packets", "Messages"), traffic: meter("traffic", "Bytes") });
    }
  }
  return ({ type, protocol, code, size = 0 }) => {
    if (protocol !== PROTOCOL_NAME || code === undefined) return;
    const found = meters.get(type + (KINDS.get(code) ?? OTHERS));
    found?.packets.add(1);
    found?.traffic.add(size);
  };
}

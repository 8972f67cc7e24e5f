/** Two ends of a session without sockets: what one sends the other gets, unless a test tampers with it. */
import { bareHex } from "../../node/bytes/hex.ts";
import { type BudgetedQueue, createBudgetedQueue, type QueueBudget } from "../../node/p2p/budget.ts";
import type { NodeType } from "../../node/p2p/node-type.ts";
import type { Lane, Protocol, ProtocolMessage, ProtocolPeer } from "../../node/p2p/protocol.ts";
import { messages } from "../../node/protocol/messages.ts";
import { UNLIMITED_TIME } from "../../node/runtime/fair-time.ts";

/** Description of one end for the other. */
export interface LinkEnd {
  readonly type: NodeType;
  readonly number: number;
  /** The version of the protocol that this end speaks; 65 unless said otherwise. */
  readonly version?: number;
  /** Rewrites a message that this end sends into other messages, or none. */
  readonly tamper?: ((message: ProtocolMessage) => readonly ProtocolMessage[]) | undefined;
}

/** A link of two ends. */
export interface Link {
  /** The second end as the first one sees it. */
  readonly first: ProtocolPeer;
  /** The first end as the second one sees it. */
  readonly second: ProtocolPeer;
  close(): void;
}

type Lanes = readonly [BudgetedQueue<ProtocolMessage>, BudgetedQueue<ProtocolMessage>];

function laneOf({ code }: ProtocolMessage): Lane {
  return code === messages.transactions.code ? 1 : 0;
}

const BUDGET: QueueBudget = { items: 4096, bytes: 32 * 2 ** 20 };

/** Links two ends; nothing runs over it yet. */
export function aLink(first: LinkEnd, second: LinkEnd, budget = BUDGET): Link {
  const gone = new AbortController();
  const lanes = (): Lanes => [
    createBudgetedQueue<ProtocolMessage>(budget),
    createBudgetedQueue<ProtocolMessage>(budget),
  ];
  const toFirst = lanes();
  const toSecond = lanes();
  const close = (): void => {
    for (const queue of [...toFirst, ...toSecond]) queue.close("drop");
    gone.abort(new Error("the link is closed"));
  };
  const view = (seen: LinkEnd, by: LinkEnd, inbox: Lanes, outbox: Lanes): ProtocolPeer => {
    const id = new Uint8Array(64).fill(seen.number);
    const idText = bareHex(id);
    const next = (lane: Lane = 0): Promise<ProtocolMessage | undefined> => inbox[lane].take();
    return {
      id,
      idText,
      shortId: idText.slice(0, 16),
      address: id.subarray(0, 20),
      name: `peer ${seen.number}`,
      type: seen.type,
      inbound: false,
      trusted: false,
      isStatic: false,
      owner: undefined,
      signal: gone.signal,
      version: by.version ?? 65,
      info: () => ({ id: idText, name: `peer ${seen.number}`, caps: [], networks: [], protocols: {} }),
      disconnect: close,
      send(code, payload) {
        if (gone.signal.aborted) return false;
        const sent = by.tamper === undefined ? [{ code, payload }] : by.tamper({ code, payload });
        return sent.every((message) => outbox[laneOf(message)].offer(message, message.payload.length));
      },
      waitForDrain: async () => !gone.signal.aborted,
      time: UNLIMITED_TIME,
      waitForRoom: async () =>
        (await outbox[0].waitForRoom()) && (await outbox[1].waitForRoom()) && !gone.signal.aborted,
      next,
      messages: {
        async *[Symbol.asyncIterator]() {
          for (let message = await next(); message; message = await next()) yield message;
        },
      },
    };
  };
  return {
    first: view(second, first, toFirst, toSecond),
    second: view(first, second, toSecond, toFirst),
    close,
  };
}

/** A protocol that runs over a link between two nodes. */
export interface Session {
  readonly link: Link;
  /** The error with which each end's run ended; undefined when it just returned. */
  readonly first: Promise<Error | undefined>;
  readonly second: Promise<Error | undefined>;
  /** Ends it and waits for both. */
  close(): Promise<void>;
}

/** An end that runs a protocol. */
export interface RunningEnd extends LinkEnd {
  readonly protocol: Protocol;
}

/** Connects two running ends; as soon as one gives up the link is closed. */
export function connect(first: RunningEnd, second: RunningEnd): Session {
  const link = aLink(first, second);
  const run = async ({ protocol }: RunningEnd, peer: ProtocolPeer): Promise<Error | undefined> => {
    try {
      await protocol.run(peer);
      return undefined;
    } catch (error) {
      return error as Error;
    } finally {
      link.close();
    }
  };
  const ends = [run(first, link.first), run(second, link.second)] as const;
  return {
    link,
    first: ends[0],
    second: ends[1],
    async close() {
      link.close();
      await Promise.all(ends);
    },
  };
}

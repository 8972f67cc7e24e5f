/**
 * Sessions between simulated nodes: messages of a lane arrive in order after a delay. A cut of the network holds
 * messages back until it is mended or the session breaks. Breaking is noticed by each end at its own time.
 */
import { bareHex } from "../../../node/bytes/hex.ts";
import { createBudgetedQueue } from "../../../node/p2p/budget.ts";
import type { NodeKey } from "../../../node/p2p/node-key.ts";
import type { NodeType } from "../../../node/p2p/node-type.ts";
import type { Lane, Protocol, ProtocolMessage, ProtocolPeer } from "../../../node/p2p/protocol.ts";
import { messages } from "../../../node/protocol/messages.ts";
import type { FairTime } from "../../../node/runtime/fair-time.ts";
import type { Life, VirtualTime } from "./virtual-time.ts";

/** One node as its peers meet it. */
export interface SimulatedEnd {
  readonly index: number;
  readonly life: Life;
  readonly type: NodeType;
  readonly key: NodeKey;
  readonly protocol: Protocol;
  readonly time: FairTime;
  /** Sees each message that the node sends. */
  readonly onSend: (message: ProtocolMessage) => void;
}

/** Behaviour of the network. */
export interface NetworkFaults {
  readonly delayMs: () => number;
  /** Time at which messages pass between two nodes again; undefined when they pass now. */
  readonly cutUntil: (a: number, b: number) => number | undefined;
}

const MAX_OUTSTANDING = 4096;
const INBOX = { items: 256, bytes: 16 * 2 ** 20 };
/** Time after which a silent connection ends, in milliseconds. */
const PATIENCE_MS = 30_000;

/** A running session. */
export interface SimulatedSession {
  readonly isOpen: boolean;
  /** Ends it for both, each at its own time. */
  break(): void;
}

/** One direction of a session with the end that receives. */
class Side {
  readonly end: SimulatedEnd;
  readonly gone = new AbortController();
  readonly inbox = [0, 1].map(() => createBudgetedQueue<ProtocolMessage>(INBOX));
  readonly lastMs = [0, 0];
  outstanding = 0;
  readonly #time: VirtualTime;
  #waiting: (() => void)[] = [];

  constructor(end: SimulatedEnd, time: VirtualTime) {
    this.end = end;
    this.#time = time;
  }

  /** Resolves with true once few enough messages are on their way to this end, with false when the sender has left. */
  async room(most: number, sender: Side): Promise<boolean> {
    while (!sender.gone.signal.aborted && this.outstanding > most) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(() => void this.#time.after(0, sender.end.life, resolve));
      });
    }
    return !sender.gone.signal.aborted;
  }

  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  close(): void {
    if (this.gone.signal.aborted) return;
    for (const queue of this.inbox) queue.close("drop");
    this.gone.abort(new Error("the session has ended"));
    this.wake();
  }
}

/** Connects two nodes and runs their protocols. */
export function connectEnds(
  time: VirtualTime,
  faults: NetworkFaults,
  [first, second]: readonly [SimulatedEnd, SimulatedEnd],
): SimulatedSession {
  const sides = [new Side(first, time), new Side(second, time)] as const;
  const closeLater = (side: Side): void =>
    void time.after(faults.delayMs(), side.end.life, () => {
      side.close();
    });
  const breakAll = (): void => {
    for (const side of sides) closeLater(side);
  };
  for (const [side, other] of [sides, sides.toReversed() as [Side, Side]] as const) {
    time.after(faults.delayMs(), side.end.life, () => {
      const leave = (): void => {
        side.close();
        other.wake();
        closeLater(other);
      };
      const peer = peerOf(side, other, { time, faults, leave, breakAll });
      side.end.protocol.run(peer).then(leave, leave);
    });
  }
  return {
    get isOpen() {
      return sides.some(({ gone, end }) => !gone.signal.aborted && !end.life.isOver);
    },
    break: breakAll,
  };
}

interface LinkDeps {
  readonly time: VirtualTime;
  readonly faults: NetworkFaults;
  /** Called by the end itself. */
  readonly leave: () => void;
  /** Called from elsewhere. */
  readonly breakAll: () => void;
}

function lane({ code }: ProtocolMessage): Lane {
  return code === messages.transactions.code ? 1 : 0;
}

/** The other end as `side` sees it. */
function peerOf(side: Side, other: Side, { time, faults, leave, breakAll }: LinkDeps): ProtocolPeer {
  const { key, type, index } = other.end;
  const idText = bareHex(key.id);
  const next = (from: Lane = 0): Promise<ProtocolMessage | undefined> =>
    side.inbox[from]?.take() ?? Promise.resolve(undefined);
  const deliver = (message: ProtocolMessage): void => {
    const mended = faults.cutUntil(side.end.index, index);
    if (mended !== undefined && mended > time.now + PATIENCE_MS) return breakAll();
    if (mended !== undefined) return void time.at(mended, other.end.life, () => deliver(message));
    const queue = other.inbox[lane(message)];
    void queue?.put(message, message.payload.length).then(() => {
      other.outstanding--;
      other.wake();
    });
  };
  const room = (most: number): Promise<boolean> => other.room(most, side);
  return {
    id: key.id,
    idText,
    shortId: idText.slice(0, 16),
    address: key.address,
    name: `node ${index}`,
    type,
    inbound: side.end.index > index,
    trusted: false,
    isStatic: false,
    owner: undefined,
    signal: side.gone.signal,
    version: side.end.protocol.version,
    info: () => ({ id: idText, name: `node ${index}`, caps: [], networks: [], protocols: {} }),
    disconnect: leave,
    time: side.end.time.open(),
    send(code, payload) {
      const message = { code, payload };
      if (side.gone.signal.aborted || other.outstanding >= MAX_OUTSTANDING) return false;
      side.end.onSend(message);
      other.outstanding++;
      const at = Math.max(other.lastMs[lane(message)] ?? 0, time.now + faults.delayMs());
      other.lastMs[lane(message)] = at;
      time.after(at - time.now, other.end.life, () => deliver(message));
      return true;
    },
    waitForRoom: () => room(MAX_OUTSTANDING * 0.75),
    waitForDrain: () => room(0),
    next,
    messages: {
      async *[Symbol.asyncIterator]() {
        for (let message = await next(); message; message = await next()) yield message;
      },
    },
  };
}

/** Peers of attackers: handshakes as any node makes them, each with a key of its own, then frames as the attack wants. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { BASE } from "../../node/p2p/base-messages.ts";
import { exchangeHello, exchangeKeys } from "../../node/p2p/handshake.ts";
import { nodeKeyOf } from "../../node/p2p/node-key.ts";
import { parseNodeUrl } from "../../node/p2p/node-url.ts";
import { P2P_TIMINGS } from "../../node/p2p/timings.ts";
import type { RlpxTransport } from "../../node/p2p/transport.ts";
import { MAX_PAYLOAD_BYTES } from "../../node/protocol/limits.ts";
import { PROTOCOL_NAME, VERSIONS } from "../../node/protocol/messages.ts";
import type { AttackTarget } from "./attack.ts";

/** The first code of the chain protocol on the wire. Attackers speak its newest version that the node has. */
export const FIRST_CODE = 16;
const PAUSE_MS = 100;
const FRAMES_A_WRITE = 500;
/** Bytes that wait in the attacker's own socket before it pauses. */
const MAX_UNWRITTEN = 8 * 2 ** 20;

/** Totals of all peers of an attack. */
export interface PeerTally {
  connections: number;
  /** Connections that the node ended or refused. */
  cut: number;
  messages: number;
}

/** A connected peer. */
export interface AttackPeer {
  readonly transport: RlpxTransport;
  /** Writes one frame for each call of `next`, until the node ends the connection. */
  flood(next: () => readonly [code: number, payload: Uint8Array]): Promise<void>;
}

/** Connects and says hello. Rejects when the node does not want it. */
export async function openPeer({ kni, peerPort }: AttackTarget, signal: AbortSignal): Promise<RlpxTransport> {
  const socket = connect({ host: "127.0.0.1", port: peerPort, noDelay: true, signal });
  socket.on("error", () => undefined);
  try {
    await once(socket, "connect");
    const nodeKey = nodeKeyOf(randomBytes(32));
    const self = {
      nodeKey,
      type: "en",
      random: (length: number) => randomBytes(length),
      timings: P2P_TIMINGS,
    } as const;
    const encrypted = await exchangeKeys(socket, self, parseNodeUrl(kni).id);
    const capabilities = VERSIONS.map(({ version }) => ({ name: PROTOCOL_NAME, version }));
    const { id } = nodeKey;
    const hello = { version: 5, name: "attacker", capabilities, listenPorts: [], id, multichannel: false };
    await exchangeHello(encrypted, hello, self);
    encrypted.transport.reader.deadline(undefined);
    return encrypted.transport;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Keeps `count` peers busy with `use` until the signal; whoever is cut off connects again as another node. */
export async function keepPeers(
  target: AttackTarget,
  signal: AbortSignal,
  { count, use }: { readonly count: number; readonly use: (peer: AttackPeer) => Promise<void> },
): Promise<Record<string, number>> {
  const tally: PeerTally = { connections: 0, cut: 0, messages: 0 };
  const keepOne = async (): Promise<void> => {
    while (!signal.aborted) {
      tally.connections++;
      const transport = await openPeer(target, signal).catch(() => undefined);
      if (transport !== undefined) await use(attackPeer(transport, tally)).catch(() => undefined);
      transport?.socket.destroy();
      if (!signal.aborted) tally.cut++;
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: count }, keepOne));
  return { ...tally };
}

/** Echoes the status that the node sends: from then on the peer is of its chain. */
export async function meetChain(transport: RlpxTransport): Promise<void> {
  for (;;) {
    const message = await transport.read(MAX_PAYLOAD_BYTES);
    if (message.code === BASE.disconnect) throw new Error("the node does not want this peer");
    if (message.code !== FIRST_CODE) continue;
    transport.write({ code: FIRST_CODE, payload: transport.unpack(message, MAX_PAYLOAD_BYTES) });
    return;
  }
}

async function drainOrClose(socket: Socket): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const either = [once(socket, "drain", { signal }), once(socket, "close", { signal })];
  await Promise.race(either).finally(() => over.abort());
}

function attackPeer(transport: RlpxTransport, tally: PeerTally): AttackPeer {
  const { socket } = transport;
  return {
    transport,
    async flood(next) {
      while (!socket.destroyed && socket.writable) {
        for (let i = 0; i < FRAMES_A_WRITE && socket.writableLength < MAX_UNWRITTEN; i++) {
          const [code, payload] = next();
          transport.write({ code, payload });
          tally.messages++;
        }
        if (socket.writableNeedDrain) await drainOrClose(socket);
        else await setTimeout(0);
      }
    },
  };
}

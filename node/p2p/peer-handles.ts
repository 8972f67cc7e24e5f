/** Handles of a session: one `Peer` for the whole node and one `ProtocolPeer` for each protocol. */
import { type NodeId, publicKeyOfNode } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import { addressOfPublicKey } from "../crypto/secp256k1.ts";
import type { TimeShare } from "../runtime/fair-time.ts";
import type { Hello } from "./base-messages.ts";
import { type MatchedProtocol, sortCapabilities } from "./capabilities.ts";
import type { Channel, Inbox, TrafficObserver } from "./channel.ts";
import type { DisconnectReason } from "./disconnect-reasons.ts";
import { P2pError } from "./error.ts";
import { MAX_CONTENT_BYTES } from "./frame.ts";
import type { NodeType } from "./node-type.ts";
import { hostAndPort } from "./node-url.ts";
import type { PeerOutbox } from "./outbox.ts";
import type { Peer, PeerInfo, Protocol, ProtocolMessage, ProtocolPeer } from "./protocol.ts";
import type { RlpxTransport } from "./transport.ts";

/** An admitted peer with its connections. */
export interface ConnectedPeer {
  /** Connections in order of ports; the first carries every lane without a connection of its own. */
  readonly transports: readonly RlpxTransport[];
  readonly remoteId: NodeId;
  readonly remoteType: NodeType;
  readonly hello: Hello;
  readonly inbound: boolean;
  readonly trusted: boolean;
  readonly isStatic: boolean;
  /** See `Peer`. */
  readonly owner: string | undefined;
  readonly protocols: readonly MatchedProtocol<Protocol>[];
}

/** Dependencies of the handles. */
export interface PeerHandleDeps {
  readonly connected: ConnectedPeer;
  readonly channels: readonly Channel[];
  /** One outbox for each connection, in order. */
  readonly outboxes: readonly PeerOutbox[];
  readonly time: TimeShare;
  readonly observer: TrafficObserver;
  readonly leave: (reason: DisconnectReason) => void;
  readonly signal: AbortSignal;
}

/** Handles of one session. */
export interface PeerHandles {
  readonly peer: Peer;
  protocolPeer(channel: Channel): ProtocolPeer;
}

/** Creates the handles of one session. */
export function createPeerHandles(deps: PeerHandleDeps): PeerHandles {
  const { connected, channels, signal, leave } = deps;
  const idText = bareHex(connected.remoteId);
  const networks = connected.transports.map((transport) => networkOf(transport, connected));
  const caps = sortCapabilities(connected.hello.capabilities).map(
    ({ name, version }) => `${name}/${version}`,
  );
  const peers = new Map<Channel, ProtocolPeer>();
  const info = (): PeerInfo => ({
    id: idText,
    name: connected.hello.name,
    caps,
    networks,
    protocols: Object.fromEntries(channels.map((channel) => [channel.protocol.name, describe(channel)])),
  });
  const describe = ({ protocol }: Channel): unknown => {
    const peer = [...peers].find(([channel]) => channel.protocol === protocol)?.[1];
    if (protocol.describe === undefined) return "unknown";
    return (peer && protocol.describe(peer)) ?? "handshake";
  };
  const peer: Peer = {
    id: connected.remoteId,
    idText,
    shortId: idText.slice(0, 16),
    address: addressOfPublicKey(publicKeyOfNode(connected.remoteId)),
    name: connected.hello.name,
    type: connected.remoteType,
    inbound: connected.inbound,
    trusted: connected.trusted,
    isStatic: connected.isStatic,
    owner: connected.owner,
    signal,
    info,
    disconnect: leave,
  };
  return {
    peer,
    protocolPeer(channel) {
      const handle: ProtocolPeer = { ...peer, ...messageExchange(deps, channel) };
      peers.set(channel, handle);
      return handle;
    },
  };
}

type MessageExchange = Pick<
  ProtocolPeer,
  "version" | "send" | "waitForRoom" | "waitForDrain" | "time" | "next" | "messages"
>;

function messageExchange(
  { outboxes, time, observer, signal }: PeerHandleDeps,
  channel: Channel,
): MessageExchange {
  const { protocol, offset, inboxes } = channel;
  return {
    version: protocol.version,
    send(code, payload) {
      if (code < 0 || code >= protocol.length || payload.length > MAX_CONTENT_BYTES)
        throw new P2pError(
          "bad-message",
          `${protocol.name}: cannot send ${payload.length} bytes as code ${code}`,
        );
      const outbox = outboxes[protocol.lane?.(code) ?? 0] ?? outboxes[0];
      const sent = outbox !== undefined && outbox.post({ code: offset + code, payload });
      if (sent) observer.message("out", protocol.name, { code, payload });
      return sent;
    },
    async waitForRoom() {
      for (const outbox of outboxes) await outbox.waitForRoom();
      return !signal.aborted;
    },
    async waitForDrain() {
      for (const outbox of outboxes) await outbox.waitForDrain();
      return !signal.aborted;
    },
    time,
    next: (lane = 0) => inboxes[lane].take(),
    messages: messagesOf(inboxes[0]),
  };
}

async function* messagesOf(inbox: Inbox): AsyncGenerator<ProtocolMessage, void> {
  for (let message = await inbox.take(); message !== undefined; message = await inbox.take()) yield message;
}

function networkOf(
  { socket }: RlpxTransport,
  { inbound, trusted, isStatic, remoteType }: ConnectedPeer,
): PeerInfo["networks"][number] {
  const { localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 } = socket;
  return {
    localAddress: hostAndPort(plainAddress(localAddress), localPort),
    remoteAddress: hostAndPort(plainAddress(remoteAddress), remotePort),
    inbound,
    trusted,
    static: isStatic,
    nodeType: remoteType,
  };
}

/** Formats an IPv4-mapped IPv6 address as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, "");
}

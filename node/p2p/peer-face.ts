/** What everyone, and what each protocol, sees of a session. */
import { bareHex } from "../bytes/hex.ts";
import { addressOfPublicKey } from "../crypto/secp256k1.ts";
import { sortCapabilities } from "./capabilities.ts";
import { P2pError } from "./error.ts";
import { MOST_CONTENT } from "./frame.ts";
import type { Inbox } from "./inbox.ts";
import { hostAndPort } from "./node-url.ts";
import type { Outbox } from "./outbox.ts";
import type { TimeShare } from "./peer-time.ts";
import type { Message, Peer, PeerInfo, ProtocolPeer } from "./protocol.ts";
import type { DisconnectReason } from "./reasons.ts";
import type { Channel, Connected, SessionWatch } from "./session.ts";
import type { Transport } from "./transport.ts";

/** The parts of a session that its faces need. */
export interface FaceParts {
  readonly connected: Connected;
  readonly channels: readonly Channel[];
  /** One for each connection, in their order. */
  readonly outboxes: readonly Outbox[];
  readonly time: TimeShare;
  readonly watch: SessionWatch;
  readonly leave: (reason: DisconnectReason) => void;
  readonly signal: AbortSignal;
}

/** The face of a session towards everyone, and one for each of its protocols. */
export interface PeerFace {
  readonly peer: Peer;
  protocolPeer(channel: Channel): ProtocolPeer;
}

/** Makes the faces of one session. */
export function createPeerFace(parts: FaceParts): PeerFace {
  const { connected, channels, signal, leave } = parts;
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
    address: addressOfPublicKey(connected.remoteId),
    name: connected.hello.name,
    type: connected.remoteType,
    inbound: connected.inbound,
    trusted: connected.trusted,
    signal,
    info,
    disconnect: leave,
  };
  return {
    peer,
    protocolPeer(channel) {
      const face: ProtocolPeer = { ...peer, ...exchange(parts, channel) };
      peers.set(channel, face);
      return face;
    },
  };
}

type Exchange = Pick<
  ProtocolPeer,
  "version" | "send" | "writable" | "drained" | "time" | "next" | "messages"
>;

function exchange({ outboxes, time, watch, signal }: FaceParts, channel: Channel): Exchange {
  const { protocol, offset, inboxes } = channel;
  return {
    version: protocol.version,
    send(code, payload) {
      if (code < 0 || code >= protocol.length || payload.length > MOST_CONTENT)
        throw new P2pError(
          "bad-message",
          `${protocol.name}: cannot send ${payload.length} bytes as code ${code}`,
        );
      const outbox = outboxes[protocol.lane?.(code) ?? 0] ?? outboxes[0];
      const sent = outbox !== undefined && outbox.post({ code: offset + code, payload });
      if (sent) watch.message("out", protocol.name, { code, payload });
      return sent;
    },
    async writable() {
      for (const outbox of outboxes) await outbox.room();
      return !signal.aborted;
    },
    async drained() {
      for (const outbox of outboxes) await outbox.drained();
      return !signal.aborted;
    },
    time,
    next: (lane = 0) => inboxes[lane].take(),
    messages: messagesOf(inboxes[0]),
  };
}

async function* messagesOf(inbox: Inbox): AsyncGenerator<Message, void> {
  for (let message = await inbox.take(); message !== undefined; message = await inbox.take()) yield message;
}

function networkOf(
  { socket }: Transport,
  { inbound, trusted, isStatic, remoteType }: Connected,
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

/** An IPv4 address that came through an IPv6 socket, as people write it. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, "");
}

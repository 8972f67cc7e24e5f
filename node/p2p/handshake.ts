/**
 * Handshakes before a session: Klaytn's connection-type byte both ways, RLPx auth and ack, then hello both
 * ways. Comes in: a connected socket. Goes out: an encrypted transport and the identity of the remote node.
 */

import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { NodeId } from "../bytes/brands.ts";
import { concatBytes, isZero } from "../bytes/compare.ts";
import { isPrivateKey } from "../crypto/secp256k1.ts";
import { type TimeShare, UNLIMITED_TIME } from "../runtime/fair-time.ts";
import {
  BASE,
  decodeDisconnect,
  decodeHello,
  encodeHello,
  type Hello,
  MAX_HELLO_BYTES,
} from "./base-messages.ts";
import { type ByteReader, openByteReader } from "./byte-reader.ts";
import { reasonText } from "./disconnect-reasons.ts";
import { P2pError } from "./error.ts";
import {
  ackFields,
  authFields,
  type HandshakeResult,
  MAX_BOX_BYTES,
  MIN_BOX_BYTES,
  openAck,
  openAuth,
  type PacketRandomness,
  sealPacket,
  sessionKeys,
} from "./handshake-packets.ts";
import type { NodeKey } from "./node-key.ts";
import { connectionByte, type NodeType, typeOfConnectionByte } from "./node-type.ts";
import type { P2pTimings } from "./timings.ts";
import { createTransport, type RlpxTransport } from "./transport.ts";

/** Identity of this node and dependencies of its handshakes. */
export interface HandshakeDeps {
  readonly nodeKey: NodeKey;
  readonly type: NodeType;
  readonly random: (length: number) => Uint8Array;
  readonly timings: P2pTimings;
  /** Time share of all handshakes together; unlimited by default. */
  readonly time?: TimeShare | undefined;
}

/** An encrypted connection before hello, and the node at its other end. */
export interface EncryptedConnection {
  readonly transport: RlpxTransport;
  readonly remoteId: NodeId;
  readonly remoteType: NodeType;
}

/**
 * Exchanges connection types and keys. `remoteId` is the dialled node, undefined for an inbound connection.
 * Rejects with `P2pError`; the caller closes the socket.
 */
export async function exchangeKeys(
  socket: Socket,
  self: HandshakeDeps,
  remoteId: NodeId | undefined,
): Promise<EncryptedConnection> {
  socket.setNoDelay(true);
  const reader = openByteReader(socket);
  reader.deadline(self.timings.handshakeMs);
  socket.write(Uint8Array.of(connectionByte(self.type)));
  const [byte = 0] = await reader.read(1);
  const wire = { socket, reader };
  const { end, id } =
    remoteId === undefined ? await respond(wire, self) : await initiate(wire, self, remoteId);
  const keys = await timeOf(self).run(() => sessionKeys(end));
  const transport = createTransport(socket, reader, keys);
  return { transport, remoteId: id, remoteType: typeOfConnectionByte(byte) };
}

interface Wire {
  readonly socket: Socket;
  readonly reader: ByteReader;
}

interface KeyExchange {
  readonly end: HandshakeResult;
  readonly id: NodeId;
}

async function initiate({ socket, reader }: Wire, self: HandshakeDeps, id: NodeId): Promise<KeyExchange> {
  await pause(self.timings.afterTypeByteMs);
  const side = { key: self.nodeKey.key, remoteId: id, ephemeralKey: randomKey(self), nonce: self.random(32) };
  const auth = await timeOf(self).run(() => sealPacket(authFields(side), id, packetRandomness(self)));
  socket.write(auth);
  const ack = await readPacket(reader);
  const opened = await timeOf(self).run(() => openAck(self.nodeKey.key, ack));
  const { nonce: respNonce, ephemeralId: remoteEphemeralId } = opened;
  const { ephemeralKey, nonce: initNonce } = side;
  return { id, end: { initiator: true, ephemeralKey, remoteEphemeralId, initNonce, respNonce, auth, ack } };
}

async function respond({ socket, reader }: Wire, self: HandshakeDeps): Promise<KeyExchange> {
  const auth = await readPacket(reader);
  const opened = await timeOf(self).run(() => openAuth(self.nodeKey.key, auth));
  const { remoteId, nonce: initNonce, ephemeralId } = opened;
  const side = { key: self.nodeKey.key, remoteId, ephemeralKey: randomKey(self), nonce: self.random(32) };
  const ack = await timeOf(self).run(() => sealPacket(ackFields(side), remoteId, packetRandomness(self)));
  socket.write(ack);
  const { ephemeralKey, nonce: respNonce } = side;
  const end = {
    initiator: false,
    ephemeralKey,
    remoteEphemeralId: ephemeralId,
    initNonce,
    respNonce,
    auth,
    ack,
  };
  return { id: remoteId, end };
}

function timeOf({ time = UNLIMITED_TIME }: HandshakeDeps): TimeShare {
  return time;
}

async function readPacket(reader: ByteReader): Promise<Uint8Array> {
  const size = await reader.read(2);
  const length = (size[0] as number) * 256 + (size[1] as number); // two bytes were read
  if (length < MIN_BOX_BYTES || length > MAX_BOX_BYTES)
    throw new P2pError("bad-handshake", `handshake: packet of ${length} bytes`);
  return concatBytes(size, await reader.read(length));
}

function packetRandomness(self: HandshakeDeps): PacketRandomness {
  const [byte = 0] = self.random(1);
  return { boxKey: randomKey(self), iv: self.random(16), padding: 100 + (byte % 100) };
}

function randomKey({ random }: HandshakeDeps): Uint8Array {
  for (;;) {
    const key = random(32);
    if (isPrivateKey(key)) return key;
  }
}

/**
 * Exchanges hello messages, and starts Snappy compression when the remote node supports it. Rejects with
 * `P2pError`.
 */
export async function exchangeHello(
  { transport, remoteId }: EncryptedConnection,
  own: Hello,
  { timings, time = UNLIMITED_TIME }: Pick<HandshakeDeps, "timings" | "time">,
): Promise<Hello> {
  transport.write({ code: BASE.hello, payload: encodeHello(own) });
  transport.reader.deadline(timings.helloMs);
  const message = await transport.read(MAX_HELLO_BYTES, { time });
  if (message.code === BASE.disconnect) {
    const { code } = decodeDisconnect(message.payload);
    throw new P2pError("disconnected", `disconnected by the peer: ${reasonText(code)}`);
  }
  if (message.code !== BASE.hello)
    throw new P2pError("bad-message", `message ${message.code} before hello`, { reason: "protocol-error" });
  const hello = decodeHello(message.payload);
  if (isZero(hello.id))
    throw new P2pError("bad-message", "hello without a node id", { reason: "invalid-identity" });
  if (Buffer.compare(hello.id, remoteId) !== 0)
    throw new P2pError("bad-message", "hello with another node id", { reason: "unexpected-identity" });
  if (hello.version >= 5) transport.startSnappy();
  return hello;
}

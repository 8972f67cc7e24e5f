/**
 * The steps before a session: connection-type byte both ways, auth and ack, then hello both ways. Comes in: a
 * connected socket. Goes out: an encrypted transport and who is at the other end.
 */
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { concatBytes, isZero } from "../bytes/compare.ts";
import { isPrivateKey } from "../crypto/secp256k1.ts";
import { BASE, decodeDisconnect, decodeHello, encodeHello, type Hello, MOST_HELLO } from "./base-messages.ts";
import { type ByteReader, openByteReader } from "./byte-reader.ts";
import { P2pError } from "./error.ts";
import {
  ackFields,
  authFields,
  type HandshakeEnd,
  LEAST_PACKET,
  MOST_PACKET,
  openAck,
  openAuth,
  type PacketChance,
  sealPacket,
  sessionKeys,
} from "./handshake-packets.ts";
import type { NodeKey } from "./node-key.ts";
import { connectionByte, type NodeType, typeOfConnectionByte } from "./node-type.ts";
import { type TimeShare, UNLIMITED_TIME } from "./peer-time.ts";
import { reasonText } from "./reasons.ts";
import type { P2pTimings } from "./timings.ts";
import { createTransport, type Transport } from "./transport.ts";

/** What a node says of itself, and where its chance comes from. */
export interface HandshakeSelf {
  readonly nodeKey: NodeKey;
  readonly type: NodeType;
  readonly random: (length: number) => Uint8Array;
  readonly timings: P2pTimings;
  /** Time for all handshakes together; without a limit when left out. */
  readonly time?: TimeShare | undefined;
}

/** An encrypted connection and the node at its end, before hello. */
export interface Encrypted {
  readonly transport: Transport;
  readonly remoteId: Uint8Array;
  readonly remoteType: NodeType;
}

/**
 * Exchanges types and keys; `remoteId` is the node that was dialled, undefined when it came to us. Rejects with
 * `P2pError`; the caller closes the socket.
 */
export async function encrypt(
  socket: Socket,
  self: HandshakeSelf,
  remoteId: Uint8Array | undefined,
): Promise<Encrypted> {
  socket.setNoDelay(true);
  const reader = openByteReader(socket);
  reader.deadline(self.timings.handshakeMs);
  socket.write(Uint8Array.of(connectionByte(self.type)));
  const [byte = 0] = await reader.read(1);
  const wire = { socket, reader };
  const { end, id } = remoteId === undefined ? await answer(wire, self) : await begin(wire, self, remoteId);
  const keys = await timeOf(self).run(() => sessionKeys(end));
  const transport = createTransport(socket, reader, keys);
  return { transport, remoteId: id, remoteType: typeOfConnectionByte(byte) };
}

interface Wire {
  readonly socket: Socket;
  readonly reader: ByteReader;
}

interface Outcome {
  readonly end: HandshakeEnd;
  readonly id: Uint8Array;
}

async function begin({ socket, reader }: Wire, self: HandshakeSelf, id: Uint8Array): Promise<Outcome> {
  await pause(self.timings.afterTypeByteMs);
  const side = { key: self.nodeKey.key, remoteId: id, ephemeralKey: randomKey(self), nonce: self.random(32) };
  const auth = await timeOf(self).run(() => sealPacket(authFields(side), id, packetChance(self)));
  socket.write(auth);
  const ack = await readPacket(reader);
  const opened = await timeOf(self).run(() => openAck(self.nodeKey.key, ack));
  const { nonce: respNonce, ephemeralId: remoteEphemeralId } = opened;
  const { ephemeralKey, nonce: initNonce } = side;
  return { id, end: { initiator: true, ephemeralKey, remoteEphemeralId, initNonce, respNonce, auth, ack } };
}

async function answer({ socket, reader }: Wire, self: HandshakeSelf): Promise<Outcome> {
  const auth = await readPacket(reader);
  const opened = await timeOf(self).run(() => openAuth(self.nodeKey.key, auth));
  const { remoteId, nonce: initNonce, ephemeralId } = opened;
  const side = { key: self.nodeKey.key, remoteId, ephemeralKey: randomKey(self), nonce: self.random(32) };
  const ack = await timeOf(self).run(() => sealPacket(ackFields(side), remoteId, packetChance(self)));
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

function timeOf({ time = UNLIMITED_TIME }: HandshakeSelf): TimeShare {
  return time;
}

async function readPacket(reader: ByteReader): Promise<Uint8Array> {
  const size = await reader.read(2);
  const length = (size[0] as number) * 256 + (size[1] as number); // two bytes were read
  if (length < LEAST_PACKET || length > MOST_PACKET)
    throw new P2pError("bad-handshake", `handshake: a packet of ${length} bytes`);
  return concatBytes(size, await reader.read(length));
}

function packetChance(self: HandshakeSelf): PacketChance {
  const [chance = 0] = self.random(1);
  return { boxKey: randomKey(self), iv: self.random(16), padding: 100 + (chance % 100) };
}

function randomKey({ random }: HandshakeSelf): Uint8Array {
  for (;;) {
    const key = random(32);
    if (isPrivateKey(key)) return key;
  }
}

/** Exchanges hello messages and starts snappy when the other side has it. Rejects with `P2pError`. */
export async function exchangeHello(
  { transport, remoteId }: Encrypted,
  own: Hello,
  { timings, time = UNLIMITED_TIME }: Pick<HandshakeSelf, "timings" | "time">,
): Promise<Hello> {
  transport.write({ code: BASE.hello, payload: encodeHello(own) });
  transport.reader.deadline(timings.helloMs);
  const message = await transport.read(MOST_HELLO, { time });
  if (message.code === BASE.disconnect) {
    const { code } = decodeDisconnect(message.payload);
    throw new P2pError("disconnected", `the peer said: ${reasonText(code)}`);
  }
  if (message.code !== BASE.hello)
    throw new P2pError("bad-message", `message ${message.code} before hello`, { reason: "protocol-error" });
  const hello = decodeHello(message.payload);
  if (isZero(hello.id))
    throw new P2pError("bad-message", "hello without an identity", { reason: "invalid-identity" });
  if (Buffer.compare(hello.id, remoteId) !== 0)
    throw new P2pError("bad-message", "hello of another node", { reason: "unexpected-identity" });
  if (hello.version >= 5) transport.startSnappy();
  return hello;
}

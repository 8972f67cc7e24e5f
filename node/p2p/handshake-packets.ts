/**
 * The two packets that begin a connection (EIP-8 form of the RLPx handshake) and the secrets they lead to.
 * Pure: keys, nonces and padding come from outside. `initiator` is who dialled, `recipient` who answered.
 */
import { concatBytes } from "../bytes/compare.ts";
import { fixedBytes, integerBytes } from "../bytes/integer.ts";
import { encodeRlp, itemAt, listItems, stringBytes } from "../bytes/rlp.ts";
import { BOX_OVERHEAD, openBox, sealBox } from "../crypto/ecies.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { createRunningKeccak, type RunningKeccak } from "../crypto/running-keccak.ts";
import { ecdh, publicKeyOf, recover, sign } from "../crypto/secp256k1.ts";
import { P2pError } from "./error.ts";
import type { FrameKeys } from "./frame.ts";

/** Chance that seals one packet: a key (32 bytes), an initialisation vector (16), 100 to 199 bytes of padding. */
export interface PacketChance {
  readonly boxKey: Uint8Array;
  readonly iv: Uint8Array;
  readonly padding: number;
}

/** One side's own part of a handshake: secrets used once, and the other node's id. */
export interface HandshakeSide {
  /** The node's own key. */
  readonly key: Uint8Array;
  readonly remoteId: Uint8Array;
  readonly ephemeralKey: Uint8Array;
  /** 32 bytes. */
  readonly nonce: Uint8Array;
}

/** What an auth packet says. */
export interface Auth {
  readonly remoteId: Uint8Array;
  readonly nonce: Uint8Array;
  /** The initiator's ephemeral public key, recovered from its signature. */
  readonly ephemeralId: Uint8Array;
}

/** What an ack packet says. */
export interface Ack {
  readonly nonce: Uint8Array;
  readonly ephemeralId: Uint8Array;
}

/** A packet is a two-byte size and a box of that size; these are the sizes that can be right. */
export const LEAST_PACKET = BOX_OVERHEAD;
/** Far above what any client pads to. */
export const MOST_PACKET = 2048;

const VERSION = 4;

/** The fields of the auth packet. */
export function authFields(side: HandshakeSide): Uint8Array[] {
  const signature = sign(authDigest(side.key, side.remoteId, side.nonce), side.ephemeralKey);
  return [signature, publicKeyOf(side.key), side.nonce, integerBytes(VERSION)];
}

/** The fields of the ack packet. */
export function ackFields({ ephemeralKey, nonce }: HandshakeSide): Uint8Array[] {
  return [publicKeyOf(ephemeralKey), nonce, integerBytes(VERSION)];
}

/** Seals the fields of a packet for `remoteId`. */
export function sealPacket(
  fields: readonly Uint8Array[],
  remoteId: Uint8Array,
  chance: PacketChance,
): Uint8Array {
  const message = concatBytes(encodeRlp(fields), new Uint8Array(chance.padding));
  const prefix = fixedBytes(message.length + BOX_OVERHEAD, 2);
  const box = sealBox({ message, prefix, to: remoteId, ephemeralKey: chance.boxKey, iv: chance.iv });
  return concatBytes(prefix, box);
}

/** Opens an auth packet, size included. Throws `P2pError` `bad-handshake`. */
export function openAuth(key: Uint8Array, packet: Uint8Array): Auth {
  const [signature, remoteId, nonce] = openPacket(key, packet, [65, 64, 32]);
  if (signature === undefined || remoteId === undefined || nonce === undefined) throw bad("auth is short");
  const ephemeralId = recover(authDigest(key, remoteId, nonce), signature);
  if (ephemeralId === undefined) throw bad("auth is not signed");
  return { remoteId, nonce, ephemeralId };
}

/** Opens an ack packet, size included. Throws `P2pError` `bad-handshake`. */
export function openAck(key: Uint8Array, packet: Uint8Array): Ack {
  const [ephemeralId, nonce] = openPacket(key, packet, [64, 32]);
  if (ephemeralId === undefined || nonce === undefined) throw bad("ack is short");
  return { ephemeralId, nonce };
}

/** The first fields of a packet's list, each of its length; later ones and what follows the list are ignored. */
function openPacket(key: Uint8Array, packet: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const message = openBox(key, packet.subarray(2), packet.subarray(0, 2));
  if (message === undefined) throw bad("a packet that this node's key does not open");
  let fields: Uint8Array[];
  try {
    fields = listItems(itemAt(message, 0)).slice(0, lengths.length).map(stringBytes);
  } catch (cause) {
    throw new P2pError("bad-handshake", "handshake: a packet that is no list", { cause });
  }
  if (!lengths.every((length, index) => fields[index]?.length === length)) throw bad("fields of wrong sizes");
  return fields;
}

/** What the initiator signs: the secret of both node keys, mixed with its nonce. */
function authDigest(key: Uint8Array, remoteId: Uint8Array, nonce: Uint8Array): Uint8Array {
  return mix(sharedSecret(key, remoteId), nonce);
}

function sharedSecret(key: Uint8Array, id: Uint8Array): Uint8Array {
  const shared = ecdh(key, id);
  if (shared === undefined) throw bad("a key that is not on the curve");
  return shared;
}

function mix(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, index) => byte ^ (b[index] as number)); // both have 32 bytes
}

/** What both sides hold after the two packets. */
export interface HandshakeEnd {
  readonly initiator: boolean;
  readonly ephemeralKey: Uint8Array;
  readonly remoteEphemeralId: Uint8Array;
  readonly initNonce: Uint8Array;
  readonly respNonce: Uint8Array;
  readonly auth: Uint8Array;
  readonly ack: Uint8Array;
}

/** The keys of both directions. Throws `P2pError` `bad-handshake` for an ephemeral key off the curve. */
export function sessionKeys(end: HandshakeEnd): { egress: FrameKeys; ingress: FrameKeys } {
  const secret = sharedSecret(end.ephemeralKey, end.remoteEphemeralId);
  const shared = keccak256(concatBytes(secret, keccak256(concatBytes(end.respNonce, end.initNonce))));
  const aes = keccak256(concatBytes(secret, shared));
  const mac = keccak256(concatBytes(secret, aes));
  const initiator = { aes, mac, hash: hashOf(mix(mac, end.respNonce), end.auth) };
  const recipient = { aes, mac, hash: hashOf(mix(mac, end.initNonce), end.ack) };
  return end.initiator
    ? { egress: initiator, ingress: recipient }
    : { egress: recipient, ingress: initiator };
}

function hashOf(...parts: readonly Uint8Array[]): RunningKeccak {
  const hash = createRunningKeccak();
  for (const part of parts) hash.update(part);
  return hash;
}

function bad(what: string): P2pError {
  return new P2pError("bad-handshake", `handshake: ${what}`);
}

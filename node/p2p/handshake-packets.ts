/**
 * Auth and ack packets of the RLPx handshake in their EIP-8 form, and the secrets derived from them (devp2p
 * RLPx specification, initial handshake). Pure: keys, nonces and padding are inputs. The initiator dialled,
 * the recipient accepted.
 */
import { type NodeId, type PublicKey, publicKeyOfNode } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { fixedBytes, integerBytes } from "../bytes/integer.ts";
import { encodeRlp, itemAt, listItems, stringBytes } from "../bytes/rlp.ts";
import { BOX_OVERHEAD, openBox, sealBox } from "../crypto/ecies.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { createRunningKeccak, type RunningKeccak } from "../crypto/running-keccak.ts";
import { ecdh, publicKeyOf, recover, sign } from "../crypto/secp256k1.ts";
import { P2pError } from "./error.ts";
import type { FrameKeys } from "./frame.ts";

/**
 * Random inputs of one packet: a key of 32 bytes, an initialisation vector of 16 bytes, and a padding length
 * of 100 to 199.
 */
export interface PacketRandomness {
  readonly boxKey: Uint8Array;
  readonly iv: Uint8Array;
  readonly padding: number;
}

/** Secrets of one side and the id of the other node. */
export interface HandshakeSide {
  /** Private key of the node. */
  readonly key: Uint8Array;
  readonly remoteId: NodeId;
  readonly ephemeralKey: Uint8Array;
  /** 32 bytes. */
  readonly nonce: Uint8Array;
}

/** Content of an auth packet. */
export interface Auth {
  readonly remoteId: NodeId;
  readonly nonce: Uint8Array;
  /** Ephemeral public key of the initiator, recovered from its signature. */
  readonly ephemeralId: PublicKey;
}

/** Content of an ack packet. */
export interface Ack {
  readonly nonce: Uint8Array;
  readonly ephemeralId: PublicKey;
}

/** Minimum size of the ECIES box that follows the two-byte size prefix. */
export const MIN_BOX_BYTES = BOX_OVERHEAD;
/** Maximum size of the box, far above the padding of any client. */
export const MAX_BOX_BYTES = 2048;

const VERSION = 4;

/** Returns the fields of an auth packet. */
export function authFields(side: HandshakeSide): Uint8Array[] {
  const signature = sign(authDigest(side.key, side.remoteId, side.nonce), side.ephemeralKey);
  return [signature, publicKeyOf(side.key), side.nonce, integerBytes(VERSION)];
}

/** Returns the fields of an ack packet. */
export function ackFields({ ephemeralKey, nonce }: HandshakeSide): Uint8Array[] {
  return [publicKeyOf(ephemeralKey), nonce, integerBytes(VERSION)];
}

/** Encrypts the fields of a packet for `remoteId`. */
export function sealPacket(
  fields: readonly Uint8Array[],
  remoteId: NodeId,
  randomness: PacketRandomness,
): Uint8Array {
  const message = concatBytes(encodeRlp(fields), new Uint8Array(randomness.padding));
  const prefix = fixedBytes(message.length + BOX_OVERHEAD, 2);
  const box = sealBox({
    message,
    prefix,
    to: publicKeyOfNode(remoteId),
    ephemeralKey: randomness.boxKey,
    iv: randomness.iv,
  });
  return concatBytes(prefix, box);
}

/** Decrypts an auth packet, size prefix included. Throws `P2pError` `bad-handshake`. */
export function openAuth(key: Uint8Array, packet: Uint8Array): Auth {
  const [signature, remoteId, nonce] = openPacket(key, packet, [65, 64, 32]);
  if (signature === undefined || remoteId === undefined || nonce === undefined)
    throw badHandshake("auth is too short");
  const ephemeralId = recover(authDigest(key, remoteId, nonce), signature);
  if (ephemeralId === undefined) throw badHandshake("auth is not signed");
  return { remoteId, nonce, ephemeralId };
}

/** Decrypts an ack packet, size prefix included. Throws `P2pError` `bad-handshake`. */
export function openAck(key: Uint8Array, packet: Uint8Array): Ack {
  const [ephemeralId, nonce] = openPacket(key, packet, [64, 32]);
  if (ephemeralId === undefined || nonce === undefined) throw badHandshake("ack is too short");
  return { ephemeralId, nonce };
}

/**
 * Decrypts a packet and returns its first fields, each of the given length. Additional fields and padding are
 * ignored.
 */
function openPacket(key: Uint8Array, packet: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const message = openBox(key, packet.subarray(2), packet.subarray(0, 2));
  if (message === undefined) throw badHandshake("the packet cannot be decrypted with this node's key");
  let fields: Uint8Array[];
  try {
    fields = listItems(itemAt(message, 0)).slice(0, lengths.length).map(stringBytes);
  } catch (cause) {
    throw new P2pError("bad-handshake", "handshake: the packet is not a list", { cause });
  }
  if (!lengths.every((length, index) => fields[index]?.length === length))
    throw badHandshake("fields with wrong sizes");
  return fields;
}

/** Returns the digest that the initiator signs: the static shared secret XOR its nonce. */
function authDigest(key: Uint8Array, remoteId: NodeId, nonce: Uint8Array): Uint8Array {
  return xor(sharedSecret(key, publicKeyOfNode(remoteId)), nonce);
}

function sharedSecret(key: Uint8Array, publicKey: PublicKey): Uint8Array {
  const shared = ecdh(key, publicKey);
  if (shared === undefined) throw badHandshake("a key that is not on the curve");
  return shared;
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, index) => byte ^ (b[index] as number)); // both have 32 bytes
}

/** Values that both sides hold after auth and ack. */
export interface HandshakeResult {
  readonly initiator: boolean;
  readonly ephemeralKey: Uint8Array;
  readonly remoteEphemeralId: PublicKey;
  readonly initNonce: Uint8Array;
  readonly respNonce: Uint8Array;
  readonly auth: Uint8Array;
  readonly ack: Uint8Array;
}

/**
 * Derives the secrets of both directions. Throws `P2pError` `bad-handshake` for an ephemeral key off the
 * curve.
 */
export function sessionKeys(end: HandshakeResult): { egress: FrameKeys; ingress: FrameKeys } {
  const secret = sharedSecret(end.ephemeralKey, end.remoteEphemeralId);
  const shared = keccak256(concatBytes(secret, keccak256(concatBytes(end.respNonce, end.initNonce))));
  const aes = keccak256(concatBytes(secret, shared));
  const mac = keccak256(concatBytes(secret, aes));
  const initiator = { aes, mac, hash: hashOf(xor(mac, end.respNonce), end.auth) };
  const recipient = { aes, mac, hash: hashOf(xor(mac, end.initNonce), end.ack) };
  return end.initiator
    ? { egress: initiator, ingress: recipient }
    : { egress: recipient, ingress: initiator };
}

function hashOf(...parts: readonly Uint8Array[]): RunningKeccak {
  const hash = createRunningKeccak();
  for (const part of parts) hash.update(part);
  return hash;
}

function badHandshake(what: string): P2pError {
  return new P2pError("bad-handshake", `handshake: ${what}`);
}

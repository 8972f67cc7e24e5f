/**
 * Node identity: a secp256k1 key, stored as 64 hex digits in a file of mode 0600. The public key is the node
 * id, its address identifies a validator. The address is also stored beside a generated key, because the key
 * file has no checksum and a flipped bit would give another identity.
 */

import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Address, type NodeId, nodeIdOf } from "../bytes/brands.ts";
import { bareHex, fromBareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { addressOfPublicKey, isPrivateKey, publicKeyOf } from "../crypto/secp256k1.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { writeSynced } from "../runtime/synced-file.ts";

/** Maximum bytes of a key file. */
const MAX_BYTES = 4096;

/** Error of a missing, unreadable or invalid node key. */
export class NodeKeyError extends Error {
  override readonly name = "NodeKeyError";
  readonly code = "bad-node-key";
}

/** Identity of a node. */
export interface NodeKey {
  /** Private key, 32 bytes. */
  readonly key: Uint8Array;
  /** Public key without its prefix byte, 64 bytes. */
  readonly id: NodeId;
  /** Address of the public key, 20 bytes. */
  readonly address: Address;
}

const DIGITS = 64;

/** Derives the identity of a private key. Throws `NodeKeyError` for an invalid one. */
export function nodeKeyOf(key: Uint8Array): NodeKey {
  if (!isPrivateKey(key)) throw new NodeKeyError("the node key is not a private key of secp256k1");
  const publicKey = publicKeyOf(key);
  return { key, id: nodeIdOf(publicKey), address: addressOfPublicKey(publicKey) };
}

/** Reads the key file of a data directory, or generates a key and writes it. Throws as `readNodeKey`. */
export async function loadNodeKey(path: string): Promise<NodeKey> {
  return (await nodeKeyIn(path)) ?? createNodeKey(path);
}

/**
 * Reads a key file named by the operator, as `crypto.LoadECDSA` of the Go node. Throws `NodeKeyError` when
 * the file is missing or holds no key.
 */
export async function readNodeKey(path: string): Promise<NodeKey> {
  const key = await nodeKeyIn(path);
  if (key !== undefined) return key;
  const advice = "name an existing file, or make one with `knit bootnode --genkey FILE`";
  throw new NodeKeyError(`Option "nodekey": open ${path}: no such file or directory; ${advice}`);
}

/** Reads the key of a file. Returns undefined when the file does not exist. */
async function nodeKeyIn(path: string): Promise<NodeKey | undefined> {
  let text: string;
  try {
    text = await readBoundedText(path, MAX_BYTES);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new NodeKeyError(`cannot read the node key ${path}: ${messageOf(cause)}`, { cause });
  }
  const digits = text.slice(0, DIGITS);
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) {
    throw new NodeKeyError(`${path} does not begin with ${DIGITS} hex digits`);
  }
  const key = nodeKeyOf(fromBareHex(digits));
  await checkAddress(path, key);
  return key;
}

async function checkAddress(path: string, { address }: NodeKey): Promise<void> {
  const recorded = await readBoundedText(addressPath(path), MAX_BYTES).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined; // a key that was not generated here
      throw new NodeKeyError(`cannot read ${addressPath(path)}`, { cause: error });
    },
  );
  if (recorded === undefined || recorded === bareHex(address)) return;
  const advice = `put the right key there, or remove ${addressPath(path)} if the key was changed on purpose`;
  throw new NodeKeyError(`${path} is the key of ${bareHex(address)}, it was made for ${recorded}: ${advice}`);
}

function addressPath(path: string): string {
  return `${path}.address`;
}

async function createNodeKey(path: string): Promise<NodeKey> {
  let key = randomBytes(32);
  while (!isPrivateKey(key)) key = randomBytes(32);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const made = nodeKeyOf(key);
  await writeWhole(addressPath(path), bareHex(made.address));
  await writeWhole(path, bareHex(key));
  return made;
}

async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeSynced(draft, text);
  await rename(draft, path);
}

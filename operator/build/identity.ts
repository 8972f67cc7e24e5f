/** A node's identity, from its private key: the id that peers know it by and the address that validators do. */
import { createECDH } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { NodeType } from "../api/node-types.ts";

/** Who a node is. */
export interface Identity {
  /** 128 hex digits: the public key, x then y. */
  readonly id: string;
  /** `0x` and 40 hex digits. */
  readonly address: string;
}

/** A random private key, 64 hex digits. */
export function randomKey(): string {
  const pair = createECDH("secp256k1");
  pair.generateKeys();
  return pair.getPrivateKey("hex").padStart(64, "0");
}

/** A public key takes milliseconds, and the same keys are looked at again and again. */
const known = new Map<string, Identity | undefined>();
const MOST_KNOWN = 4_096;

/** The identity of a private key; undefined when the text does not begin with one. */
export function identityOf(text: string): Identity | undefined {
  const digits = text.slice(0, 64);
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) return undefined;
  if (!known.has(digits)) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(digits, madeIdentity(digits));
  }
  return known.get(digits);
}

function madeIdentity(digits: string): Identity | undefined {
  const pair = createECDH("secp256k1");
  try {
    pair.setPrivateKey(digits, "hex");
  } catch {
    return undefined;
  }
  const id = pair.getPublicKey().subarray(1).toString("hex");
  return { id, address: addressOfId(id) };
}

/** The address of a node id. */
export function addressOfId(id: string): string {
  const hash = keccak_256(Buffer.from(id, "hex"));
  return `0x${Buffer.from(hash.subarray(12)).toString("hex")}`;
}

const SHORT: Readonly<Record<NodeType, string>> = { core: "cn", proxy: "pn", endpoint: "en" };

/** The URL under which peers reach a node; there is no discovery port. */
export function nodeUrl({ id }: Identity, host: string, port: number, type: NodeType): string {
  return `kni://${id}@${host.includes(":") ? `[${host}]` : host}:${port}?discport=0&ntype=${SHORT[type]}`;
}

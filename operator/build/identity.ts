/** The identity of a node, derived from its private key: node id, address and kni URL. */
import { createECDH } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { NodeType } from "../api/node-types.ts";

/** Identity of a node. */
export interface Identity {
  /** 128 hex digits: the public key, x then y. */
  readonly id: string;
  /** `0x` and 40 hex digits. */
  readonly address: string;
}

/** Creates a random private key of 64 hex digits. */
export function randomKey(): string {
  const pair = createECDH("secp256k1");
  pair.generateKeys();
  return pair.getPrivateKey("hex").padStart(64, "0");
}

/** Identities by private key. Deriving a public key takes milliseconds. */
const cache = new Map<string, Identity | undefined>();
const MAX_CACHED = 4_096;

/** Derives the identity of a private key; undefined when the text does not begin with one. */
export function identityOf(text: string): Identity | undefined {
  const digits = text.slice(0, 64);
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) return undefined;
  if (!cache.has(digits)) {
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(digits, deriveIdentity(digits));
  }
  return cache.get(digits);
}

function deriveIdentity(digits: string): Identity | undefined {
  const pair = createECDH("secp256k1");
  try {
    pair.setPrivateKey(digits, "hex");
  } catch {
    return undefined;
  }
  const id = pair.getPublicKey().subarray(1).toString("hex");
  return { id, address: addressOfId(id) };
}

/** Derives the address from a node id. */
export function addressOfId(id: string): string {
  const hash = keccak_256(Buffer.from(id, "hex"));
  return `0x${Buffer.from(hash.subarray(12)).toString("hex")}`;
}

const SHORT: Readonly<Record<NodeType, string>> = { core: "cn", proxy: "pn", endpoint: "en" };

/** Formats the kni URL of a node without a discovery port. */
export function nodeUrl({ id }: Identity, host: string, port: number, type: NodeType): string {
  return `kni://${id}@${host.includes(":") ? `[${host}]` : host}:${port}?discport=0&ntype=${SHORT[type]}`;
}

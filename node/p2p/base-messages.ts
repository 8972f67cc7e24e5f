/**
 * Messages of the base protocol (codes 0 to 15), which every connection has. They follow the devp2p RLPx
 * specification with two differences of networks/p2p/peer.go@v2.2.2: hello lists several ports and a
 * multichannel flag, and a disconnect reason comes bare or in a list.
 */
import type { NodeId } from "../bytes/brands.ts";
import { integerBytes } from "../bytes/integer.ts";
import { decodeRlp, encodeRlp, itemInteger, listItems, type RlpItem, stringBytes } from "../bytes/rlp.ts";
import { P2pError } from "./error.ts";

/** Message codes of the base protocol. */
export const BASE = { hello: 0, disconnect: 1, ping: 2, pong: 3 } as const;
/** First message code that is available to subprotocols. */
export const BASE_LENGTH = 16;
/** Maximum size of a hello payload, in bytes. */
export const MAX_HELLO_BYTES = 2048;
/** Maximum size of any other base payload, in bytes. Every known one has a few bytes. */
export const MAX_BASE_BYTES = 2048;
/** Payload of ping and pong: an empty list. */
export const EMPTY_LIST: Uint8Array = Uint8Array.of(0xc0);

/** Name and version of a protocol that a node speaks. */
export interface Capability {
  readonly name: string;
  readonly version: number;
}

/** Hello, the first message of each side. */
export interface Hello {
  /**
   * Version of the base protocol. From version 5 on, messages after hello are compressed with Snappy
   * (EIP-706).
   */
  readonly version: number;
  readonly name: string;
  readonly capabilities: readonly Capability[];
  /** TCP ports of a multichannel node. Empty for a node with a single connection. */
  readonly listenPorts: readonly number[];
  /** Node id, 64 bytes. */
  readonly id: NodeId;
  readonly multichannel: boolean;
}

const TRUE = Uint8Array.of(1);
const FALSE = new Uint8Array(0);

/** Encodes the payload of a hello. */
export function encodeHello({
  version,
  name,
  capabilities,
  listenPorts,
  id,
  multichannel,
}: Hello): Uint8Array {
  return encodeRlp([
    integerBytes(version),
    Buffer.from(name),
    capabilities.map((row) => [Buffer.from(row.name), integerBytes(row.version)]),
    listenPorts.map(integerBytes),
    id,
    multichannel ? TRUE : FALSE,
  ]);
}

/** Decodes a hello. Elements after the sixth are ignored, as EIP-8 asks. Throws `P2pError` `bad-message`. */
export function decodeHello(payload: Uint8Array): Hello {
  if (payload.length > MAX_HELLO_BYTES)
    throw new P2pError("too-large", `hello of ${payload.length} bytes`, { reason: "protocol-error" });
  try {
    const [version, name, capabilities, ports, id, multichannel] = fields(decodeRlp(payload), 6);
    return {
      version: Number(itemInteger(version, 4)),
      name: Buffer.from(stringBytes(name)).toString(),
      capabilities: listItems(capabilities).map(readCapability),
      listenPorts: listItems(ports).map((port) => Number(itemInteger(port, 8))),
      id: checkNodeId(stringBytes(id)),
      multichannel: readBoolean(multichannel),
    };
  } catch (cause) {
    throw unreadable("hello", cause);
  }
}

function readCapability(item: RlpItem): Capability {
  const [name, version] = fields(item, 2);
  return { name: Buffer.from(stringBytes(name)).toString(), version: Number(itemInteger(version, 4)) };
}

/** Returns the items of a list. Throws when it has fewer than `count`. */
function fields(item: RlpItem, count: 2): [RlpItem, RlpItem];
function fields(item: RlpItem, count: 6): [RlpItem, RlpItem, RlpItem, RlpItem, RlpItem, RlpItem];
function fields(item: RlpItem, count: number): RlpItem[] {
  const items = listItems(item);
  if (items.length < count) throw new Error(`${items.length} elements instead of at least ${count}`);
  return items;
}

function checkNodeId(bytes: Uint8Array): NodeId {
  if (bytes.length !== 64) throw new Error(`a node id of ${bytes.length} bytes`);
  return bytes;
}

function readBoolean(item: RlpItem): boolean {
  const value = itemInteger(item, 1);
  if (value > 1n) throw new Error("a boolean that is neither 0 nor 1");
  return value === 1n;
}

/** A disconnect reason: its code and its wire form. */
export interface Disconnect {
  readonly code: number;
  readonly form: "bare" | "list";
}

/**
 * Encodes the payload of a disconnect. The Go node reads the `bare` form before hello and the `list` form
 * after it.
 */
export function encodeDisconnect({ code, form }: Disconnect): Uint8Array {
  if (form === "list") return encodeRlp([integerBytes(code)]);
  return code === 0 ? Uint8Array.of(0) : encodeRlp(integerBytes(code));
}

/** Decodes a disconnect reason in either form. An unreadable one counts as code 0. Never throws. */
export function decodeDisconnect(payload: Uint8Array): Disconnect {
  try {
    const item = decodeRlp(payload);
    const value = item.isList ? listItems(item)[0] : item;
    const bytes = value === undefined ? FALSE : stringBytes(value);
    return { code: bytes.length === 1 ? (bytes[0] as number) : 0, form: item.isList ? "list" : "bare" };
  } catch {
    return { code: 0, form: "bare" };
  }
}

function unreadable(what: string, cause: unknown): P2pError {
  return new P2pError("bad-message", `${what} cannot be read: ${(cause as Error).message}`, {
    reason: "protocol-error",
    cause,
  });
}

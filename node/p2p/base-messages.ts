/**
 * The messages that every connection has (codes 0 to 15), as Klaytn has them: hello lists ports and says whether
 * a node uses several connections, and a disconnect reason is written in one of two forms.
 */
import { integerBytes } from "../bytes/integer.ts";
import { decodeRlp, encodeRlp, itemInteger, listItems, type RlpItem, stringBytes } from "../bytes/rlp.ts";
import { P2pError } from "./error.ts";

/** Codes of the base protocol on the wire. */
export const BASE = { hello: 0, disconnect: 1, ping: 2, pong: 3 } as const;
/** The first code of the first protocol. */
export const BASE_LENGTH = 16;
/** The longest hello payload. */
export const MOST_HELLO = 2048;
/** The longest payload of the other base messages that is looked at; all known ones are a few bytes. */
export const MOST_BASE = 2048;
/** Payload of ping and pong: an empty list. */
export const EMPTY_LIST: Uint8Array = Uint8Array.of(0xc0);

/** A protocol that a node speaks, by name and version. */
export interface Capability {
  readonly name: string;
  readonly version: number;
}

/** The first message of each side. */
export interface Hello {
  /** 5 and above: what follows is packed with snappy. */
  readonly version: number;
  readonly name: string;
  readonly capabilities: readonly Capability[];
  /** Empty for a node that uses one connection. */
  readonly listenPorts: readonly number[];
  /** 64 bytes. */
  readonly id: Uint8Array;
  readonly multichannel: boolean;
}

const TRUE = Uint8Array.of(1);
const FALSE = new Uint8Array(0);

/** The payload of a hello. */
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

/** Reads a hello; elements after the sixth are ignored. Throws `P2pError` `bad-message`. */
export function decodeHello(payload: Uint8Array): Hello {
  if (payload.length > MOST_HELLO)
    throw new P2pError("too-large", `hello of ${payload.length} bytes`, { reason: "protocol-error" });
  try {
    const [version, name, capabilities, ports, id, multichannel] = fields(decodeRlp(payload), 6);
    return {
      version: Number(itemInteger(version, 4)),
      name: Buffer.from(stringBytes(name)).toString(),
      capabilities: listItems(capabilities).map(capability),
      listenPorts: listItems(ports).map((port) => Number(itemInteger(port, 8))),
      id: nodeId(stringBytes(id)),
      multichannel: flag(multichannel),
    };
  } catch (cause) {
    throw bad("hello", cause);
  }
}

function capability(item: RlpItem): Capability {
  const [name, version] = fields(item, 2);
  return { name: Buffer.from(stringBytes(name)).toString(), version: Number(itemInteger(version, 4)) };
}

/** A list's items; what is absent becomes an item that every reader refuses. */
function fields(item: RlpItem, count: 2): [RlpItem, RlpItem];
function fields(item: RlpItem, count: 6): [RlpItem, RlpItem, RlpItem, RlpItem, RlpItem, RlpItem];
function fields(item: RlpItem, count: number): RlpItem[] {
  const items = listItems(item);
  if (items.length < count) throw new Error(`${items.length} elements, at least ${count} wanted`);
  return items;
}

function nodeId(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 64) throw new Error(`a node id of ${bytes.length} bytes`);
  return bytes;
}

function flag(item: RlpItem): boolean {
  const value = itemInteger(item, 1);
  if (value > 1n) throw new Error("a boolean that is neither 0 nor 1");
  return value === 1n;
}

/** A reason's number and how it was written. */
export interface Disconnect {
  readonly code: number;
  readonly form: "bare" | "list";
}

/** The payload of a disconnect: `bare` before hello has come, `list` afterwards, as the Go node reads them. */
export function encodeDisconnect({ code, form }: Disconnect): Uint8Array {
  if (form === "list") return encodeRlp([integerBytes(code)]);
  return code === 0 ? Uint8Array.of(0) : encodeRlp(integerBytes(code));
}

/** Reads a reason in either form; what cannot be read counts as reason 0. Never throws. */
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

function bad(what: string, cause: unknown): P2pError {
  return new P2pError("bad-message", `${what} cannot be read: ${(cause as Error).message}`, {
    reason: "protocol-error",
    cause,
  });
}

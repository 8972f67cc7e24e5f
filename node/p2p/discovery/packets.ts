/**
 * The packets of discovery: hash, signature, type, one list. A packet's sender is who signed it. Elements after
 * the known ones, and bytes after the list, are left to later versions.
 */
import { concatBytes, equalBytes } from "../../bytes/compare.ts";
import { integerBytes } from "../../bytes/integer.ts";
import {
  encodeRlp,
  itemAt,
  itemInteger,
  listItems,
  type RlpInput,
  type RlpItem,
  stringBytes,
} from "../../bytes/rlp.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { recover, sign } from "../../crypto/secp256k1.ts";
import { P2pError } from "../error.ts";
import { ipBytes, ipText } from "../ip.ts";
import { discoveryByte, type NodeType, typeOfDiscoveryByte } from "../node-type.ts";

/** Where a node says it is. */
export interface Endpoint {
  readonly ip: string;
  readonly udpPort: number;
  readonly tcpPort: number;
  readonly type: NodeType;
}

/** A node and where it is. */
export interface FoundNode extends Endpoint {
  /** 64 bytes. */
  readonly id: Uint8Array;
}

/** What a packet says. `expires` is in seconds since the epoch. */
export type Packet =
  | {
      readonly kind: "ping";
      readonly networkId: number;
      readonly from: Endpoint;
      readonly to: Endpoint;
      readonly expires: number;
    }
  | { readonly kind: "pong"; readonly to: Endpoint; readonly token: Uint8Array; readonly expires: number }
  | {
      readonly kind: "find-node";
      readonly target: Uint8Array;
      readonly wanted: NodeType;
      readonly expires: number;
    }
  | {
      readonly kind: "neighbors";
      readonly wanted: NodeType;
      readonly nodes: readonly FoundNode[];
      readonly expires: number;
    };

/** A packet that came, who signed it, and its hash, which a pong repeats. */
export interface Received {
  readonly packet: Packet;
  readonly sender: Uint8Array;
  readonly hash: Uint8Array;
}

/** Packets are no longer than this. */
export const MOST_BYTES = 1280;
/** So many nodes of the longest kind fit into one packet. */
export const NODES_A_PACKET = 12;

const VERSION = 4;
const SIGNATURE_AT = 32;
const TYPE_AT = SIGNATURE_AT + 65;
const KINDS: readonly Packet["kind"][] = ["ping", "pong", "find-node", "neighbors"];

/** Signs a packet: its bytes, the first 32 of which are its hash. */
export function encodePacket(packet: Packet, key: Uint8Array): Uint8Array {
  const typed = concatBytes(Uint8Array.of(KINDS.indexOf(packet.kind) + 1), encodeRlp(packetFields(packet)));
  const signed = concatBytes(sign(keccak256(typed), key), typed);
  return concatBytes(keccak256(signed), signed);
}

/** The elements of a packet's list. */
export function packetFields(packet: Packet): RlpInput[] {
  const expires = integerBytes(packet.expires);
  switch (packet.kind) {
    case "ping": {
      const { networkId, from, to } = packet;
      return [
        integerBytes(networkId),
        integerBytes(VERSION),
        endpointFields(from),
        endpointFields(to),
        expires,
      ];
    }
    case "pong":
      return [endpointFields(packet.to), packet.token, expires];
    case "find-node":
      return [packet.target, integerBytes(discoveryByte(packet.wanted)), expires];
    case "neighbors":
    default:
      return [integerBytes(discoveryByte(packet.wanted)), packet.nodes.map(nodeFields), expires];
  }
}

function endpointFields({ ip, udpPort, tcpPort, type }: Endpoint): Uint8Array[] {
  return [ipBytes(ip), integerBytes(udpPort), integerBytes(tcpPort), integerBytes(discoveryByte(type))];
}

function nodeFields({ id, ...endpoint }: FoundNode): Uint8Array[] {
  const fields = endpointFields(endpoint);
  return [...fields.slice(0, 3), id, ...fields.slice(3)];
}

/** Reads a packet. Throws `P2pError` `bad-message` for what is none. */
export function decodePacket(bytes: Uint8Array): Received {
  if (bytes.length <= TYPE_AT || bytes.length > MOST_BYTES) throw bad(`${bytes.length} bytes`);
  const hash = keccak256(bytes.subarray(SIGNATURE_AT));
  if (!equalBytes(hash, bytes.subarray(0, SIGNATURE_AT))) throw bad("its hash is another");
  const sender = recover(keccak256(bytes.subarray(TYPE_AT)), bytes.subarray(SIGNATURE_AT, TYPE_AT));
  if (sender === undefined) throw bad("nobody signed it");
  try {
    const fields = listItems(itemAt(bytes, TYPE_AT + 1));
    return { packet: readPacket(KINDS[(bytes[TYPE_AT] ?? 0) - 1], fields), sender, hash };
  } catch (cause) {
    throw bad((cause as Error).message, cause);
  }
}

function readPacket(kind: Packet["kind"] | undefined, fields: readonly RlpItem[]): Packet {
  switch (kind) {
    case "ping": {
      const [networkId, , from, to, expires] = atLeast(fields, 5);
      const ends = { from: readEndpoint(from), to: readEndpoint(to) };
      return { kind, networkId: number(networkId, 8), ...ends, expires: number(expires, 8) };
    }
    case "pong": {
      const [to, token, expires] = atLeast(fields, 3);
      return { kind, to: readEndpoint(to), token: exactly(token, 32), expires: number(expires, 8) };
    }
    case "find-node": {
      const [target, wanted, expires] = atLeast(fields, 3);
      return { kind, target: exactly(target, 64), wanted: readType(wanted), expires: number(expires, 8) };
    }
    case "neighbors": {
      const [wanted, nodes, expires] = atLeast(fields, 3);
      return {
        kind,
        wanted: readType(wanted),
        nodes: listItems(nodes).map(readNode),
        expires: number(expires, 8),
      };
    }
    case undefined:
    default:
      throw new RangeError("an unknown type");
  }
}

function readEndpoint(item: RlpItem): Endpoint {
  const [ip, udpPort, tcpPort, type] = atLeast(listItems(item), 4);
  return { ip: readIp(ip), ...ports(udpPort, tcpPort), type: readType(type) };
}

function readNode(item: RlpItem): FoundNode {
  const [ip, udpPort, tcpPort, id, type] = atLeast(listItems(item), 5);
  return { ip: readIp(ip), ...ports(udpPort, tcpPort), id: exactly(id, 64), type: readType(type) };
}

function ports(udpPort: RlpItem, tcpPort: RlpItem): { udpPort: number; tcpPort: number } {
  return { udpPort: number(udpPort, 2), tcpPort: number(tcpPort, 2) };
}

/** No bytes at all are an address that its node does not know. */
function readIp(item: RlpItem): string {
  const bytes = stringBytes(item);
  const ip = bytes.length === 0 ? "0.0.0.0" : ipText(bytes);
  if (ip === undefined) throw new RangeError(`an address of ${bytes.length} bytes`);
  return ip;
}

function readType(item: RlpItem): NodeType {
  return typeOfDiscoveryByte(number(item, 1));
}

function number(item: RlpItem, maxBytes: number): number {
  return Number(itemInteger(item, maxBytes));
}

function exactly(item: RlpItem, length: number): Uint8Array {
  const bytes = stringBytes(item);
  if (bytes.length !== length) throw new RangeError(`${bytes.length} bytes where ${length} are wanted`);
  return Uint8Array.from(bytes);
}

type Items<N extends number> = N extends 5
  ? [RlpItem, RlpItem, RlpItem, RlpItem, RlpItem]
  : N extends 4
    ? [RlpItem, RlpItem, RlpItem, RlpItem]
    : [RlpItem, RlpItem, RlpItem];

function atLeast<N extends 3 | 4 | 5>(items: readonly RlpItem[], count: N): Items<N> {
  if (items.length < count) throw new RangeError(`${items.length} elements, at least ${count} are wanted`);
  return items as unknown as Items<N>; // so many are there
}

function bad(why: string, cause?: unknown): P2pError {
  return new P2pError("bad-message", `a discovery packet cannot be read: ${why}`, { cause });
}

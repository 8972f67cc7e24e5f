/**
 * Packets of discovery v4 with Klaytn's node types (networks/p2p/discover/udp.go@v2.2.2): hash, signature,
 * type byte, RLP list. The signature identifies the sender. Additional list elements and trailing bytes are
 * ignored, as EIP-8 asks.
 */
import { type Hash, type NodeId, nodeIdOf } from "../../bytes/brands.ts";
import { concatBytes, equalBytes } from "../../bytes/compare.ts";
import { integerBytes } from "../../bytes/integer.ts";
import { ipBytes, ipText } from "../../bytes/ip.ts";
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
import { discoveryByte, type NodeType, typeOfDiscoveryByte } from "../node-type.ts";

/** Network endpoint of a node. */
export interface NodeEndpoint {
  readonly ip: string;
  readonly udpPort: number;
  readonly tcpPort: number;
  readonly type: NodeType;
}

/** A node id and its endpoint. */
export interface FoundNode extends NodeEndpoint {
  /** Node id, 64 bytes. */
  readonly id: NodeId;
}

/** Content of a packet. `expires` is in seconds since the epoch. */
export type Packet =
  | {
      readonly kind: "ping";
      readonly networkId: number;
      readonly from: NodeEndpoint;
      readonly to: NodeEndpoint;
      readonly expires: number;
    }
  | { readonly kind: "pong"; readonly to: NodeEndpoint; readonly token: Hash; readonly expires: number }
  | {
      readonly kind: "find-node";
      readonly target: NodeId;
      readonly wanted: NodeType;
      readonly expires: number;
    }
  | {
      readonly kind: "neighbors";
      readonly wanted: NodeType;
      readonly nodes: readonly FoundNode[];
      readonly expires: number;
    };

/** A received packet, its signer and its hash. A pong repeats the hash of its ping. */
export interface ReceivedPacket {
  readonly packet: Packet;
  readonly sender: NodeId;
  readonly hash: Hash;
}

/** Maximum size of a packet, in bytes. */
export const MAX_PACKET_BYTES = 1280;
/** Number of nodes with IPv6 addresses that fit into one packet. */
export const MAX_NODES_PER_PACKET = 12;

const VERSION = 4;
const SIGNATURE_AT = 32;
const TYPE_AT = SIGNATURE_AT + 65;
const KINDS: readonly Packet["kind"][] = ["ping", "pong", "find-node", "neighbors"];

/** Encodes and signs a packet. The first 32 bytes are its hash. */
export function encodePacket(packet: Packet, key: Uint8Array): Uint8Array {
  const typed = concatBytes(Uint8Array.of(KINDS.indexOf(packet.kind) + 1), encodeRlp(packetFields(packet)));
  const signed = concatBytes(sign(keccak256(typed), key), typed);
  return concatBytes(keccak256(signed), signed);
}

/** Returns the elements of a packet's RLP list. */
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

function endpointFields({ ip, udpPort, tcpPort, type }: NodeEndpoint): Uint8Array[] {
  return [ipBytes(ip), integerBytes(udpPort), integerBytes(tcpPort), integerBytes(discoveryByte(type))];
}

function nodeFields({ id, ...endpoint }: FoundNode): Uint8Array[] {
  const fields = endpointFields(endpoint);
  return [...fields.slice(0, 3), id, ...fields.slice(3)];
}

/** Decodes a packet and recovers its sender. Throws `P2pError` `bad-message`. */
export function decodePacket(bytes: Uint8Array): ReceivedPacket {
  if (bytes.length <= TYPE_AT || bytes.length > MAX_PACKET_BYTES) throw badPacket(`${bytes.length} bytes`);
  const hash = keccak256(bytes.subarray(SIGNATURE_AT));
  if (!equalBytes(hash, bytes.subarray(0, SIGNATURE_AT))) throw badPacket("its hash does not match");
  const sender = recover(keccak256(bytes.subarray(TYPE_AT)), bytes.subarray(SIGNATURE_AT, TYPE_AT));
  if (sender === undefined) throw badPacket("its signature is invalid");
  try {
    const fields = listItems(itemAt(bytes, TYPE_AT + 1));
    return { packet: readPacket(KINDS[(bytes[TYPE_AT] ?? 0) - 1], fields), sender: nodeIdOf(sender), hash };
  } catch (cause) {
    throw badPacket((cause as Error).message, cause);
  }
}

function readPacket(kind: Packet["kind"] | undefined, fields: readonly RlpItem[]): Packet {
  switch (kind) {
    case "ping": {
      const [networkId, , from, to, expires] = atLeast(fields, 5);
      const ends = { from: readEndpoint(from), to: readEndpoint(to) };
      return { kind, networkId: readNumber(networkId, 8), ...ends, expires: readNumber(expires, 8) };
    }
    case "pong": {
      const [to, token, expires] = atLeast(fields, 3);
      return { kind, to: readEndpoint(to), token: readFixed(token, 32), expires: readNumber(expires, 8) };
    }
    case "find-node": {
      const [target, wanted, expires] = atLeast(fields, 3);
      return {
        kind,
        target: readFixed(target, 64),
        wanted: readType(wanted),
        expires: readNumber(expires, 8),
      };
    }
    case "neighbors": {
      const [wanted, nodes, expires] = atLeast(fields, 3);
      return {
        kind,
        wanted: readType(wanted),
        nodes: listItems(nodes).map(readNode),
        expires: readNumber(expires, 8),
      };
    }
    case undefined:
    default:
      throw new RangeError("an unknown type");
  }
}

function readEndpoint(item: RlpItem): NodeEndpoint {
  const [ip, udpPort, tcpPort, type] = atLeast(listItems(item), 4);
  return { ip: readIp(ip), ...readPorts(udpPort, tcpPort), type: readType(type) };
}

function readNode(item: RlpItem): FoundNode {
  const [ip, udpPort, tcpPort, id, type] = atLeast(listItems(item), 5);
  return { ip: readIp(ip), ...readPorts(udpPort, tcpPort), id: readFixed(id, 64), type: readType(type) };
}

function readPorts(udpPort: RlpItem, tcpPort: RlpItem): { udpPort: number; tcpPort: number } {
  return { udpPort: readNumber(udpPort, 2), tcpPort: readNumber(tcpPort, 2) };
}

/** Reads an address. An empty one is unknown to its node and reads as 0.0.0.0. */
function readIp(item: RlpItem): string {
  const bytes = stringBytes(item);
  const ip = bytes.length === 0 ? "0.0.0.0" : ipText(bytes);
  if (ip === undefined) throw new RangeError(`an address of ${bytes.length} bytes`);
  return ip;
}

function readType(item: RlpItem): NodeType {
  return typeOfDiscoveryByte(readNumber(item, 1));
}

function readNumber(item: RlpItem, maxBytes: number): number {
  return Number(itemInteger(item, maxBytes));
}

function readFixed(item: RlpItem, length: number): Uint8Array {
  const bytes = stringBytes(item);
  if (bytes.length !== length) throw new RangeError(`${bytes.length} bytes instead of ${length}`);
  return Uint8Array.from(bytes);
}

type Items<N extends number> = N extends 5
  ? [RlpItem, RlpItem, RlpItem, RlpItem, RlpItem]
  : N extends 4
    ? [RlpItem, RlpItem, RlpItem, RlpItem]
    : [RlpItem, RlpItem, RlpItem];

function atLeast<N extends 3 | 4 | 5>(items: readonly RlpItem[], count: N): Items<N> {
  if (items.length < count) throw new RangeError(`${items.length} elements instead of at least ${count}`);
  return items as unknown as Items<N>; // so many are there
}

function badPacket(why: string, cause?: unknown): P2pError {
  return new P2pError("bad-message", `a discovery packet cannot be read: ${why}`, { cause });
}

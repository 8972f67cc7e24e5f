/**
 * Replays recorded connections of Go nodes against the codecs of `node/p2p`: the handshake is opened and its
 * secrets derived again from the recorded keys, every frame is decrypted, decoded, encoded and encrypted again,
 * and must come out as the bytes that were recorded.
 */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { nodeIdOf } from "../../node/bytes/brands.ts";
import { concatBytes, equalBytes } from "../../node/bytes/compare.ts";
import { bareHex, fromBareHex } from "../../node/bytes/hex.ts";
import { encodeRlp } from "../../node/bytes/rlp.ts";
import { openBox } from "../../node/crypto/ecies.ts";
import { publicKeyOf } from "../../node/crypto/secp256k1.ts";
import {
  decodeDisconnect,
  decodeHello,
  EMPTY_LIST,
  encodeDisconnect,
  encodeHello,
} from "../../node/p2p/base-messages.ts";
import {
  bodyBytes,
  createFrameReader,
  createFrameWriter,
  type FrameKeys,
  HEADER_BYTES,
  joinContent,
  MAX_CONTENT_BYTES,
  splitContent,
} from "../../node/p2p/frame.ts";
import { ackFields, authFields, openAck, openAuth, sessionKeys } from "../../node/p2p/handshake-packets.ts";
import { connectionByte, typeOfText } from "../../node/p2p/node-type.ts";
import { packSnappy, unpackSnappy } from "../../node/p2p/snappy.ts";

/** One step of a recording: bytes of the stream, or a message as it was after decryption. */
export type RecordedEvent =
  | { readonly t: "in" | "out"; readonly bytes: string }
  | {
      readonly t: "msg-in" | "msg-out";
      readonly code: number;
      readonly payload: string;
      readonly snappy: boolean;
    };

/** A recorded connection; without keys when it ended before the handshake did. */
export interface RecordedConnection {
  readonly recordedBy: string;
  readonly recorderType: string;
  readonly peer: string | null;
  readonly peerType: string | null;
  readonly events: readonly RecordedEvent[];
  readonly initiator?: boolean;
  readonly staticKey?: string;
  readonly ephemeralKey?: string;
  readonly peerStaticKey?: string | null;
  readonly initNonce?: string;
  readonly respNonce?: string;
  readonly aesSecret?: string;
  readonly macSecret?: string;
}

/** A file of recorded connections. */
export interface Recording {
  readonly networkId: number;
  readonly chainId: number;
  readonly nodes: readonly { readonly name: string; readonly type: string; readonly key: string }[];
  readonly connections: readonly RecordedConnection[];
}

/** Result of a replay: each handshake and each frame is one fact. */
export interface ReplayResult {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
  /** Packed payloads that our packer makes into the very bytes of the Go node (it need not). */
  readonly samePacking: number;
}

/** Reads a recording, packed or plain. */
export function readRecording(file: string): Recording {
  const bytes = readFileSync(file);
  return JSON.parse((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()) as Recording;
}

/** Replays all connections of a file. */
export function replayConnections(file: string): ReplayResult {
  const recording = readRecording(file);
  const tally = { passed: 0, failed: 0, failures: [] as string[], samePacking: 0 };
  recording.connections.forEach((connection, index) => {
    const name = `connection ${index} (${connection.recordedBy} with ${connection.peer ?? "nobody"})`;
    const check = (what: string, fact: () => boolean): boolean => {
      let good = false;
      let why = "differs";
      try {
        good = fact();
      } catch (error) {
        why = (error as Error).message;
      }
      if (good) tally.passed++;
      else {
        tally.failed++;
        tally.failures.push(`${name}: ${what}: ${why}`);
      }
      return good;
    };
    tally.samePacking += replay(connection, recording, check);
  });
  return tally;
}

type Check = (what: string, fact: () => boolean) => boolean;

function replay(connection: RecordedConnection, recording: Recording, check: Check): number {
  const streams = { in: streamOf(connection, "in"), out: streamOf(connection, "out") };
  check("own type byte", () => streams.out[0] === connectionByte(typeOfText(connection.recorderType)));
  if (connection.staticKey === undefined) return replayUnfinished(connection, recording, streams.in, check);
  check("peer's type byte", () => streams.in[0] === connectionByte(typeOfText(connection.peerType ?? "")));
  const packets = { in: packetOf(streams.in), out: packetOf(streams.out) };
  const keys = handshake(connection, packets, check);
  if (keys === undefined) return 0;
  return (["in", "out"] as const)
    .map((direction) => {
      const stream = streams[direction].subarray(1 + packets[direction].length);
      return replayFrames({ connection, direction, stream, keys: () => keys()[direction], check });
    })
    .reduce((sum, same) => sum + same, 0);
}

function streamOf({ events }: RecordedConnection, direction: "in" | "out"): Uint8Array {
  return concatBytes(...events.flatMap((event) => (event.t === direction ? [fromBareHex(event.bytes)] : [])));
}

function packetOf(stream: Uint8Array): Uint8Array {
  return stream.subarray(1, 3 + (stream[1] ?? 0) * 256 + (stream[2] ?? 0));
}

/** A connection that ended early holds an auth packet that our key opens, if anything came at all. */
function replayUnfinished(
  { recordedBy }: RecordedConnection,
  { nodes }: Recording,
  stream: Uint8Array,
  check: Check,
): number {
  const own = nodes.find(({ name }) => name === recordedBy);
  if (stream.length <= 1 || own === undefined) return 0;
  check("auth of an unfinished connection", () => {
    const { remoteId } = openAuth(fromBareHex(own.key), packetOf(stream));
    return nodes.some(({ key }) => equalBytes(publicKeyOf(fromBareHex(key)), remoteId));
  });
  return 0;
}

type KeyPair = { readonly in: FrameKeys; readonly out: FrameKeys };

/** Opens both packets and derives the session's keys; the function makes fresh ones each time. */
function handshake(
  connection: RecordedConnection,
  packets: { readonly in: Uint8Array; readonly out: Uint8Array },
  check: Check,
): (() => KeyPair) | undefined {
  const key = fromBareHex(connection.staticKey ?? "");
  const peerKey = fromBareHex(connection.peerStaticKey ?? "");
  const ephemeralKey = fromBareHex(connection.ephemeralKey ?? "");
  const initNonce = fromBareHex(connection.initNonce ?? "");
  const respNonce = fromBareHex(connection.respNonce ?? "");
  const initiator = connection.initiator === true;
  const [auth, ack] = initiator ? [packets.out, packets.in] : [packets.in, packets.out];
  const remoteId = nodeIdOf(publicKeyOf(peerKey));
  const side = { key, remoteId, ephemeralKey, nonce: initiator ? initNonce : respNonce };
  let remoteEphemeralId = new Uint8Array(0);
  const opened = check("handshake packets", () => {
    const said = openAuth(initiator ? peerKey : key, auth);
    const answered = openAck(initiator ? key : peerKey, ack);
    remoteEphemeralId = Uint8Array.from((initiator ? answered : said).ephemeralId);
    const own = initiator ? said.ephemeralId : answered.ephemeralId;
    return (
      equalBytes(own, publicKeyOf(ephemeralKey)) &&
      equalBytes(said.nonce, initNonce) &&
      equalBytes(answered.nonce, respNonce)
    );
  });
  if (!opened) return undefined;
  check("own packet's fields", () => {
    const fields = encodeRlp(initiator ? authFields(side) : ackFields(side));
    const sealed = packets.out;
    const plain = openBox(peerKey, sealed.subarray(2), sealed.subarray(0, 2));
    return plain !== undefined && equalBytes(plain.subarray(0, fields.length), fields);
  });
  const make = (): KeyPair => {
    const keys = sessionKeys({ initiator, ephemeralKey, remoteEphemeralId, initNonce, respNonce, auth, ack });
    return { in: keys.ingress, out: keys.egress };
  };
  check("session secrets", () => {
    const { aes, mac } = make().in;
    return bareHex(aes) === connection.aesSecret && bareHex(mac) === connection.macSecret;
  });
  return make;
}

interface FrameReplay {
  readonly connection: RecordedConnection;
  readonly direction: "in" | "out";
  readonly stream: Uint8Array;
  readonly keys: () => FrameKeys;
  readonly check: Check;
}

function replayFrames({ connection, direction, stream, keys, check }: FrameReplay): number {
  const messages = connection.events.flatMap((event) => (event.t === `msg-${direction}` ? [event] : []));
  const reader = createFrameReader(keys());
  const write = createFrameWriter(keys());
  let at = 0;
  let same = 0;
  for (const [index, message] of messages.entries()) {
    if (message.t !== "msg-in" && message.t !== "msg-out") continue;
    const good = check(`${direction} frame ${index} (code ${message.code})`, () => {
      const length = reader.header(stream.subarray(at, at + HEADER_BYTES));
      const end = at + HEADER_BYTES + bodyBytes(length);
      const { code, payload } = splitContent(reader.body(stream.subarray(at + HEADER_BYTES, end), length));
      const wanted = fromBareHex(message.payload);
      const plain = message.snappy ? unpackSnappy(payload, MAX_CONTENT_BYTES) : payload;
      const again = write(joinContent({ code, payload }));
      const frame = stream.subarray(at, end);
      at = end;
      if (message.snappy) {
        const packed = packSnappy(plain);
        if (equalBytes(packed, payload)) same++;
        if (!equalBytes(unpackSnappy(packed, plain.length), plain)) return false;
      }
      return (
        code === message.code &&
        equalBytes(plain, wanted) &&
        equalBytes(again, frame) &&
        baseAgain(code, plain)
      );
    });
    if (!good) return same;
  }
  check(`${direction} stream's end`, () => at === stream.length);
  return same;
}

/** Messages of the base protocol decode, and encode to the same bytes. */
function baseAgain(code: number, payload: Uint8Array): boolean {
  if (code === 0) return equalBytes(encodeHello(decodeHello(payload)), payload);
  if (code === 1) return equalBytes(encodeDisconnect(decodeDisconnect(payload)), payload);
  return code > 3 || equalBytes(payload, EMPTY_LIST);
}

/** Targets of fuzzing: bytes of strangers below the messages of the chain protocol, of peers and of WebSocket clients. */
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { type NodeId, nodeIdOf } from "../../../node/bytes/brands.ts";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { BytesError } from "../../../node/bytes/error.ts";
import { fromBareHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { encodePayload } from "../../../node/consensus/bft/payload.ts";
import { parseMessage } from "../../../node/consensus/bft/signed-message.ts";
import { encodeWireMessage } from "../../../node/consensus/bft/wire-message.ts";
import { ConsensusError } from "../../../node/consensus/error.ts";
import { BOX_OVERHEAD, sealBox } from "../../../node/crypto/ecies.ts";
import { publicKeyOf } from "../../../node/crypto/secp256k1.ts";
import { JsonScanError, jsonFault } from "../../../node/jsonrpc/json-scanner.ts";
import { JsonStream } from "../../../node/jsonrpc/json-stream.ts";
import { ModelError } from "../../../node/model/error.ts";
import { P2pError } from "../../../node/p2p/error.ts";
import { joinContent, splitContent } from "../../../node/p2p/frame.ts";
import { ackFields, authFields, openAck, openAuth } from "../../../node/p2p/handshake-packets.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { readFrames } from "../../../node/transport/fast/ws-frames.ts";
import {
  assertSameButTypes,
  assertSameBytes,
  assertSameJson,
  type FuzzTarget,
  jsonOf,
  piecesOf,
  textOf,
} from "./target.ts";

const KEY = new Uint8Array(32).fill(3);
const PEER_KEY = new Uint8Array(32).fill(4);
/** Maximum bytes of a message in the box of a handshake that a test makes. */
const MAX_BOXED = 1024;

/** The targets, one row each. */
export const wireTargets: readonly FuzzTarget[] = [
  {
    name: "consensus-message",
    refuses: [BytesError, ModelError, ConsensusError],
    seeds: consensusMessages,
    run: (input) =>
      assertSameButTypes(input, (bytes) => {
        const { wire, payload } = parseMessage(bytes);
        return encodeWireMessage({ ...wire, content: encodePayload(payload) });
      }),
  },
  {
    name: "handshake-auth",
    refuses: [P2pError],
    seeds: () => [concatBytes(encodeRlp(authFields(aSide(PEER_KEY, KEY))), new Uint8Array(100))],
    run(input) {
      const { remoteId, nonce, ephemeralId } = openAuth(KEY, packetFor(KEY, input));
      assertSameJson([remoteId.length, nonce.length, ephemeralId.length], [64, 32, 64]);
    },
  },
  {
    name: "handshake-ack",
    refuses: [P2pError],
    seeds: () => [concatBytes(encodeRlp(ackFields(aSide(PEER_KEY, KEY))), new Uint8Array(100))],
    run(input) {
      const { nonce, ephemeralId } = openAck(KEY, packetFor(KEY, input));
      assertSameJson([nonce.length, ephemeralId.length], [32, 64]);
    },
  },
  {
    name: "handshake-box",
    refuses: [P2pError],
    seeds: () => [packetFor(KEY, encodeRlp(authFields(aSide(PEER_KEY, KEY))))],
    run: (input) => void openAuth(KEY, input),
  },
  {
    name: "frame-content",
    refuses: [P2pError],
    seeds: () => [Uint8Array.of(0x80, 1, 2), Uint8Array.of(0x10), Uint8Array.of(0x82, 1, 0, 7)],
    run: (input) => assertSameBytes(input, joinContent(splitContent(input))),
  },
  {
    name: "websocket-frames",
    refuses: [],
    seeds: webSocketFrames,
    run(input) {
      const whole = framesOf([Buffer.from(input)]);
      assertSameJson(whole, framesOf(piecesOf(input, 40)));
    },
  },
  {
    name: "json-fault",
    refuses: [],
    seeds: () => [Buffer.from('{"a":[1.5e3,-0,"\\u00e9",true,null]}'), Buffer.from('["b" ,{}] x')],
    run(input) {
      const text = textOf(input);
      const fault = jsonFault(text);
      if (fault !== undefined && !fault.endsWith("exceeded max depth") && jsonOf(input) !== undefined)
        throw new Error(`a fault in JSON: ${fault}`);
    },
  },
  {
    name: "json-stream",
    refuses: [JsonScanError],
    seeds: () => [Buffer.from('{"id":1,"method":"m"} [{"id":2}]\n7 "a" '), Buffer.from('{"a":"{\\"}"}')],
    run(input) {
      const whole = valuesOf([Buffer.from(input).toString("latin1")]);
      assertSameJson(whole, valuesOf(piecesOf(input, 30).map((piece) => piece.toString("latin1"))));
    },
  },
];

/** Returns the values that a stream of texts has. */
function valuesOf(texts: readonly string[]): string[] {
  const values: string[] = [];
  const stream = new JsonStream(2 ** 20, (text) => {
    try {
      JSON.parse(text);
    } catch {
      return false;
    }
    values.push(text.trim());
    return true;
  });
  for (const text of texts) stream.push(text);
  return values;
}

/** Messages that Go nodes sent. */
function consensusMessages(): Uint8Array[] {
  const file = new URL("../../vectors/consensus-messages.json", import.meta.url);
  const { messages: recorded } = JSON.parse(readFileSync(file, "utf8")) as { readonly messages: string[] };
  return recorded.map((bytes) => messages.consensus.decode(fromBareHex(bytes)).message);
}

function aSide(key: Uint8Array, remoteKey: Uint8Array) {
  const nonce = new Uint8Array(32).fill(5);
  return { key, remoteId: idOf(remoteKey), ephemeralKey: new Uint8Array(32).fill(6), nonce };
}

function idOf(key: Uint8Array): NodeId {
  return nodeIdOf(publicKeyOf(key));
}

/** Returns a packet of the handshake with a message, which only the holder of a key opens. */
function packetFor(key: Uint8Array, input: Uint8Array): Uint8Array {
  const message = input.subarray(0, MAX_BOXED);
  const prefix = fixedBytes(message.length + BOX_OVERHEAD, 2);
  const iv = new Uint8Array(16);
  return concatBytes(prefix, sealBox({ message, prefix, to: publicKeyOf(key), ephemeralKey: PEER_KEY, iv }));
}

/** Two texts, one in two fragments with a ping between them, bytes, and a close frame. */
function webSocketFrames(): Uint8Array[] {
  const text = aFrame(0x81, Buffer.from('{"id":1}'));
  const long = aFrame(0x81, Buffer.from("na\u00efve ".repeat(30)));
  const parts = [
    aFrame(0x01, Buffer.from("ab")),
    aFrame(0x89, Buffer.from("?")),
    aFrame(0x80, Buffer.from("c")),
  ];
  return [
    text,
    long,
    concatBytes(text, ...parts, text),
    concatBytes(aFrame(0x82, Buffer.of(0xff)), aFrame(0x88, Buffer.of(0x03, 0xe8))),
    aFrame(0x81, Buffer.of(0xc3, 0x28)),
  ];
}

/** Returns a masked frame of less than 65,536 bytes (RFC 6455, section 5.2). */
function aFrame(first: number, payload: Uint8Array): Uint8Array {
  const mask = [0x81, 0x02, 0xf3, 0x44];
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
  const [short = 0, ...rest] = length;
  return Uint8Array.from([
    first,
    0x80 | short,
    ...rest,
    ...mask,
    ...payload.map((byte, at) => byte ^ (mask[at & 3] ?? 0)),
  ]);
}

const MAX_MESSAGE = 300;

/** Returns what the reader of frames makes of chunks: texts, control frames, and at last a close code. */
function framesOf(chunks: readonly Buffer[]): (string | number)[] {
  const seen: (string | number)[] = [];
  const socket = new EventEmitter();
  socket.on("data", (frame: Buffer) => void seen.push(`control ${frame.toString("hex")}`));
  const peer = Object.assign(new EventEmitter(), { readyState: 1, OPEN: 1 });
  // The reader needs no more of both than their events and the state.
  const reading = readFrames(peer as unknown as WebSocket, socket as unknown as Socket, {
    maxMessage: MAX_MESSAGE,
    onText: (text) => void seen.push(text),
    onHalf: (memory) => {
      if (memory > 16 * MAX_MESSAGE) throw new Error(`half a message takes ${memory} bytes`);
    },
    onFault: (closeCode) => void seen.push(closeCode),
  });
  for (const chunk of chunks) socket.emit("data", chunk);
  reading.stop();
  return seen;
}

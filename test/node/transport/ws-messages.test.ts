/** Messages that are cut in pieces, read as the library reads them; and what becomes of those that never end. */
import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { expect, test } from "@jest/globals";
import * as ws from "ws";
import { WebSocket } from "ws";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { readFrames } from "../../../node/transport/fast/ws-frames.ts";
import { MAX_FRAGMENTS, MessageReader } from "../../../node/transport/fast/ws-messages.ts";
import type { Listener } from "../../../node/transport/listener.ts";
import { openWs, type WsListenerOptions } from "../../../node/transport/ws.ts";
import { seededRandom } from "../../support/random.ts";
import { aCall, anEndpoint } from "../rpc/fixture.ts";

const ROUNDS = Number(process.env["KNIT_MUTATIONS"] ?? 300);
const MAX_MESSAGE = 150;
/** Exported, and missing from the types. */
const { Receiver } = ws as unknown as { readonly Receiver: new (options: object) => Writable };

interface FrameParts {
  readonly first: number;
  readonly isMasked?: boolean;
  readonly payload: Buffer;
  /** Bytes of the length: none, two or eight. */
  readonly wide?: 0 | 2 | 8;
}

function aFrame({
  first,
  isMasked = true,
  payload,
  wide = payload.length < 126 ? 0 : 2,
}: FrameParts): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(payload.length));
  const short = wide === 0 ? payload.length : wide === 2 ? 126 : 127;
  const head = [first, (isMasked ? 0x80 : 0) | short, ...length.subarray(8 - wide)];
  if (!isMasked) return Buffer.from([...head, ...payload]);
  const mask = [0x81, 0x02, 0xf3, 0x44];
  return Buffer.from([...head, ...mask, ...payload.map((byte, at) => byte ^ (mask[at & 3] ?? 0))]);
}

/** Output of a reader for some bytes: texts, control frames, and at last a close code. */
type Outcome = (string | number)[];

function readHere(chunks: readonly Buffer[]): Outcome {
  const outcome: Outcome = [];
  const reader = new MessageReader({
    maxMessage: MAX_MESSAGE,
    onText: (text) => void outcome.push(text),
    onControl: (frame, opcode) => void outcome.push(`control ${opcode}, ${frame.length} bytes`),
    onFault: (closeCode) => void outcome.push(closeCode),
  });
  for (const chunk of chunks) for (let at = 0; at < chunk.length; ) at = reader.push(chunk, at);
  return outcome;
}

async function readByLibrary(chunks: readonly Buffer[]): Promise<Outcome> {
  const outcome: Outcome = [];
  const receiver = new Receiver({ isServer: true, maxPayload: MAX_MESSAGE, maxFragments: MAX_FRAGMENTS });
  const control = (opcode: number) => (payload: Buffer) =>
    void outcome.push(`control ${opcode}, ${payload.length + 6} bytes`);
  receiver.on("message", (bytes: Buffer) => void outcome.push(bytes.toString("utf8")));
  receiver.on("ping", control(9));
  receiver.on("pong", control(10));
  receiver.on("error", (error: Record<symbol, number>) => {
    const [code = ""] = Object.getOwnPropertySymbols(error).map((symbol) => error[symbol] ?? "");
    outcome.push(code);
  });
  for (const chunk of chunks) {
    if (receiver.destroyed) break;
    await new Promise((resolve) => receiver.write(Buffer.from(chunk), resolve));
  }
  return outcome;
}

type Random = (below: number) => number;

/** A close frame (8) ends everything, and is the library's. */
const ODD_OPCODES = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15];

/** Mostly what clients may send, and now and then what they may not. */
function randomFrame(random: Random, isOpen: boolean): FrameParts {
  const usual = isOpen ? [0, 0, 0, 0, 9, 10] : [1, 1, 1, 2, 2, 9, 10];
  const opcode = oneOf(random(12) === 0 ? ODD_OPCODES : usual, random);
  const isControl = opcode > 8;
  const isLast = random(isControl ? 40 : 2) > 0;
  const payload = Buffer.from(oneOf(["", "a", "na\u00efve", "\u{1f600}", "x".repeat(random(140))], random));
  if (random(40) === 0) payload.fill(0xff);
  const wide = oneOf([2, 8] as const, random);
  const isNarrow = isControl || (payload.length < 126 && random(3) === 0);
  return {
    first: (isLast ? 0x80 : 0) | (random(60) === 0 ? 0x40 : 0) | opcode,
    isMasked: random(60) > 0,
    payload,
    ...(isNarrow ? {} : { wide }),
  };
}

function oneOf<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T; // none of the lists is empty
}

function randomStream(random: Random): Buffer {
  let isOpen = false;
  const frames: Buffer[] = [];
  for (let count = 1 + random(12); count > 0; count--) {
    const frame = randomFrame(random, isOpen);
    if ((frame.first & 0x0f) < 8) isOpen = (frame.first & 0x80) === 0;
    frames.push(aFrame(frame));
  }
  return Buffer.concat(frames);
}

function cut(bytes: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = [];
  const longest = 1 + random(40);
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random(longest);
    chunks.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return chunks;
}

test("frames of any kind, cut anywhere, are read as the library reads them", async () => {
  const random = seededRandom(Number(process.env["KNIT_SEED"] ?? 1));
  const below: Random = (bound) => Math.floor(random() * bound);
  const faults = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = randomStream(below);
    const chunks = cut(bytes, below);
    const expected = await readByLibrary(chunks);
    expect([bytes.toString("hex"), readHere(chunks)]).toEqual([bytes.toString("hex"), expected]);
    for (const part of expected) if (typeof part === "number") faults.add(part);
  }
  expect(faults).toEqual(new Set([1002, 1007, 1009]));
});

function listen(more: Partial<WsListenerOptions> = {}): Promise<Listener> {
  return openWs({
    host: "127.0.0.1",
    port: 0,
    endpoint: anEndpoint(),
    subscriptionLimit: createSubscriptionLimit(),
    ...more,
  });
}

async function aSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.on("error", () => undefined);
  await once(socket, "open");
  return socket;
}

test("a message of too many fragments closes the connection with code 1008, empty ones too", async () => {
  await using listener = await listen();
  for (const fragment of ["x", ""]) {
    const socket = await aSocket(listener.url);
    const closed = once(socket, "close");
    for (let i = 0; i <= MAX_FRAGMENTS; i++) socket.send(fragment, { fin: false });
    expect((await closed)[0]).toBe(1008);
  }
});

test("half messages that fill their budget are closed with code 1008, the largest first", async () => {
  await using listener = await listen({ maxBuffered: 300_000 });
  const [small, large] = [await aSocket(listener.url), await aSocket(listener.url)];
  const closed = once(large, "close");
  small.send(aCall("net_version").slice(0, 9), { fin: false });
  large.send("x".repeat(200_000), { fin: false });
  large.send("x".repeat(200_000), { fin: false });
  expect((await closed)[0]).toBe(1008);
  small.send(aCall("net_version").slice(9));
  expect(String((await once(small, "message"))[0])).toContain('"13408"');
  small.terminate();
});

/** The socket below a client. */
function bare(socket: WebSocket): { write(bytes: Buffer): void } {
  return (socket as unknown as { readonly _socket: { write(bytes: Buffer): void } })._socket;
}

const whole = aFrame({ first: 0x81, payload: Buffer.from(aCall("net_version")) });

test.each([
  ["a first fragment", aFrame({ first: 0x01, payload: Buffer.from("[") })],
  ["half a frame", whole.subarray(0, 20)],
  ["one byte", whole.subarray(0, 1)],
  ["a message and half of another one", Buffer.concat([whole, whole.subarray(0, 20)])],
])("a message that is not whole in time is closed with code 1008: %s", async (_name, bytes) => {
  await using listener = await listen({ messageMs: 50 });
  const socket = await aSocket(listener.url);
  const closed = once(socket, "close");
  bare(socket).write(bytes);
  expect((await closed)[0]).toBe(1008);
});

function ignore(): void {
  return undefined;
}

test("a half message is new where another one ended in the same chunk, and a control frame between fragments is none", () => {
  const socket = new EventEmitter();
  const peer = Object.assign(new EventEmitter(), { readyState: 1, OPEN: 1 });
  socket.on("data", () => undefined); // the library's
  const halves: boolean[] = [];
  let memory = 0;
  const onHalf = (now: number, isNew: boolean): void => {
    memory = now;
    halves.push(isNew);
  };
  // Both are only listened to.
  readFrames(peer as unknown as WebSocket, socket as Socket, {
    maxMessage: 100,
    onText: ignore,
    onHalf,
    onFault: ignore,
  });
  const fragment = aFrame({ first: 0x00, payload: Buffer.from("x") });
  const chunks = [
    [whole.subarray(0, 20), true],
    [whole.subarray(20, 30), false],
    [Buffer.concat([whole.subarray(30), whole.subarray(0, 20)]), true],
    [Buffer.concat([whole.subarray(20), whole, whole.subarray(0, 20)]), true],
    [Buffer.concat([whole.subarray(20), aFrame({ first: 0x01, payload: Buffer.from("x") })]), true],
    [Buffer.concat([fragment, aFrame({ first: 0x89, payload: Buffer.alloc(0) }), fragment]), false],
  ] as const;
  for (const [chunk] of chunks) socket.emit("data", Buffer.from(chunk));
  expect(halves).toEqual(chunks.map(([, isNew]) => isNew));
  expect(memory).toBeGreaterThan(0);
  socket.emit("data", Buffer.from(aFrame({ first: 0x80, payload: Buffer.alloc(0) })));
  expect(memory).toBe(0);
  socket.emit("data", Buffer.from(whole));
  expect(halves).toHaveLength(chunks.length + 1);
});

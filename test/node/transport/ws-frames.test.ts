/** Tests of the fast path of WebSocket frames. */
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import type { WebSocket } from "ws";
import { type FrameReading, frameAt, readFrames } from "../../../node/transport/fast/ws-frames.ts";

const MAX_LENGTH = 1 << 20;
const MASK = [0x12, 0x34, 0xf6, 0x78];

/** A frame as a client sends it (RFC 6455, section 5.2). */
function aFrame(payload: string, { kind = 0x81, masked = true } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const [short, ...more] = lengthBytes(bytes.length);
  const head = [kind, (masked ? 0x80 : 0) | (short ?? 0), ...more];
  if (!masked) return Buffer.from([...head, ...bytes]);
  return Buffer.from([...head, ...MASK, ...bytes.map((byte, at) => byte ^ (MASK[at & 3] ?? 0))]);
}

function lengthBytes(length: number): number[] {
  if (length < 126) return [length];
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return length < 0x10000 ? [126, ...bytes.subarray(6)] : [127, ...bytes];
}

test.each([0, 1, 125, 126, 1000, 65_535])(
  "a plain text of %i characters is read where it stands",
  (length) => {
    const text = "abcdefg".repeat(10_000).slice(0, length);
    const frame = aFrame(text);
    const chunk = Buffer.concat([Buffer.from("xyz"), frame, Buffer.from("next")]);
    expect(frameAt(chunk, 3, MAX_LENGTH)).toEqual({ end: 3 + frame.length, text });
  },
);

test.each([
  ["text beyond ASCII", aFrame("naïve")],
  ["bytes", aFrame("abc", { kind: 0x82 })],
  ["a ping", aFrame("abc", { kind: 0x89 })],
  ["a frame of an extension", aFrame("abc", { kind: 0xc1 })],
])("%s is whole, and left as it came", (_what, frame) => {
  const before = Buffer.from(frame);
  expect(frameAt(frame, 0, MAX_LENGTH)).toEqual({ end: frame.length, text: undefined });
  expect(frame).toEqual(before);
});

test.each([
  ["the first piece of a message", aFrame("abc", { kind: 0x01 })],
  ["its last piece", aFrame("abc", { kind: 0x80 })],
  ["a frame without a mask", aFrame("abc", { masked: false })],
  ["one with a length of eight bytes", aFrame("x".repeat(65_536))],
  ["one above the limit", aFrame("x".repeat(1001))],
])("%s is nothing to read here", (_what, frame) => {
  expect(frameAt(frame, 0, 1000)).toBeUndefined();
});

test.each([aFrame("abc"), aFrame("x".repeat(200))])(
  "a frame that is cut off anywhere is not read",
  (frame) => {
    for (let length = 0; length < frame.length; length++)
      expect(frameAt(frame.subarray(0, length), 0, MAX_LENGTH)).toBeUndefined();
  },
);

/** A reader of the chunks that `push` is given, on a connection that stays open. */
function aReading(): {
  readonly reading: FrameReading;
  readonly push: (chunk: Buffer) => void;
  readonly seen: unknown[];
} {
  const seen: unknown[] = [];
  const socket = new EventEmitter().on("data", () => undefined);
  const peer = Object.assign(new EventEmitter(), { readyState: 1, OPEN: 1 });
  // The reader needs no more of both than their events and the state.
  const reading = readFrames(peer as unknown as WebSocket, socket as unknown as Socket, {
    maxMessage: MAX_LENGTH,
    onText: (text) => void seen.push(text),
    onHalf: () => undefined,
    onFault: (code) => void seen.push(code),
  });
  return { reading, push: (chunk) => void socket.emit("data", chunk), seen };
}

test("frames of later chunks are discarded after a fault, as those of the same chunk are", () => {
  const { push, seen } = aReading();
  const damaged = aFrame("", { kind: 0x83 });
  push(Buffer.concat([aFrame("before"), damaged, aFrame("same chunk")]));
  push(aFrame("later chunk"));
  expect(seen).toEqual(["before", 1002]);
});

test("frames are discarded after the reading was stopped", () => {
  const { reading, push, seen } = aReading();
  push(aFrame("before"));
  reading.stop();
  push(aFrame("after"));
  expect(seen).toEqual(["before"]);
});

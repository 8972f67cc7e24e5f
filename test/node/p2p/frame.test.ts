/** Tests of RLPx frames: damage, order, limits. */
import { expect, test } from "@jest/globals";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { createRunningKeccak } from "../../../node/crypto/running-keccak.ts";
import {
  createFrameReader,
  createFrameWriter,
  type FrameKeys,
  splitContent,
} from "../../../node/p2p/frame.ts";

const keys = (): FrameKeys => ({
  aes: keccak256(Uint8Array.of(1)),
  mac: keccak256(Uint8Array.of(2)),
  hash: createRunningKeccak(),
});
const badFrame = expect.objectContaining({ name: "P2pError", code: "bad-frame" });

test("a frame with any changed bit is refused, in its header and in its body", () => {
  const content = Uint8Array.from({ length: 40 }, (_, i) => i);
  const frame = createFrameWriter(keys())(content);
  for (let at = 0; at < frame.length; at++) {
    const spoilt = frame.with(at, (frame[at] as number) ^ (1 << (at % 8)));
    const reader = createFrameReader(keys());
    const header = () => reader.header(spoilt.subarray(0, 32));
    if (at < 32) expect(header).toThrow(badFrame);
    else expect(header() && (() => reader.body(spoilt.subarray(32), 40))).toThrow(badFrame);
  }
});

test("frames cannot be repeated, omitted or reordered", () => {
  const write = createFrameWriter(keys());
  const [first, second] = [write(Uint8Array.of(1)), write(Uint8Array.of(2))];
  expect(() => createFrameReader(keys()).header(second.subarray(0, 32))).toThrow(badFrame);
  const reader = createFrameReader(keys());
  expect(reader.body(first.subarray(32), reader.header(first.subarray(0, 32)))).toEqual(Buffer.of(1));
  expect(() => reader.header(first.subarray(0, 32))).toThrow(badFrame);
});

test("content of 2^24 bytes is not sent, and content without a code is refused", () => {
  const write = createFrameWriter(keys());
  expect(() => write(new Uint8Array(2 ** 24))).toThrow(expect.objectContaining({ code: "too-large" }));
  for (const content of [[], [0xc0], [0x82, 1], [0x85, 1, 2, 3, 4, 5], [0x00, 1]])
    expect(() => splitContent(Uint8Array.from(content))).toThrow(badFrame);
  expect(splitContent(Uint8Array.of(0x80, 7))).toEqual({ code: 0, payload: Uint8Array.of(7) });
});

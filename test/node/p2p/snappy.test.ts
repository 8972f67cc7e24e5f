/** Tests of the Snappy block format, with hostile blocks. */
import { createRequire } from "node:module";
import { expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import {
  maxPackedBytes,
  packSnappy,
  packSnappySteps,
  unpackSnappy,
  unpackSnappySteps,
} from "../../../node/p2p/snappy.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const oracle = createRequire(import.meta.url)("snappyjs") as {
  uncompress(packed: Uint8Array, most: number): Uint8Array;
};
const LIMIT = 0xff_ffff;
const badMessage = expect.objectContaining({ name: "P2pError", code: "bad-message" });

/** Bytes with repetitions near and far, as block bodies have them, in parts of at most `most` bytes. */
function someMessage(random: () => number, most = 2000): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let length = Math.floor(random() * 20); length >= 0; length--) {
    const kind = random();
    if (kind < 0.3) parts.push(new Uint8Array(Math.floor(random() * 1.5 * most)).fill(random() * 256));
    else if (kind < 0.5) parts.push(parts[Math.floor(random() * parts.length)] ?? new Uint8Array());
    else parts.push(randomBytes(random, Math.floor(random() * most)));
  }
  return Buffer.concat(parts);
}

test("compressed data decompresses to itself, as with the library", () => {
  const random = seededRandom(4);
  for (let run = 0; run < 60; run++) {
    const message = someMessage(random);
    const packed = packSnappy(message);
    expect(packed.length).toBeLessThanOrEqual(maxPackedBytes(message.length));
    const unpacked = unpackSnappy(packed, message.length);
    expect(Buffer.compare(unpacked, message)).toBe(0);
    expect(Buffer.compare(unpacked, oracle.uncompress(packed, LIMIT))).toBe(0);
  }
});

test("a long message is packed and unpacked in steps, to the same bytes", () => {
  const message = someMessage(seededRandom(5), 200_000);
  const packed = packSnappy(message);
  const steps = { packing: packSnappySteps(message), unpacking: unpackSnappySteps(packed, message.length) };
  const ran = Object.values(steps).map((each) => {
    let count = 1;
    let step = each.next();
    for (; step.done !== true; step = each.next()) count++;
    return { count, bytes: step.value };
  });
  expect(ran.map(({ bytes }) => bareHex(bytes))).toEqual([packed, message].map(bareHex));
  for (const { count } of ran) expect(count).toBeGreaterThan(message.length / 2 ** 18);
});

test("every kind of tag is decompressed: literals with long lengths, copies of one, two and four bytes", () => {
  const eight = "61".repeat(8);
  for (const [packed, wanted] of [
    ["00", ""],
    ["0308616263", "616263"],
    ["03f002616263", "616263"],
    ["03f40200616263", "616263"],
    ["03f8020000616263", "616263"],
    ["03fc02000000616263", "616263"],
    ["0800610d01", eight],
    ["0800611a0100", eight],
    ["0800611b01000000", eight],
    ["07086162630103", "61626361626361"],
  ] as const) {
    const block = Buffer.from(packed, "hex");
    block[0] = wanted.length / 2;
    expect(bareHex(unpackSnappy(block, LIMIT))).toBe(wanted);
  }
});

test.each([
  ["nothing at all", ""],
  ["a length without an end", "ffffffffff"],
  ["a length that nothing fills", "0508616263"],
  ["more than was announced", "0208616263"],
  ["a literal past the end", "0414616263"],
  ["a literal of negative length, on which the library never ends", "10fcf6ffffff00000000000000000000"],
  ["a copy before the beginning", "0800610d02"],
  ["a copy of offset zero", "0800610d00"],
  ["a copy cut off", "0800611a01"],
  ["a copy past the announced end", "0300610d01"],
  ["a length that so short a block cannot have", "ffff7f00"],
])("refuses %s", (_, packed) => {
  expect(() => unpackSnappy(Buffer.from(packed, "hex"), LIMIT)).toThrow(badMessage);
});

test("a message above the limit is refused before decompression", () => {
  const packed = packSnappy(new Uint8Array(1000));
  expect(unpackSnappy(packed, 1000).length).toBe(1000);
  expect(() => unpackSnappy(packed, 999)).toThrow(expect.objectContaining({ code: "too-large" }));
  expect(() => unpackSnappy(Buffer.from("ffffffff0f", "hex"), LIMIT)).toThrow(
    expect.objectContaining({ code: "too-large" }),
  );
});

test("damaged blocks are refused or decompress to the announced length, and always terminate", () => {
  const random = seededRandom(5);
  for (let run = 0; run < 600; run++) {
    const packed = Uint8Array.from(packSnappy(someMessage(random, 60)));
    for (let flips = 0; flips < 3; flips++) packed[Math.floor(random() * packed.length)] = random() * 256;
    try {
      expect(unpackSnappy(packed, 10_000).length).toBeLessThanOrEqual(10_000);
    } catch (error) {
      expect(error).toEqual(expect.objectContaining({ name: "P2pError" }));
    }
  }
});

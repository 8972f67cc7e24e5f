/** Tests of the frames of the journal. */
import { expect, test } from "@jest/globals";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { frameLength } from "../../../node/txpool/journal.ts";

const LIMIT = 100_000;
const list = (size: number) => encodeRlp([new Uint8Array(size).fill(7)]);

test("a frame is at most two prefix bytes and one list", () => {
  for (const prefix of [[], [0x08], [0x78, 0x02]]) {
    for (const size of [0, 10, 60, 300, 70_000]) {
      const frame = Uint8Array.of(...prefix, ...list(size));
      expect(frameLength(frame, 0, LIMIT)).toBe(frame.length);
      expect(frameLength(Uint8Array.of(1, 2, 3, ...frame), 3, LIMIT)).toBe(frame.length);
    }
  }
});

test("the length is known as soon as the list's header is there", () => {
  const frame = Uint8Array.of(0x78, 0x01, ...list(300));
  for (const cut of [0, 1, 2, 3, 4]) expect(frameLength(frame.slice(0, cut), 0, LIMIT)).toBe("incomplete");
  expect(frameLength(frame.slice(0, 5), 0, LIMIT)).toBe(frame.length);
});

test("what is no list, or longer than any transaction, is damage", () => {
  expect(frameLength(Uint8Array.of(0x80), 0, LIMIT)).toBe("damaged");
  expect(frameLength(Uint8Array.of(1, 2, 3, 0xc0), 0, LIMIT)).toBe("damaged");
  expect(frameLength(Uint8Array.of(0xff, ...new Uint8Array(8).fill(0xff)), 0, LIMIT)).toBe("damaged");
  expect(frameLength(list(LIMIT), 0, LIMIT)).toBe("damaged");
});

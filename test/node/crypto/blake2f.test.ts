/** Tests of BLAKE2b's F, with the vectors of EIP-152. */
import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { BLAKE2F_INPUT_BYTES, blake2f, blake2fRounds } from "../../../node/crypto/blake2f.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

// EIP-152: all its vectors are this input but for rounds and flag; the last of them takes minutes.
const STATE =
  "48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" +
  "d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b";
const MESSAGE = `616263${"00".repeat(125)}`;
const COUNT = `03${"00".repeat(15)}`;
const input = (rounds: string, flag: string): Uint8Array =>
  fromBareHex(`${rounds}${STATE}${MESSAGE}${COUNT}${flag}`);

test.each([
  [
    "4: no round",
    input("00000000", "01"),
    "08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b",
  ],
  [
    "5: 12 rounds, last",
    input("0000000c", "01"),
    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
  ],
  [
    "6: 12 rounds, not last",
    input("0000000c", "00"),
    "75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735",
  ],
  [
    "7: one round",
    input("00000001", "01"),
    "b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421",
  ],
])("vector %s gives the published state", (_name, bytes, expected) => {
  expect(bareHex(blake2f(bytes) ?? new Uint8Array())).toBe(expected);
});

test("inputs of another length or with another flag are refused (vectors 0 to 3)", () => {
  const good = input("0000000c", "01");
  for (const length of [0, 1, BLAKE2F_INPUT_BYTES - 1])
    expect(blake2f(good.subarray(0, length))).toBeUndefined();
  expect(blake2f(concatBytes(Uint8Array.of(0), good))).toBeUndefined();
  for (const flag of ["02", "80", "ff"]) expect(blake2f(input("0000000c", flag))).toBeUndefined();
});

test("rounds are read big-endian, from a view into longer bytes too", () => {
  expect(blake2fRounds(concatBytes(Uint8Array.of(9, 9), input("ffffff01", "00")).subarray(2))).toBe(
    0xffff_ff01,
  );
});

test("chained over the blocks of random messages it is the hash BLAKE2b-512 of OpenSSL", () => {
  const random = seededRandom(152);
  for (const length of [1, 127, 128, 129, 256, 600]) {
    const message = randomBytes(random, length);
    expect(bareHex(hashByF(message))).toBe(createHash("blake2b512").update(message).digest("hex"));
  }
});

/** RFC 7693 section 3.3, without a key. */
function hashByF(message: Uint8Array): Uint8Array {
  let state: Uint8Array = fromBareHex(STATE);
  for (let at = 0; at === 0 || at < message.length; at += 128) {
    const block = new Uint8Array(128);
    block.set(message.subarray(at, at + 128));
    const count = Buffer.alloc(16);
    count.writeUInt32LE(Math.min(at + 128, message.length));
    const last = at + 128 >= message.length ? 1 : 0;
    const bytes = concatBytes(Uint8Array.of(0, 0, 0, 12), state, block, count, Uint8Array.of(last));
    state = blake2f(bytes) ?? new Uint8Array();
  }
  return state;
}

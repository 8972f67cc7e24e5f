/** Tests of ECIES of the devp2p handshake. */
import { expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { BOX_OVERHEAD, openBox, sealBox } from "../../../node/crypto/ecies.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { publicKeyOf } from "../../../node/crypto/secp256k1.ts";

const keyOf = (name: string): Uint8Array => keccak256(Buffer.from(name));
const receiver = keyOf("receiver");
const prefix = Uint8Array.of(1, 2);
const box = (message: Uint8Array): Uint8Array =>
  sealBox({
    message,
    prefix,
    to: publicKeyOf(receiver),
    ephemeralKey: keyOf("ephemeral"),
    iv: keyOf("iv").subarray(16),
  });

test("the receiver opens a box, whatever it holds, and nobody else does", () => {
  for (const length of [0, 1, 15, 16, 17, 400]) {
    const message = new Uint8Array(length).fill(7);
    expect(box(message).length).toBe(length + BOX_OVERHEAD);
    expect(bareHex(openBox(receiver, box(message), prefix) ?? Uint8Array.of(0))).toBe(bareHex(message));
    expect(openBox(keyOf("another"), box(message), prefix)).toBeUndefined();
    expect(openBox(receiver, box(message), Uint8Array.of(1, 3))).toBeUndefined();
  }
});

test("a box with any byte changed, cut short or extended does not open", () => {
  const good = box(Buffer.from("hello"));
  for (let at = 0; at < good.length; at++) {
    expect(openBox(receiver, good.with(at, (good[at] as number) ^ 0x40), prefix)).toBeUndefined();
    expect(openBox(receiver, good.subarray(0, at), prefix)).toBeUndefined();
  }
  expect(openBox(receiver, Uint8Array.from([...good, 0]), prefix)).toBeUndefined();
});

test("a box for a key off the curve is refused", () => {
  const content = { message: prefix, prefix, ephemeralKey: keyOf("ephemeral"), iv: keyOf("iv").subarray(16) };
  expect(() => sealBox({ ...content, to: new Uint8Array(64) })).toThrow(
    expect.objectContaining({ code: "bad-public-key" }),
  );
});

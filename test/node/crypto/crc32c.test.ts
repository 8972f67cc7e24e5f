/** Tests of CRC-32C. */
import { expect, test } from "@jest/globals";
import { crc32c } from "../../../node/crypto/crc32c.ts";

// RFC 3720, appendix B.4, and the check value that catalogues of checksums give
test.each([
  ["nothing", new Uint8Array(0), 0],
  ["32 zeros", new Uint8Array(32), 0x8a9136aa],
  ["32 ones", new Uint8Array(32).fill(255), 0x62a8ab43],
  ["0 to 31", Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ["31 to 0", Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
  ["nine digits", Buffer.from("123456789"), 0xe3069283],
])("the sum of %s", (_what, bytes, sum) => {
  expect(crc32c(bytes)).toBe(sum);
});

test("the sum of more than the module takes at a time, bit by bit", () => {
  const bytes = Uint8Array.from({ length: 150_001 }, (_, i) => (i * i) >>> 3);
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  expect(crc32c(bytes)).toBe(~crc >>> 0);
});

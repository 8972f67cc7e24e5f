/** Tests of the refusals of `knit decode`. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { complaint, PUBLIC_KEY, sample } from "./decoded.ts";

let directory = "";

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-decode-"));
});

afterAll(() => rmSync(directory, { recursive: true }));

/** Lists in lists. */
function nest(depth: number): Uint8Array {
  return depth === 0 ? encodeRlpList([]) : encodeRlpList([nest(depth - 1)]);
}

describe("what is wrong is said with its byte", () => {
  test.each([
    ["rlp", "c2c1", "RLP at byte 0: rlp: length 2 passes the end of the input (byte 0)"],
    ["rlp", "c3c28100", "RLP at byte 0: rlp: a single byte below 0x80 with a length prefix (byte 2)"],
    ["rlp", "0102", "RLP at byte 0: 1 bytes after the item (byte 1)"],
    ["rlp", toHex(nest(70)), "lists nested deeper than 64 (byte"],
    ["header", "c101", "header at byte 0: rlp: a byte string of 1 bytes, not 32 (byte 1)"],
    ["account", "09c0", "account at byte 0: unknown account type 9"],
    ["account", "01c500808001c0", "account at byte 0: rlp: integer with leading zero bytes (byte 2)"],
    [
      "account-key",
      `05e5a4${PUBLIC_KEY.replace("02a1", "02a2")}00`,
      "public key at byte 4: rlp: a byte string of 34",
    ],
    ["account-key", "05c38205c0", "nested composite type"],
    ["extra", "00", "extra data at byte 0: 1 bytes where 32 of vanity are wanted (byte 1)"],
    [
      "extra",
      `${"00".repeat(32)}c3c18080`,
      "extra data at byte 0: rlp: a byte string of 0 bytes, not 20 (byte 34)",
    ],
    ["vote", "c20101", "vote at byte 0: rlp: a byte string of 1 bytes, not 20 (byte 1)"],
    ["governance", "83616263", "governance data at byte 1: not JSON"],
    ["block", "c2c080", "block at byte 0: a list is wanted (byte 2)"],
    ["block", "c2c0c0", "header at byte 1: rlp: an item is missing (byte 2)"],
  ])("%s %s", async (type, hex, message) => {
    expect(await complaint("--type", type, hex)).toContain(message);
  });

  test("without a type, by the type that came farthest", async () => {
    const { raw } = sample("0a_FeeDelegatedValueTransferWithRatio");
    expect(await complaint(raw.slice(0, -2))).toContain(
      "Fatal: these bytes are of no known type: transaction at byte 0: rlp: length 215 passes the end of the input (byte 1)",
    );
  });

  test("a type that is none, an argument that is neither hex nor a file, and no argument", async () => {
    expect(await complaint("--type", "tx", "00")).toContain("--type must be one of transaction, block,");
    expect(await complaint("0xabc")).toContain("an odd number of hex digits, and no file");
    expect(await complaint(join(directory, "missing"))).toContain("ENOENT");
    expect(await complaint()).toContain("missing required argument");
  });
});

test("a file above 64 MB is refused before it is read", async () => {
  const file = join(directory, "large");
  writeFileSync(file, "");
  truncateSync(file, 64 * 1024 * 1024 + 1);
  expect(await complaint(file)).toContain("67108865 bytes, at most 67108864 are decoded");
});

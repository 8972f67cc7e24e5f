/** Tests of the BLS key of a node. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loadBlsKey, noteBlsKey } from "../../../node/accounts/bls-node-key.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { loadBls } from "../../../node/crypto/bls.ts";
import { deriveBlsKey } from "../../../node/crypto/bls-key.ts";

const NODE_KEY = new Uint8Array(32).fill(3);
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
let directory = "";
const place = (name: string): string => join(directory, name);
const load = (sources: Partial<Parameters<typeof loadBlsKey>[0]>) =>
  loadBlsKey({ given: undefined, named: undefined, usual: place("usual"), nodeKey: NODE_KEY, ...sources });

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-bls-"));
  writeFileSync(place("usual"), `${"05".repeat(32)}\n`);
  writeFileSync(place("named"), `0x${"06".repeat(32)}`);
  writeFileSync(place("short"), "06".repeat(31));
  writeFileSync(place("long"), "06".repeat(33));
  writeFileSync(place("large"), "ff".repeat(32));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

test("a given BLS key comes before a named file, that before the usual one, and the node key's own last", async () => {
  expect(await load({ given: key(7), named: place("named") })).toEqual(key(7));
  expect(await load({ named: place("named") })).toEqual(key(6));
  expect(await load({})).toEqual(key(5));
  expect(await load({ usual: place("none") })).toEqual(deriveBlsKey(NODE_KEY));
  expect(readdirSync(directory)).not.toContain("none");
});

test.each([
  ["a named file that is not there", { named: "none" }, /^cannot read the BLS key: ENOENT/],
  ["a directory", { usual: "" }, /^cannot read the BLS key: EISDIR/],
  ["too few digits", { named: "short" }, /does not hold 64 hex digits$/],
  ["too many digits", { usual: "long" }, /does not hold 64 hex digits$/],
  ["a number that is no key", { named: "large" }, /^the key in .* is no private key of BLS12-381$/],
])("%s is refused", async (_, sources, message) => {
  const placed = Object.fromEntries(Object.entries(sources).map(([name, path]) => [name, place(path)]));
  await expect(load(placed)).rejects.toMatchObject({
    code: "bad-bls-key",
    message: expect.stringMatching(message),
  });
  await expect(load({ given: key(0) })).rejects.toThrow("the BLS key that was given is no private key");
});

test("no flipped bit of a key file that was written here gives another key", async () => {
  const path = place("flipped");
  const digits = Buffer.from(bareHex(key(10)));
  writeFileSync(path, digits);
  await noteBlsKey(path, (await loadBls()).publicKeyOf(key(10)));
  expect(await load({ named: path })).toEqual(key(10));
  const refused = expect.objectContaining({ code: "bad-bls-key" });
  for (let bit = 0; bit < digits.length * 8; bit++) {
    const flipped = Buffer.from(digits);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, flipped);
    // a letter in the other case is the same digit
    if (flipped.toString().toLowerCase() === digits.toString()) continue;
    await expect(load({ named: path })).rejects.toEqual(refused);
  }
  writeFileSync(path, bareHex(key(9)));
  await expect(load({ named: path })).rejects.toThrow(
    /flipped is the key of [0-9a-f]{96}, the recorded key is [0-9a-f]{96}: put the right key there, or remove .*flipped\.public if/,
  );
  rmSync(`${path}.public`);
  expect(await load({ named: path })).toEqual(key(9));
});

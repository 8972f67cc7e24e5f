/** Tests of the node key and its file. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { computeAddress, SigningKey } from "ethers";
import { addressText, bareHex, toHex } from "../../../node/bytes/hex.ts";
import { loadNodeKey, nodeKeyOf, readNodeKey } from "../../../node/p2p/node-key.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-node-key-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("a missing key file is created, readable by its owner alone, and read again as the same identity", async () => {
  const path = join(directory, "knit", "nodekey");
  const made = await loadNodeKey(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, "utf8")).toMatch(/^[0-9a-f]{64}$/);
  expect(await loadNodeKey(path)).toEqual(made);
});

test("a mistyped --nodekey is refused with advice, and creates no file", async () => {
  const path = join(directory, "mistyped", "nodekey");
  await expect(readNodeKey(path)).rejects.toMatchObject({
    code: "bad-node-key",
    message: `Option "nodekey": open ${path}: no such file or directory; name an existing file, or make one with \`knit bootnode --genkey FILE\``,
  });
  await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  const made = await loadNodeKey(path);
  expect(await readNodeKey(path)).toEqual(made);
});

test("a directory in place of a node key is reported", async () => {
  await expect(readNodeKey(directory)).rejects.toThrow(`cannot read the node key ${directory}: EISDIR`);
});

test("a generated key that has changed is refused, a supplied one is accepted", async () => {
  const path = join(directory, "flipped", "nodekey");
  const made = await loadNodeKey(path);
  const digits = await readFile(path, "utf8");
  await writeFile(path, (digits.startsWith("0") ? "1" : "0") + digits.slice(1));
  await expect(loadNodeKey(path)).rejects.toMatchObject({
    code: "bad-node-key",
    message: expect.stringContaining(
      `it was made for ${bareHex(made.address)}: put the right key there, or remove`,
    ),
  });
  await rm(`${path}.address`);
  expect((await loadNodeKey(path)).address).not.toEqual(made.address);
});

test("id and address are those of the key", () => {
  const key = new Uint8Array(32).fill(7);
  const node = nodeKeyOf(key);
  expect(toHex(node.id)).toBe(`0x${SigningKey.computePublicKey(key).slice(4)}`);
  expect(addressText(node.address)).toBe(computeAddress(new SigningKey(key)).toLowerCase());
});

test("digits after the first 64 are ignored, and fewer are refused", async () => {
  const path = join(directory, "given");
  await writeFile(path, `${"0a".repeat(32)}\n`);
  expect((await loadNodeKey(path)).key).toEqual(new Uint8Array(32).fill(10));
  await writeFile(path, "0a".repeat(31));
  await expect(loadNodeKey(path)).rejects.toThrow("64 hex digits");
});

test("zero is not a private key", () => {
  expect(() => nodeKeyOf(new Uint8Array(32))).toThrow("not a private key");
});

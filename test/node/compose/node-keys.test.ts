/** Tests of the node key of a node: the address that it must have. */
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Address } from "../../../node/bytes/brands.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { ownNodeKey } from "../../../node/compose/node-keys.ts";
import { nodeKeyOf } from "../../../node/p2p/node-key.ts";

const KEY = nodeKeyOf(new Uint8Array(32).fill(7));
const OTHER = nodeKeyOf(new Uint8Array(32).fill(8));

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-node-keys-"));
  writeFileSync(join(directory, "nodekey"), "07".repeat(32));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const keyIn = (name: string, nodeAddress: Address | undefined) =>
  ownNodeKey({
    nodeKey: undefined,
    nodeAddress,
    paths: { nodeKey: join(directory, name), isNodeKeyNamed: false },
  });

test("a key of the given address is read", async () => {
  expect((await keyIn("nodekey", KEY.address)).id).toEqual(KEY.id);
});

test("a key of another address is refused, in a file and in the options", async () => {
  const message = `the node key has the address ${toHex(KEY.address)}, but --nodekey.address is ${toHex(OTHER.address)}: restore its key`;
  await expect(keyIn("nodekey", OTHER.address)).rejects.toMatchObject({ code: "bad-node-key", message });
  const paths = { nodeKey: join(directory, "nodekey"), isNodeKeyNamed: true };
  const given = ownNodeKey({ nodeKey: KEY.key, nodeAddress: OTHER.address, paths });
  await expect(given).rejects.toMatchObject({ code: "bad-node-key", message });
});

test("with an address no key is created in an empty data directory", async () => {
  await expect(keyIn("none", KEY.address)).rejects.toMatchObject({ code: "bad-node-key" });
  expect(existsSync(join(directory, "none"))).toBe(false);
  await expect(keyIn("none", undefined)).resolves.toBeDefined();
});

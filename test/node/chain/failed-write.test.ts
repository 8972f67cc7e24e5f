/** A database that fails: the writer says so once, and takes in nothing more. */
import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../../node/model/block.ts";
import { StoreError } from "../../../node/store/error.ts";
import { tables } from "../../../node/store/tables.ts";
import { aChain, recordedBlocks, recordedGenesis } from "../../support/chain.ts";

test("after a write that the database refused, later blocks are refused as this node's own failure", async () => {
  await using open = await aChain(await recordedGenesis());
  const { store, writer, chain } = open;
  const [, first, second] = (await recordedBlocks()).map(decodeBlock);
  if (first === undefined || second === undefined) throw new Error("the recorded chain has two blocks");
  const error = new StoreError("failed", "write failed: no space left on device");
  const write = store.write.bind(store);
  Object.assign(store, { write: () => Promise.reject(error) });
  await expect(writer.insert(first, true)).rejects.toBe(error);
  await expect(writer.failed).rejects.toBe(error);
  Object.assign(store, { write });
  await expect(writer.insert(second, true)).rejects.toMatchObject({ code: "failed", cause: error });
  expect(chain.head().header.number).toBe(0);
});

test("a damaged row that a block reads is this node's own failure, and no bad block", async () => {
  await using open = await aChain(await recordedGenesis(), { cachedAccounts: 0 });
  const { store, writer, chain } = open;
  const [, first] = (await recordedBlocks()).map(decodeBlock);
  if (first === undefined) throw new Error("the recorded chain has a block");
  const error = new StoreError("corrupt", "row 61 fails its checksum");
  const get = store.get.bind(store);
  const isAccount = tables.account.range();
  Object.assign(store, {
    get: (key: Uint8Array) => {
      if (key[0] === isAccount.from[0]) throw error;
      return get(key);
    },
  });
  await expect(writer.insert(first, true)).rejects.toMatchObject({ code: "failed" });
  await expect(writer.failed).rejects.toBe(error);
  Object.assign(store, { get });
  expect(chain.badBlocks()).toEqual([]);
});

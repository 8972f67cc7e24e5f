/** A database that refuses a write: the writer says so once, and takes in nothing more. */
import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../../node/model/block.ts";
import { StoreError } from "../../../node/store/error.ts";
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

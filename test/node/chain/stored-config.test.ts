/** Tests of the stored chain configuration. */
import { expect, test } from "@jest/globals";
import { putConfig, storedConfig } from "../../../node/chain/stored-config.ts";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";

test("a scheduled fork that this version does not know stays in the database", async () => {
  const store = createMemoryStore();
  const batch = store.createBatch();
  putConfig(batch, parseChainConfig({ chainId: 5, osakaCompatibleBlock: 7, nextCompatibleBlock: 9 }));
  await store.write(batch, { sync: true });
  const config = storedConfig(store);
  expect([...config.forks]).toEqual([["osakaCompatibleBlock", 7]]);
  expect([...config.unknownForks]).toEqual([["nextCompatibleBlock", 9]]);
});

/** Tests of governance votes when blocks are rewound. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import type { ContractReader } from "../../../node/governance/contract-reader.ts";
import type { OpenGovernanceDeps } from "../../../node/governance/governance.ts";
import { openGovernance } from "../../../node/governance/governance.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import type { Header } from "../../../node/model/header.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables } from "../../../node/store/tables.ts";
import { recordedBlocks, recordedGenesis } from "../../support/chain.ts";

const NO_CONTRACTS: ContractReader = {
  account: () => undefined,
  code: () => new Uint8Array(0),
  balance: () => 0n,
  call: () => undefined,
};

test("votes of rewound blocks are dropped, earlier votes stay", async () => {
  const { config } = await recordedGenesis();
  const genesis = decodeBlock((await recordedBlocks())[0] ?? new Uint8Array(0)).header;
  const store = createMemoryStore();
  const headers: Header[] = [genesis];
  const parts: OpenGovernanceDeps = {
    config,
    rows: store,
    tip: () => headers.length - 1,
    block: (number) => {
      const header = headers[number];
      return header && { header, hash: new Uint8Array(32), author: () => undefined };
    },
    contracts: () => NO_CONTRACTS,
  };
  const governance = openGovernance(parts);
  const grow = async (number: number, added?: number): Promise<void> => {
    const vote = [genesis.rewardbase, Buffer.from("governance.addvalidator"), fixedBytes(added ?? 0, 20)];
    const header = { ...genesis, number, vote: added === undefined ? new Uint8Array(0) : encodeRlp(vote) };
    const batch = store.createBatch();
    governance.accept(header, batch);
    headers.push(header);
    await store.write(batch, { sync: true });
  };
  const council = (number: number): string[] => governance.council(number).map(toHex);
  const first = council(0);
  for (const [number, added] of [[1], [2, 7], [3], [4, 8], [5]] as const) await grow(number, added);
  expect(council(6)).toHaveLength(first.length + 2);
  const batch = store.createBatch();
  batch.put(tables.staking.key(1), Uint8Array.of(1));
  batch.put(tables.staking.key(4), Uint8Array.of(1));
  const forget = governance.rewind(3, batch);
  await store.write(batch, { sync: true });
  headers.length = 4;
  forget();
  expect(council(4)).toEqual(council(3));
  expect(council(4)).toHaveLength(first.length + 1);
  expect(store.get(tables.staking.key(4))).toBeUndefined();
  await grow(4, 9);
  expect(council(5)).toContain(toHex(fixedBytes(9, 20)));
  const again = openGovernance(parts);
  expect(again.council(5).map(toHex)).toEqual(council(5));
});

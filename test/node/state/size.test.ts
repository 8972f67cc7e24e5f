/** Tests of the size of the databases under repeated changes. */
import { expect, test } from "@jest/globals";
import { emptyAccount } from "../../../node/model/account.ts";
import { openState } from "../../../node/state/open-state.ts";
import type { World } from "../../../node/state/world/world.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables, trieTables } from "../../../node/store/tables.ts";
import { sumRows } from "../../support/row-sums.ts";
import { anAddress, closeTogether, keptTries, makeBlock } from "./fixture.ts";

const PERIOD = 12;
const RETENTION = 3;
const CONTRACTS = [101, 102, 103].map(anAddress);
const PASSING = anAddress(200);
const SLOTS = 40;

/** A block of a period whose end leaves everything as its beginning found it. */
function change(world: World, step: number): void {
  const isFirstHalf = step < PERIOD / 2;
  for (let n = 1; n <= 60; n++) {
    if (isFirstHalf) world.addBalance(anAddress(n), 5n);
    else world.subtractBalance(anAddress(n), 5n);
  }
  for (const address of CONTRACTS) {
    for (let key = step % 6; key < SLOTS; key += 6)
      world.setSlot(address, BigInt(key), isFirstHalf ? 7n : 0n);
  }
  if (step === 2) world.destroy(PASSING);
  if (step === PERIOD - 1) make(world, PASSING);
  world.endTransaction();
}

function make(world: World, address: Uint8Array): void {
  world.setAccount(address, { ...emptyAccount(), kind: "contract", nonce: 1n });
  world.setCode(address, Uint8Array.of(1, 2, 3));
  for (let key = 0; key < SLOTS; key++) world.setSlot(address, BigInt(1000 + key), 9n);
}

test("what changes again and again over the same accounts takes no more room than at first", async () => {
  const [chain, tries] = [createMemoryStore(), keptTries()];
  const settings = { retention: RETENTION, flushInterval: 2 };
  await using node = closeTogether(chain, await openState({ chain, trie: tries, ...settings }));
  const sizes = async (): Promise<object> => {
    await node.state.flush();
    await node.state.verify(); // sweeps have come to an end
    const { account, slot, code, destroyed, undo, change: archived } = tables;
    const state = [account, slot, code, destroyed].map((table) => table.range());
    const trie = [trieTables.accountNode, trieTables.storageNode].map((table) => table.range());
    return {
      state: await sumRows(chain, ...state),
      trie: await sumRows(await tries.open(0), ...trie),
      history: (await sumRows(chain, undo.range(), archived.range())).rows,
    };
  };
  await makeBlock(node, (world) => {
    for (let n = 1; n <= 60; n++) world.addBalance(anAddress(n), 1000n);
    for (const address of [...CONTRACTS, PASSING]) make(world, address);
  });
  const first = await sizes();
  for (let n = 0; n < 8 * PERIOD; n++) await makeBlock(node, (world) => change(world, n % PERIOD));
  expect(await sizes()).toEqual({ ...first, history: RETENTION });
});

/** Tests of the verification of the whole state. */
import { expect, test } from "@jest/globals";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { slotsOf } from "../../../node/state/flat/storage-rows.ts";
import { tables } from "../../../node/store/tables.ts";
import { anAddress, makeBlock, type Opened, openInMemory } from "./fixture.ts";

const alice = anAddress(1);
const CODE = Uint8Array.of(1, 2, 3);
const SLOT = tables.slot.key(keccak256(alice), 1, keccak256(new Uint8Array(32)));

async function openContract(): Promise<Opened> {
  const node = await openInMemory();
  await makeBlock(node, (world) => {
    world.setAccount(alice, { ...emptyAccount(), kind: "contract", nonce: 1n });
    world.setCode(alice, CODE);
    for (let i = 0n; i < 20n; i++) world.setSlot(alice, i, 7n);
  });
  return node;
}

test("verify counts accounts, slots and code", async () => {
  await using node = await openContract();
  await makeBlock(node, (world) => {
    world.setAccount(anAddress(2), { ...emptyAccount(), kind: "contract", nonce: 1n });
    world.setCode(anAddress(2), CODE);
  });
  expect(await node.state.verify()).toMatchObject({ accounts: 2, slots: 20, codes: 1, changes: 0 });
});

test.each([
  ["a slot that is gone", SLOT, undefined],
  ["a slot with another value", SLOT, Uint8Array.of(8)],
  ["a slot too many", slotsOf(keccak256(alice), 1).to, Uint8Array.of(1)],
  ["code that is gone", tables.code.key(keccak256(CODE)), undefined],
  ["other code", tables.code.key(keccak256(CODE)), Uint8Array.of(9)],
  ["an account that is gone", tables.account.key(keccak256(alice)), undefined],
])("verify finds %s", async (_, key, value) => {
  await using node = await openContract();
  const batch = node.chain.createBatch();
  if (value === undefined) batch.delete(key);
  else batch.put(key.length === SLOT.length ? key : key.subarray(0, SLOT.length), value);
  await node.chain.write(batch, { sync: false });
  await expect(node.state.verify()).rejects.toMatchObject({ code: "corrupt" });
});

test("verify counts slots of nobody", async () => {
  await using node = await openContract();
  const batch = node.chain.createBatch();
  batch.put(tables.slot.key(keccak256(alice), 5, keccak256(alice)), Uint8Array.of(1));
  await node.chain.write(batch, { sync: false });
  expect(await node.state.verify()).toMatchObject({ slots: 20, straySlots: 1 });
});

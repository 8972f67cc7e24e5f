/** The signing record: what is on disk when, and what a node that comes back with it says. */
import { expect, test } from "@jest/globals";
import { mapKey } from "../../../../node/bytes/hex.ts";
import { encodeRlpList } from "../../../../node/bytes/rlp.ts";
import { createWriter } from "../../../../node/consensus/bft/letters.ts";
import type { Remembered } from "../../../../node/consensus/bft/round-state.ts";
import { readRecord, SigningRecord } from "../../../../node/consensus/bft/signing-record.ts";
import { type ProposedBlock, proposedBlock } from "../../../../node/consensus/bft/statements.ts";
import { sign } from "../../../../node/crypto/secp256k1.ts";
import { createMemoryStore } from "../../../../node/store/memory-store.ts";
import { bareHeader } from "../../../support/bare-header.ts";
import { seats } from "../../../support/bft/council.ts";
import { aBlock, aProposal, Table } from "../../../support/bft/table.ts";

const VIEW = { sequence: 1, round: 0 };
const NOTHING: Remembered<ProposedBlock> = {
  signed: { view: { sequence: 0, round: 0 }, digests: {} },
  lock: undefined,
};
const BLOCK = proposedBlock(bareHeader({ number: 1 }), encodeRlpList([]));
const PREPARED = { signed: { view: VIEW, digests: { prepare: BLOCK.hash } }, lock: undefined };

/** A record in memory, and how often it was written. */
function aRecord() {
  const store = createMemoryStore();
  const write = store.write.bind(store);
  let writes = 0;
  Object.assign(store, {
    write: (...terms: Parameters<typeof write>) => {
      writes++;
      return write(...terms);
    },
  });
  return { store, record: new SigningRecord(store), writes: () => writes };
}

/** A lock with one vote to stand on. */
function aLock(): NonNullable<Remembered<ProposedBlock>["lock"]> {
  const [{ key, address }] = seats(1) as [ReturnType<typeof seats>[0]];
  const { hash: digest, parent } = BLOCK;
  const statement = { kind: "prepare", view: VIEW, digest, parent } as const;
  const letter = createWriter(address, (hash) => sign(hash, key))(statement);
  const { seal, payload } = letter;
  return { round: 0, proposal: BLOCK, proof: [{ sender: mapKey(address), statement, seal, payload }] };
}

test("what was kept is read back, with the lock and the votes it stands on", async () => {
  const { store, record } = aRecord();
  expect(readRecord(store)).toBeUndefined();
  const now = { signed: { view: VIEW, digests: { prepare: BLOCK.hash, commit: BLOCK.hash } }, lock: aLock() };
  await record.keep(now);
  expect(readRecord(store)).toEqual(now);
  await record.keep(PREPARED);
  expect(readRecord(store)?.lock).toBeUndefined();
});

test("a view that was reserved is written once; what is proposed and prepared there needs no more", async () => {
  const { record, writes } = aRecord();
  for (let i = 0; i < 3; i++) record.reserve({ ...NOTHING, view: VIEW });
  await record.keep(PREPARED);
  expect(writes()).toBe(1);
  await record.keep({ signed: { view: VIEW, digests: { commit: BLOCK.hash } }, lock: aLock() });
  expect(writes()).toBe(2);
});

test("after a crash nothing is proposed or prepared in a reserved view; after an orderly end it is", async () => {
  const { store, record } = aRecord();
  record.reserve({ ...NOTHING, view: VIEW });
  await record.keep(NOTHING);
  expect(saysOfProposal(readRecord(store)?.signed)).toEqual([]);
  await record.settle(NOTHING);
  expect(saysOfProposal(readRecord(store)?.signed)).toEqual(["prepare 0 b"]);
});

/** What a validator that comes back says of a good proposal. */
function saysOfProposal(signed: Remembered<ProposedBlock>["signed"] | undefined): readonly string[] {
  const table = new Table("v1", 4, signed && { signed, lock: undefined });
  table.hear(aProposal("v0", aBlock("b")));
  table.approve("b");
  return table.said;
}

/** The signing record: what is on disk when, and what a node that comes back with it says. */
import { describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../../node/bytes/compare.ts";
import { mapKey } from "../../../../node/bytes/hex.ts";
import { encodeRlpList } from "../../../../node/bytes/rlp.ts";
import { type ProposedBlock, proposedBlock } from "../../../../node/consensus/bft/payload.ts";
import {
  type DurableState,
  initialState,
  type RoundState,
} from "../../../../node/consensus/bft/round-state.ts";
import { createMessageSigner } from "../../../../node/consensus/bft/signed-message.ts";
import { readRecord, SigningRecord } from "../../../../node/consensus/bft/signing-record.ts";
import { sign } from "../../../../node/crypto/secp256k1.ts";
import { createMemoryStore } from "../../../../node/store/memory-store.ts";
import { tables } from "../../../../node/store/tables.ts";
import { bareHeader } from "../../../support/bare-header.ts";
import { seats } from "../../../support/bft/council.ts";
import { aBlock, aProposal, Table, validatorSetOf } from "../../../support/bft/table.ts";

const VIEW = { sequence: 1, round: 0 };
const NOTHING: DurableState<ProposedBlock> = {
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
function aLock(): NonNullable<DurableState<ProposedBlock>["lock"]> {
  const [{ key, address }] = seats(1) as [ReturnType<typeof seats>[0]];
  const { hash: digest, parent } = BLOCK;
  const payload = { kind: "prepare", view: VIEW, digest, parent } as const;
  const message = createMessageSigner(address, (hash) => sign(hash, key))(payload);
  const { seal, bytes } = message;
  return { round: 0, proposal: BLOCK, proof: [{ sender: mapKey(address), payload, seal, bytes }] };
}

test("a record is read back, with the lock and its votes", async () => {
  const { store, record } = aRecord();
  expect(readRecord(store)).toBeUndefined();
  const now = { signed: { view: VIEW, digests: { prepare: BLOCK.hash, commit: BLOCK.hash } }, lock: aLock() };
  await record.sync(now);
  expect(readRecord(store)).toEqual(now);
  const later = { signed: { view: { sequence: 1, round: 1 }, digests: {} }, lock: undefined };
  await record.sync(later);
  expect(readRecord(store)).toEqual(later);
});

test.each(["signed", "locked"] as const)("a record with bytes behind the row %s is damaged", async (name) => {
  const { store, record } = aRecord();
  await record.sync({ signed: { view: VIEW, digests: { commit: BLOCK.hash } }, lock: aLock() });
  const key = tables.meta.key(name);
  const batch = store.createBatch();
  batch.put(key, concatBytes(store.get(key) ?? new Uint8Array(0), Uint8Array.of(0x80)));
  await store.write(batch, { sync: true });
  expect(() => readRecord(store)).toThrow("more items than expected");
});

test("a reserved view is written once; its proposal and prepare need no further write", async () => {
  const { record, writes } = aRecord();
  for (let i = 0; i < 3; i++) record.reserve({ ...NOTHING, view: VIEW });
  await record.sync(PREPARED);
  expect(writes()).toBe(1);
  await record.sync({ signed: { view: VIEW, digests: { commit: BLOCK.hash } }, lock: aLock() });
  expect(writes()).toBe(2);
});

test("after a crash nothing is signed in a reserved view; after a shutdown it is", async () => {
  const { store, record } = aRecord();
  record.reserve({ ...NOTHING, view: VIEW });
  await record.sync(NOTHING);
  expect(saysOfProposal(readRecord(store)?.signed)).toEqual([]);
  await record.finish(NOTHING);
  expect(saysOfProposal(readRecord(store)?.signed)).toEqual(["prepare 0 b"]);
});

function saysNothing(): never {
  throw new Error("nothing is said in this test");
}

/** The machine of the only one of four who has prepared the block. */
function preparedState(): RoundState<ProposedBlock> {
  const head = { number: 0, hash: BLOCK.parent };
  const state = initialState<ProposedBlock>({ self: "v1", write: saysNothing }, head, validatorSetOf(4));
  return { ...state, ...PREPARED, phase: "preprepared", proposal: BLOCK };
}

describe("a prepared block is written ahead as committed", () => {
  const LOCKED = {
    signed: { view: VIEW, digests: { prepare: BLOCK.hash, commit: BLOCK.hash } },
    lock: aLock(),
  };

  test("so that its commit needs no write; its votes are written later", async () => {
    const { store, record, writes } = aRecord();
    await record.sync(PREPARED);
    for (let i = 0; i < 3; i++) record.writeAhead(preparedState());
    await record.sync(LOCKED);
    expect(writes()).toBe(2);
    expect(readRecord(store)).toEqual({ ...LOCKED, lock: { ...LOCKED.lock, proof: [] } });
    record.reserve({ ...LOCKED, view: VIEW });
    await record.sync(LOCKED);
    expect(readRecord(store)).toEqual(LOCKED);
  });

  test("until the next reservation or a shutdown, when no votes arrive", async () => {
    for (const end of ["reserve", "finish"] as const) {
      const { store, record } = aRecord();
      record.writeAhead(preparedState());
      await record.sync(PREPARED);
      expect(readRecord(store)?.lock).toBeDefined();
      await record[end]({ ...PREPARED, view: VIEW });
      await record.sync(PREPARED);
      expect(readRecord(store)).toEqual(PREPARED);
    }
  });

  test("but not in later rounds, nor with a lock or a commit", async () => {
    const { record, writes } = aRecord();
    const view = { sequence: 1, round: 1 };
    record.writeAhead({ ...preparedState(), view, signed: { ...PREPARED.signed, view } });
    record.writeAhead({ ...preparedState(), ...LOCKED });
    record.writeAhead({ ...preparedState(), signed: { view: VIEW, digests: { prepare: "another" } } });
    await record.finish(NOTHING);
    expect(writes()).toBe(0);
  });
});

/** Messages of a restarted validator about a good proposal. */
function saysOfProposal(signed: DurableState<ProposedBlock>["signed"] | undefined): readonly string[] {
  const table = new Table("v1", 4, signed && { signed, lock: undefined });
  table.hear(aProposal("v0", aBlock("b")));
  table.approve("b");
  return table.said;
}

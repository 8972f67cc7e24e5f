/** A council of one at its start: whether it goes on without peers. */
import { expect, test } from "@jest/globals";
import type { Address } from "../../../../node/bytes/brands.ts";
import { integerBytes } from "../../../../node/bytes/integer.ts";
import { encodeRlpList } from "../../../../node/bytes/rlp.ts";
import { UNKNOWN_SIGNER } from "../../../../node/chain/continuity.ts";
import { proposedBlock } from "../../../../node/consensus/bft/payload.ts";
import { SigningRecord } from "../../../../node/consensus/bft/signing-record.ts";
import {
  isCompleteAlone,
  type StartingValidator,
  untilLevel,
} from "../../../../node/consensus/bft/sole-validator.ts";
import { createMemoryStore } from "../../../../node/store/memory-store.ts";
import { tables } from "../../../../node/store/tables.ts";
import { bareHeader } from "../../../support/bare-header.ts";
import { seats } from "../../../support/bft/council.ts";

const [self, other] = seats(2).map(({ address }) => address) as [Address, Address];

interface Directory {
  readonly head: number;
  readonly council?: readonly Address[];
  /** Height of the last signature in the record; undefined for no record. */
  readonly signed?: number;
  readonly signer?: Address;
  readonly minHeight?: number;
}

async function aValidator(directory: Directory): Promise<StartingValidator> {
  const { head, council = [self], signed, signer, minHeight } = directory;
  const store = createMemoryStore();
  if (signed !== undefined) {
    const view = { sequence: signed, round: 0 };
    const block = proposedBlock(bareHeader({ number: signed }), encodeRlpList([integerBytes(0)]));
    await new SigningRecord(store).sync({
      signed: { view, digests: { prepare: block.hash } },
      lock: undefined,
    });
  }
  if (signer !== undefined) {
    const batch = store.createBatch();
    batch.put(tables.meta.key("signer"), signer);
    await store.write(batch, { sync: true });
  }
  return {
    address: self,
    chain: { head: () => ({ header: bareHeader({ number: head }) }) },
    governance: { council: () => council },
    store,
    minHeight,
  } as unknown as StartingValidator; // the start looks at no more of it
}

test.each<[string, Directory, boolean]>([
  ["goes on with its blocks and its record", { head: 9, signed: 9, signer: self }, true],
  ["goes on in the height that it had begun", { head: 9, signed: 10, signer: self }, true],
  ["goes on after a kill, when its record is not on disk", { head: 9, signer: self }, true],
  ["goes on with a record alone, without protection", { head: 9, signed: 9 }, true],
  ["waits when blocks that it signed are missing", { head: 8, signed: 10, signer: self }, false],
  ["waits when nothing tells that this directory signs", { head: 9 }, false],
  ["waits when another key signed here", { head: 9, signed: 9, signer: other }, false],
  ["waits when its record may be incomplete", { head: 9, signed: 9, signer: UNKNOWN_SIGNER }, false],
  ["waits at block 0, which may be an emptied directory", { head: 0 }, false],
  ["begins at block 0 when a minimum height is kept and is 0", { head: 0, minHeight: 0 }, true],
  ["waits at block 0 below its minimum height", { head: 0, minHeight: 1 }, false],
  ["waits beside others", { head: 9, council: [self, other], signed: 9, signer: self }, false],
  ["waits when another is the validator", { head: 9, council: [other], signed: 9, signer: self }, false],
])("it %s", async (_what, directory, wanted) => {
  expect(isCompleteAlone(await aValidator(directory))).toBe(wanted);
});

test("a complete one goes on once it has no peer, and waits for one that is connected", async () => {
  const validator = await aValidator({ head: 9, signed: 9, signer: self });
  let peers = 1;
  let isLevel = false;
  const never = new Promise<void>(() => undefined);
  const looks: number[] = [];
  const count = (): number => {
    looks.push(peers);
    if (looks.length === 3) peers = 0;
    return peers;
  };
  const level = untilLevel(validator, { synced: never, count }, 1).then(() => {
    isLevel = true;
  });
  expect(isLevel).toBe(false);
  await level;
  expect(looks).toEqual([1, 1, 1]);
});

const noPeer = (): number => 0;

test("one that is level with a peer goes on at once, and an incomplete one only then", async () => {
  const peers = { synced: Promise.resolve(), count: noPeer };
  await untilLevel(await aValidator({ head: 9, signed: 9, signer: self }), peers, 1e9);
  await untilLevel(await aValidator({ head: 0 }), peers, 1);
});

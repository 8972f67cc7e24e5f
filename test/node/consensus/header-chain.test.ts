/** Headers that somebody else has stored: the seals of those that vote, where stakes can no longer be read. */
import { describe, expect, test } from "@jest/globals";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { type HeaderChain, verifyHeaderChain } from "../../../node/consensus/header-chain.ts";
import { authorOf } from "../../../node/consensus/sealers.ts";
import { putIndex } from "../../../node/governance/header-index.ts";
import { encodeStaking } from "../../../node/governance/staking-contracts.ts";
import { quorum } from "../../../node/governance/validators.ts";
import { createBlock } from "../../../node/model/block.ts";
import type { Header } from "../../../node/model/header.ts";
import { StateError } from "../../../node/state/error.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables } from "../../../node/store/tables.ts";
import { councilGenesis } from "../../support/bft/council.ts";
import { aGenesisBlock, aHeader, aSealedHeader, aValidator } from "../../support/headers.ts";

const ROUND_ROBIN = 0;
const WEIGHTED = 2;

interface Stored {
  readonly council: number;
  readonly committee: number;
  readonly policy: number;
  /** Number of seals of block 1, which votes. */
  readonly seals: number;
  /** Those of block 2; a quorum of the committee when absent. */
  readonly headSeals?: number;
}

/** A stored chain of two blocks without any state. */
function aStoredChain({ council, committee, policy, seals, headSeals }: Stored): HeaderChain {
  const validators = Array.from({ length: council }, (_, i) => aValidator(i + 1));
  const { config } = councilGenesis(validators, { istanbul: { policy, sub: committee } });
  let parent = aGenesisBlock(validators);
  const blocks = [parent];
  const add = (fields: Partial<Header>, count: number): void => {
    const header = { ...aHeader(parent, validators), ...fields };
    parent = createBlock(aSealedHeader(header, proposer, validators.slice(0, count)), []);
    blocks.push(parent);
  };
  const [proposer] = validators as [ReturnType<typeof aValidator>];
  const vote = encodeRlp([proposer.address, Buffer.from("governance.unitprice"), Uint8Array.of(1)]);
  add({ vote }, seals);
  add({}, headSeals ?? quorum(committee).required);
  return {
    config,
    rows: createMemoryStore(),
    head: 2,
    block: (number) => {
      const block = blocks[number];
      return block && { ...block, author: () => authorOf(block.header) };
    },
    contracts: () => {
      throw new StateError("state-missing", "there is no state");
    },
    pause: () => undefined,
    onHeader: () => undefined,
  };
}

describe.each([
  { name: "without weights", policy: ROUND_ROBIN },
  { name: "with weights", policy: WEIGHTED },
])("a chain $name", ({ policy }) => {
  test.each([
    { council: 10, committee: 4, seals: 3 },
    { council: 46, committee: 22, seals: 15 },
    { council: 4, committee: 22, seals: 3 },
  ])(
    "of $council validators is believed with the $seals seals of a committee of $committee",
    async (sizes) => {
      const committee = Math.min(sizes.committee, sizes.council);
      await verifyHeaderChain(aStoredChain({ ...sizes, committee, policy }));
    },
  );

  test.each([
    { council: 10, committee: 4, seals: 2 },
    { council: 46, committee: 22, seals: 14 },
    { council: 10, committee: 10, seals: 3 },
  ])(
    "of $council validators is not believed with $seals seals, which is too few for $committee",
    async (sizes) => {
      const verified = verifyHeaderChain(aStoredChain({ ...sizes, policy }));
      await expect(verified).rejects.toThrow("block 1 is not sealed by its council");
    },
  );
});

test.each([
  ["lacks a vote", []],
  ["has one too many", [1, 2]],
])("a stored index that %s is refused, because the node would go by it", async (_, numbers) => {
  const chain = aStoredChain({ council: 4, committee: 4, policy: ROUND_ROBIN, seals: 3 });
  const indexed = async (listed: readonly number[]): Promise<HeaderChain> => {
    const rows = createMemoryStore();
    const batch = rows.createBatch();
    putIndex(batch, listed);
    await rows.write(batch, { sync: false });
    return { ...chain, rows };
  };
  await verifyHeaderChain(await indexed([1]));
  await expect(verifyHeaderChain(await indexed(numbers))).rejects.toThrow("the stored index of votes");
});

test("the newest block is not believed with the seal of the only member that stored stakes leave in", async () => {
  const sizes = { council: 4, committee: 4, policy: WEIGHTED, seals: 3 };
  const { config, ...chain } = aStoredChain({ ...sizes, headSeals: 1 });
  const rows = createMemoryStore();
  const batch = rows.createBatch();
  const [node, fund] = [aValidator(1).address, new Uint8Array(20).fill(9)];
  const staked = { node, stakingContract: fund, reward: fund, amount: 9n };
  const stakes = { source: 0, nodes: [staked], kef: fund, kif: fund, kpf: undefined, pools: [] };
  batch.put(tables.staking.key(0), encodeStaking(stakes));
  await rows.write(batch, { sync: false });
  const reward = { ...config.governance.reward, minimumStake: 9n };
  const demoting = {
    ...config,
    forks: new Map([["istanbulCompatibleBlock", 0]]),
    governance: { ...config.governance, reward },
  };
  const forged = verifyHeaderChain({ ...chain, rows, config: demoting });
  await expect(forged).rejects.toThrow("block 2 is not sealed by its council");
});

test("all members of a council have enough stake without weights, so a quorum of them is needed", async () => {
  const sizes = { council: 10, committee: 10 };
  await verifyHeaderChain(aStoredChain({ ...sizes, seals: 7, policy: ROUND_ROBIN }));
  const forged = verifyHeaderChain(aStoredChain({ ...sizes, seals: 6, policy: ROUND_ROBIN }));
  await expect(forged).rejects.toThrow("block 1 is not sealed by its council");
  await verifyHeaderChain(aStoredChain({ ...sizes, seals: 4, policy: WEIGHTED })); // six may have been left out
});

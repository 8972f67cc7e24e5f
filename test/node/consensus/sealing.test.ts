/** Blocks that a single validator makes are taken by all rules elsewhere, at every level. */
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import type { OpenChain } from "../../../node/chain/open-chain.ts";
import { type Genesis, parseGenesis } from "../../../node/config/genesis.ts";
import type { DraftFigures } from "../../../node/consensus/draft-metrics.ts";
import { deriveBlsKey } from "../../../node/crypto/bls-key.ts";
import { provePossession } from "../../../node/crypto/bls-possession.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import { ADDRESS_BOOK, REGISTRY } from "../../../node/governance/system-contracts.ts";
import { decodeVote } from "../../../node/governance/vote.ts";
import type { Block } from "../../../node/model/block.ts";
import { signTransaction, type Transaction } from "../../../node/model/transaction.ts";
import { aChain } from "../../support/chain.ts";
import { answeringCode, wordsOf } from "../../support/contract-code.ts";
import { abiAnswer, addressWord } from "../../support/contracts.ts";
import { sealBlocks } from "../../support/sealed-chain.ts";

describe("with randomness and blobs", () => {
  const path = fileURLToPath(new URL("../../vectors/chains/osaka-randao/genesis.json", import.meta.url));
  const genesis = parseGenesis(readFileSync(path, "utf8"));
  const key = keccak256(Buffer.from("knit-s-osaka/cn0")); // the recorded chain's validator

  test("headers carry a verifiable random reveal", async () => {
    const blocks = await sealBlocks(genesis, { key, rewardbase: addressOfKey(key) }, 3);
    const open = await openWith(genesis, blocks);
    expect(open.writer.tip.hash).toEqual(blocks.at(-1)?.hash);
    const mixes = blocks.map(({ header }) => header.mixHash);
    expect(new Set(mixes.map((mix) => toHex(mix ?? new Uint8Array(0)))).size).toBe(3);
    expect(blocks[0]?.header).toMatchObject({ blobGasUsed: 0n, excessBlobGas: 0n });
  });

  test("a block contains blobs up to its limit; the others go into the next block", async () => {
    const sender = keccak256(Buffer.from("knit-s-osaka/acct/A"));
    const transactions = [0n, 1n, 2n].map((nonce) => aBlobTransaction(sender, nonce));
    const drafts: DraftFigures[] = [];
    const onDraft = (figures: DraftFigures): void => void drafts.push(figures);
    const maker = { key, rewardbase: addressOfKey(key), transactions, onDraft };
    const blocks = await sealBlocks(genesis, maker, 4);
    const open = await openWith(genesis, blocks);
    expect(open.writer.tip.hash).toEqual(blocks.at(-1)?.hash);
    expect(drafts.slice(0, 4).map((draft) => draft.transactions)).toEqual([1, 1, 1, 0]);
    expect(drafts.slice(0, 4).map((draft) => draft.tally.tried)).toEqual([1, 1, 1, 0]);
    expect(blocks.map((block) => block.transactions.map(({ nonce }) => nonce))).toEqual([
      [0n],
      [1n],
      [2n],
      [],
    ]);
    expect(blocks.map(({ header }) => header.blobGasUsed)).toEqual([131_072n, 131_072n, 131_072n, 0n]);
  });

  test("no block is built while the disk is full; building resumes with free space", async () => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const room = (): Promise<void> => {
      asked.resolve();
      return gate.promise;
    };
    const making = sealBlocks(genesis, { key, rewardbase: addressOfKey(key), room }, 1);
    await asked.promise;
    expect(await Promise.race([making, setTimeout(100, "nothing made")])).toBe("nothing made");
    gate.resolve();
    expect((await making).map(({ header }) => header.number)).toEqual([1]);
  });

  test("no block is built while the clock is decades behind; building resumes when it is set", async () => {
    let now = 0;
    const making = sealBlocks(genesis, { key, rewardbase: addressOfKey(key), now: () => now }, 1);
    expect(await Promise.race([making, setTimeout(100, "nothing made")])).toBe("nothing made");
    now = (genesis.timestamp + 10) * 1000;
    expect((await making).map(({ header }) => header.number)).toEqual([1]);
  });

  test("no block is built with an unregistered BLS key", async () => {
    const maker = { key, blsKey: fixedBytes(7, 32), rewardbase: addressOfKey(key) };
    await expect(sealBlocks(genesis, maker, 1)).rejects.toThrow(
      "the chain does not know this node's BLS key",
    );
  });
});

/** A transaction with one blob, as blocks hold it, on the recorded chain. */
function aBlobTransaction(key: Uint8Array, nonce: bigint): Transaction {
  const price = 50_000_000_000n;
  const fields = {
    maxFeePerBlobGas: price * 10n,
    blobVersionedHashes: [Uint8Array.of(1, ...new Uint8Array(31))],
  };
  const call = { nonce, gas: 21_000n, value: 1n, to: addressOfKey(key), input: new Uint8Array(0) };
  const draft = { code: 0x7803, ...call, gasFeeCap: price, gasTipCap: 0n, fields };
  return signTransaction(draft, 17_603n, (digest) => sign(digest, key));
}

/** A chain of one validator whose forks begin at these blocks. */
function smallGenesis(
  validator: Uint8Array,
  config: object,
  contracts: readonly (readonly [Uint8Array, Uint8Array])[],
) {
  return parseGenesis(
    JSON.stringify({
      config: {
        chainId: 9,
        istanbul: { epoch: 30, policy: 0, sub: 4 },
        unitPrice: 1,
        deriveShaImpl: 0,
        governance: {
          governanceMode: "none",
          reward: { mintingAmount: 100, minimumStake: 0, ratio: "100/0/0" },
        },
        ...config,
      },
      timestamp: "0x64",
      extraData: toHex(concatBytes(new Uint8Array(32), encodeRlp([[validator], new Uint8Array(0), []]))),
      blockScore: "0x1",
      alloc: Object.fromEntries(
        contracts.map(([address, code]) => [bareHex(address), { balance: "0x0", code: toHex(code) }]),
      ),
    }),
  );
}

async function openWith(genesis: Genesis, blocks: readonly Block[]): Promise<OpenChain> {
  const open = await aChain(genesis);
  for (const block of blocks) await open.writer.insert(block);
  await open.writer.settle();
  return open;
}

test("randomness starts within a chain, with the configured key registry first, then the installed one", async () => {
  const key = fixedBytes(1, 32);
  const validator = addressOfKey(key);
  const { publicKey, proof } = await provePossession(deriveBlsKey(key));
  const keys = fixedBytes(0x5006, 20);
  const info = abiAnswer({ list: [addressWord(validator)] }, { list: [{ tuple: [publicKey, proof] }] });
  const forks = ["istanbul", "london", "ethTxType", "magma", "kore", "shanghai", "cancun"];
  const config = {
    ...Object.fromEntries(forks.map((name) => [`${name}CompatibleBlock`, 0])),
    randaoCompatibleBlock: 3,
    randaoRegistry: { records: { KIP113: toHex(keys) }, owner: toHex(validator) },
  };
  const code = answeringCode([["getAllBlsInfo()", wordsOf(info)]]);
  const genesis = smallGenesis(validator, config, [[keys, code]]);
  const blocks = await sealBlocks(genesis, { key, rewardbase: validator }, 6);
  const { chain } = await openWith(genesis, blocks);
  expect(blocks.map(({ header }) => header.mixHash !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect([2, 3].map((number) => chain.stateAt(number).code(REGISTRY).length > 0)).toEqual([false, true]);
});

test("pending votes go into blocks one by one, into the next epoch block, and take effect an epoch later", async () => {
  const key = fixedBytes(1, 32);
  const validator = addressOfKey(key);
  const genesis = smallGenesis(validator, { istanbul: { epoch: 3, policy: 0, sub: 4 } }, []);
  const votes = [
    ["reward.mintingamount", "250"],
    ["governance.unitprice", 7],
  ] as const;
  const blocks = await sealBlocks(genesis, { key, rewardbase: validator, votes }, 8);
  const { chain, governance } = await openWith(genesis, blocks);
  const carried = blocks.map(({ header }) => header.vote.length > 0 && decodeVote(header.vote));
  expect(carried).toEqual([
    { kind: "parameter", voter: validator, name: "reward.mintingamount", value: "250" },
    { kind: "parameter", voter: validator, name: "governance.unitprice", value: 7n },
    ...Array.from({ length: 6 }, () => false),
  ]);
  expect(blocks.findIndex(({ header }) => header.governance.length > 0)).toBe(2);
  expect([6, 7].map((number) => governance.parameters(number).unitPrice)).toEqual([1n, 7n]);
  expect(chain.stateAt(8).account(validator)?.balance).toBe(6n * 100n + 2n * 250n);
});

test("both rebalancings take place at their blocks, with the same result on every node", async () => {
  const key = fixedBytes(1, 32);
  const validator = addressOfKey(key);
  const [first, second, fund] = [0x5007, 0x5008, 0x5009].map((number) => fixedBytes(number, 20)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const agreed = (zeroed: string, allocated: string, amount: bigint, block: bigint): Uint8Array =>
    answeringCode([
      [`get${zeroed === "retirees" ? "Retired" : "Zeroed"}Count()`, [1n]],
      [`${zeroed}(uint256)`, [addressWord(validator)]],
      [`get${allocated === "newbies" ? "Newbie" : "Allocated"}Count()`, [1n]],
      [`${allocated}(uint256)`, [addressWord(fund), amount]],
      ["rebalanceBlockNumber()", [block]],
      ["status()", [2n]],
    ]);
  const config = {
    kip103CompatibleBlock: 2,
    kip103ContractAddress: toHex(first),
    kip160CompatibleBlock: 4,
    kip160ContractAddress: toHex(second),
  };
  const genesis = smallGenesis(validator, config, [
    [first, agreed("retirees", "newbies", 150n, 2n)],
    [second, agreed("zeroeds", "allocateds", 999n, 4n)],
  ]);
  const blocks = await sealBlocks(genesis, { key, rewardbase: validator }, 4);
  const { chain } = await openWith(genesis, blocks);
  const balances = [1, 2, 3, 4].map((number) =>
    [validator, fund].map((address) => chain.stateAt(number).account(address)?.balance ?? 0n),
  );
  expect(balances).toEqual([
    [100n, 0n],
    [0n, 150n],
    [100n, 150n],
    [0n, 999n],
  ]);
  expect(chain.stateAt(4).account(new Uint8Array(20))?.nonce).toBe(7n);
});

describe("with stakes", () => {
  const key = fixedBytes(1, 32);
  const validator = addressOfKey(key);
  const [staking, reward, kif, kef, configured, kpf] = [1, 2, 3, 4, 5, 6].map((number) =>
    fixedBytes(0x5000 + number, 20),
  ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];

  function stakedGenesis(forks: object, rewards: object): Genesis {
    const entries = [validator, staking, reward, kif, kef];
    const answer = abiAnswer(
      { list: entries.map((_, type) => BigInt(type)) },
      { list: entries.map(addressWord) },
    );
    return parseGenesis(
      JSON.stringify({
        config: {
          chainId: 9,
          ...forks,
          istanbul: { epoch: 30, policy: 2, sub: 4 },
          unitPrice: 1,
          deriveShaImpl: 0,
          governance: {
            governanceMode: "none",
            reward: {
              mintingAmount: 1000,
              ratio: "34/54/12",
              kip82ratio: "20/80",
              deferredTxFee: true,
              stakingUpdateInterval: 2,
              proposerUpdateInterval: 2,
              minimumStake: 5,
              ...rewards,
            },
          },
        },
        timestamp: "0x64",
        extraData: toHex(concatBytes(new Uint8Array(32), encodeRlp([[validator], new Uint8Array(0), []]))),
        blockScore: "0x1",
        alloc: {
          [bareHex(ADDRESS_BOOK)]: {
            balance: "0x0",
            code: toHex(
              answeringCode([
                ["getAllAddress()", wordsOf(answer)],
                ["spareContractAddress()", wordsOf(abiAnswer(addressWord(kpf)))],
              ]),
            ),
          },
          [bareHex(staking)]: { balance: `0x${(6n * 10n ** 18n).toString(16)}` },
        },
      }),
    );
  }

  const ISTANBUL = { istanbulCompatibleBlock: 0, londonCompatibleBlock: 0, ethTxTypeCompatibleBlock: 0 };
  const KORE = { ...ISTANBUL, magmaCompatibleBlock: 0, koreCompatibleBlock: 0 };
  const KAIA = { ...KORE, shanghaiCompatibleBlock: 0, cancunCompatibleBlock: 0, kaiaCompatibleBlock: 0 };

  const OSAKA = { ...KAIA, pragueCompatibleBlock: 0, osakaCompatibleBlock: 0 };
  const FLEX = { useFlexReward: true, ratio: "40/25/20/15", stakingRewardThreshold: 5 };

  test.each<[string, object, object, readonly bigint[]]>([
    ["before stakers have a part of it", ISTANBUL, {}, [340n, 540n, 120n, 0n]],
    ["with stakers' part, by intervals", KORE, {}, [340n, 540n, 120n, 0n]],
    ["with stakers' part, by the parent block", KAIA, {}, [340n, 540n, 120n, 0n]],
    ["three of them under the flexible reward", OSAKA, FLEX, [400n, 250n, 200n, 150n]],
    ["two of them without its fork", KAIA, FLEX, [400n, 400n, 200n, 0n]],
  ])("the reward goes to the node's own address and the funds, %s", async (_what, forks, rewards, shares) => {
    const genesis = stakedGenesis(forks, rewards);
    const blocks = await sealBlocks(genesis, { key, rewardbase: configured }, 8);
    const open = await openWith(genesis, blocks);
    const view = open.chain.stateAt(8);
    const paid = [reward, kif, kef, kpf].map((address) => view.account(address)?.balance ?? 0n);
    expect(paid).toEqual(shares.map((share) => share * 8n));
    expect(view.account(configured)).toBeUndefined();
    expect(blocks.every(({ header }) => toHex(header.rewardbase) === toHex(reward))).toBe(true);
    expect(open.governance.staking(8).nodes.map(({ amount }) => amount)).toEqual([6n]);
    const [{ header: any }] = blocks as [Block];
    expect(() => open.writer.checkHeader({ ...any, number: 2 ** 40, time: any.time + 60 })).toThrow(
      "unknown ancestor",
    );
  });
});

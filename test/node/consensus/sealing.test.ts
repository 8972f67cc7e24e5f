/** Blocks that a single validator makes are taken by all rules elsewhere, at every level. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { type Genesis, parseGenesis } from "../../../node/config/genesis.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { ADDRESS_BOOK } from "../../../node/governance/system-contracts.ts";
import { answeringCode, wordsOf } from "../../support/contract-code.ts";
import { abiAnswer, addressWord } from "../../support/contracts.ts";
import { aFreshChain, sealBlocks } from "../../support/sealed-chain.ts";

describe("with randomness and blobs", () => {
  const path = fileURLToPath(new URL("../../vectors/chains/osaka-randao/genesis.json", import.meta.url));
  const genesis = parseGenesis(readFileSync(path, "utf8"));
  const key = keccak256(Buffer.from("knit-s-osaka/cn0")); // the recorded chain's validator

  test("headers carry a signature that everybody can check", async () => {
    const blocks = await sealBlocks(genesis, { key, rewardbase: addressOfKey(key) }, 3);
    const { open } = await aFreshChain(genesis);
    for (const block of blocks) await open.writer.insert(block);
    expect(open.writer.tip.hash).toEqual(blocks.at(-1)?.hash);
    const mixes = blocks.map(({ header }) => header.mixHash);
    expect(new Set(mixes.map((mix) => toHex(mix ?? new Uint8Array(0)))).size).toBe(3);
    expect(blocks[0]?.header).toMatchObject({ blobGasUsed: 0n, excessBlobGas: 0n });
  });

  test("no block is made with a key that the chain does not know", async () => {
    const maker = { key, blsKey: fixedBytes(7, 32), rewardbase: addressOfKey(key) };
    await expect(sealBlocks(genesis, maker, 1)).rejects.toThrow(
      "the chain does not know this node's BLS key",
    );
  });
});

describe("with stakes", () => {
  const key = fixedBytes(1, 32);
  const validator = addressOfKey(key);
  const [staking, reward, kif, kef, configured] = [0x5001, 0x5002, 0x5003, 0x5004, 0x5005].map((number) =>
    fixedBytes(number, 20),
  ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];

  function stakedGenesis(forks: object): Genesis {
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
            },
          },
        },
        timestamp: "0x64",
        extraData: toHex(concatBytes(new Uint8Array(32), encodeRlp([[validator], new Uint8Array(0), []]))),
        blockScore: "0x1",
        alloc: {
          [bareHex(ADDRESS_BOOK)]: {
            balance: "0x0",
            code: toHex(answeringCode([["getAllAddress()", wordsOf(answer)]])),
          },
          [bareHex(staking)]: { balance: `0x${(6n * 10n ** 18n).toString(16)}` },
        },
      }),
    );
  }

  const ISTANBUL = { istanbulCompatibleBlock: 0, londonCompatibleBlock: 0, ethTxTypeCompatibleBlock: 0 };
  const KORE = { ...ISTANBUL, magmaCompatibleBlock: 0, koreCompatibleBlock: 0 };
  const KAIA = { ...KORE, shanghaiCompatibleBlock: 0, cancunCompatibleBlock: 0, kaiaCompatibleBlock: 0 };

  test.each<[string, object, readonly bigint[]]>([
    ["before stakers have a part of it", ISTANBUL, [340n, 540n, 120n]],
    ["with stakers' part, by intervals", KORE, [340n, 540n, 120n]],
    ["with stakers' part, by the parent block", KAIA, [340n, 540n, 120n]],
  ])("the reward goes to the node's own address and the funds, %s", async (_what, forks, shares) => {
    const genesis = stakedGenesis(forks);
    const blocks = await sealBlocks(genesis, { key, rewardbase: configured }, 8);
    const { open } = await aFreshChain(genesis);
    for (const block of blocks) await open.writer.insert(block);
    await open.writer.settle();
    const view = open.chain.stateAt(8);
    const paid = [reward, kif, kef].map((address) => view.account(address)?.balance);
    expect(paid).toEqual(shares.map((share) => share * 8n));
    expect(view.account(configured)).toBeUndefined();
    expect(blocks.every(({ header }) => toHex(header.rewardbase) === toHex(reward))).toBe(true);
    expect(open.governance.staking(8).nodes.map(({ amount }) => amount)).toEqual([6n]);
  });
});

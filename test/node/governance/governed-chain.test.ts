/** A chain that its validators govern: votes, governance data and councils, taken in and refused block by block. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes, integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { type Genesis, parseGenesis } from "../../../node/config/genesis.ts";
import { draftHeader } from "../../../node/consensus/proposal.ts";
import { encodeGovernanceData } from "../../../node/governance/governance-data.ts";
import type { ParameterValue } from "../../../node/governance/parameter-rows.ts";
import { sortedValidators } from "../../../node/governance/validators.ts";
import { type Block, createBlock } from "../../../node/model/block.ts";
import type { Header } from "../../../node/model/header.ts";
import { listRoot } from "../../../node/model/list-root.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { answeringCode, wordsOf } from "../../support/contract-code.ts";
import { abiAnswer } from "../../support/contracts.ts";
import { aSealedHeader, aValidator, type TestValidator } from "../../support/headers.ts";

const EPOCH = 4;
const [first, second] = [aValidator(1), aValidator(2)] as [TestValidator, TestValidator];
const PARAMETERS = fixedBytes(0x5001, 20);

/** The governance contract of the genesis sets the gas target to 77. */
const parametersCode = answeringCode([
  [
    "getAllParamsAt(uint256)",
    wordsOf(abiAnswer({ list: [Buffer.from("kip71.gastarget")] }, { list: [Uint8Array.of(77)] })),
  ],
]);

function governedGenesis(forks: object = {}): Genesis {
  const validators = [first.address];
  return parseGenesis(
    JSON.stringify({
      config: {
        chainId: 9,
        ...forks,
        istanbul: { epoch: EPOCH, policy: 0, sub: 4 },
        unitPrice: 1,
        deriveShaImpl: 0,
        governance: {
          governanceMode: "none",
          govParamContract: toHex(PARAMETERS),
          reward: { mintingAmount: 0, minimumStake: 0, ratio: "100/0/0" },
        },
      },
      timestamp: "0x64",
      extraData: toHex(concatBytes(new Uint8Array(32), encodeRlp([validators, new Uint8Array(0), []]))),
      blockScore: "0x1",
      alloc: { [bareHex(PARAMETERS)]: { balance: "0x0", code: toHex(parametersCode) } },
    }),
  );
}

let chain: TestChain;
beforeEach(async () => {
  chain = await aChain(governedGenesis());
});

/** The next block, empty and without a reward: its state is its parent's. */
function nextBlock(
  { writer, chain: view, governance }: TestChain,
  change: Partial<Header> = {},
  by = first,
): Block {
  const parent = writer.tip;
  const number = parent.header.number + 1;
  const emptyRoot = listRoot(0, []);
  const header: Header = {
    ...draftHeader({
      parent,
      rules: view.rules(number),
      parameters: governance.parameters(number),
      validators: [],
      rewardbase: new Uint8Array(20),
      vanity: new Uint8Array(32),
      now: (parent.header.time + 1) * 1000,
    }),
    stateRoot: parent.header.stateRoot,
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    ...change,
  };
  return createBlock(aSealedHeader(header, by, [by]), []);
}

function vote(name: string, value: Uint8Array, by = first): Partial<Header> {
  return { vote: encodeRlp([by.address, Buffer.from(name), value]) };
}

function data(...values: readonly (readonly [string, ParameterValue])[]): Partial<Header> {
  return { governance: encodeGovernanceData(new Map(values)) };
}

async function insertUpTo(
  number: number,
  changes: Readonly<Record<number, Partial<Header>>> = {},
): Promise<void> {
  while (chain.writer.tip.header.number < number) {
    const next = chain.writer.tip.header.number + 1;
    await chain.writer.insert(nextBlock(chain, changes[next]));
  }
}

test("a vote is written at the next epoch and in force one epoch later", async () => {
  await insertUpTo(14, {
    2: vote("governance.unitprice", integerBytes(5)),
    3: vote("governance.unitprice", integerBytes(7)),
    4: data(["governance.unitprice", 7n]),
  });
  const { governance } = chain;
  expect([4, 8, 9, 14].map((number) => governance.parameters(number).unitPrice)).toEqual([1n, 1n, 7n, 7n]);
});

test("since Kore it is in force at the epoch's own block", async () => {
  const forks = ["istanbul", "london", "ethTxType", "magma", "kore"];
  const config = Object.fromEntries(forks.map((name) => [`${name}CompatibleBlock`, 0]));
  chain = await aChain(governedGenesis(config));
  await insertUpTo(9, {
    2: vote("governance.unitprice", integerBytes(7)),
    4: data(["governance.unitprice", 7n]),
  });
  const { governance } = chain;
  expect([7, 8].map((number) => governance.parameters(number).unitPrice)).toEqual([1n, 7n]);
});

test("the governance contract that block 0 names counts since Kore, above votes", async () => {
  const forks = ["istanbul", "london", "ethTxType", "magma", "kore"];
  const config = Object.fromEntries(forks.map((name) => [`${name}CompatibleBlock`, 0]));
  const kore = await aChain(governedGenesis(config));
  const targets = [kore, chain].map(({ governance }) => governance.parameters(1).baseFee.gasTarget);
  expect(targets).toEqual([77n, 30_000_000n]);
});

describe("a block is rejected without effect", () => {
  const MISMATCH = "header.Governance does not match the vote in previous epoch";
  test.each<[string, number, Readonly<Record<number, Partial<Header>>>, Partial<Header>, string]>([
    ["for a vote that is none", 1, {}, { vote: Uint8Array.of(0xc0) }, "invalid rlp"],
    [
      "for the vote of somebody else",
      1,
      {},
      vote("governance.unitprice", integerBytes(1), second),
      "your vote couldn't be placed. Please check your vote's key and value",
    ],
    ["for data between epochs", 3, {}, data(["governance.unitprice", 7n]), "not allowed in non-epoch block"],
    ["for data without votes", 4, {}, data(["governance.unitprice", 7n]), MISMATCH],
    ["for votes without data", 4, { 1: vote("governance.unitprice", integerBytes(7)) }, {}, MISMATCH],
    [
      "for other data than votes",
      4,
      { 1: vote("governance.unitprice", integerBytes(7)) },
      data(["governance.unitprice", 8n]),
      MISMATCH,
    ],
    [
      "for the votes of an epoch before",
      8,
      { 1: vote("governance.unitprice", integerBytes(7)), 4: data(["governance.unitprice", 7n]) },
      data(["governance.unitprice", 7n]),
      MISMATCH,
    ],
  ])("%s", async (_what, number, changes, change, message) => {
    await insertUpTo(number - 1, changes);
    const before = chain.writer.tip.hash;
    await expect(chain.writer.insert(nextBlock(chain, change))).rejects.toThrow(message);
    expect(chain.writer.tip.hash).toEqual(before);
    const expected = chain.governance.expectedData(4 * Math.ceil(number / 4));
    const right = number % 4 === 0 && expected !== undefined && expected.size > 0 ? data(...expected) : {};
    await chain.writer.insert(nextBlock(chain, right));
  });
});

test("a validator is in the council from the block after the vote for it until a vote against it", async () => {
  const add = vote("governance.addvalidator", second.address);
  await expect(chain.writer.insert(nextBlock(chain, {}, second))).rejects.toThrow("unauthorized");
  await insertUpTo(2, { 2: add });
  await chain.writer.insert(nextBlock(chain, {}, second));
  const both = sortedValidators([first.address, second.address]);
  expect([2, 3].map((number) => chain.governance.council(number).length)).toEqual([1, 2]);
  expect(chain.governance.validators(3).qualified).toEqual(both);
  expect(chain.governance.proposer(3, 0)).toEqual(both[(indexOf(both, first.address) + 1) % 2]);
  const remove = vote("governance.removevalidator", first.address, second);
  await chain.writer.insert(nextBlock(chain, remove, second));
  await expect(chain.writer.insert(nextBlock(chain))).rejects.toThrow("unauthorized");
  await chain.writer.insert(nextBlock(chain, {}, second));
  expect(chain.governance.expectedData(4)?.size).toBe(0);
});

function indexOf(list: readonly Uint8Array[], address: Uint8Array): number {
  return list.findIndex((each) => toHex(each) === toHex(address));
}

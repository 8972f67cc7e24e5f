/** Proposals whose bodies are not the ones that their headers commit to: the block hash covers the header alone. */
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { encodeRlpList } from "../../../../node/bytes/rlp.ts";
import { BlockWork } from "../../../../node/consensus/bft/block-work.ts";
import { type ProposedBlock, proposedBlock } from "../../../../node/consensus/bft/payload.ts";
import { addressOfKey, sign } from "../../../../node/crypto/secp256k1.ts";
import type { Block } from "../../../../node/model/block.ts";
import { signTransaction } from "../../../../node/model/transaction.ts";
import { councilGenesis, seats } from "../../../support/bft/council.ts";
import { aChain, type TestChain } from "../../../support/chain.ts";
import { assembleBlock, makerDeps, quickClock, sealBlocks } from "../../../support/sealed-chain.ts";

const [seat] = seats(1) as [ReturnType<typeof seats>[number]];
const SENDER = new Uint8Array(32).fill(7);
const genesis = councilGenesis([seat], {
  alloc: { [Buffer.from(addressOfKey(SENDER)).toString("hex")]: { balance: "0xffffffffffff" } },
});
const maker = { key: seat.key, rewardbase: seat.address };
const { signal } = new AbortController();

let open: TestChain;
let work: BlockWork;
let assembled: number;
let block: Block;

beforeEach(async () => {
  const call = { nonce: 0n, gas: 21_000n, to: seat.address, value: 5n, input: new Uint8Array(0) };
  const draft = { code: 0, ...call, gasFeeCap: 1n, gasTipCap: 1n };
  const transaction = signTransaction(draft, 9n, (digest) => sign(digest, SENDER));
  [block] = (await sealBlocks(genesis, { ...maker, transactions: [transaction] }, 1)) as [Block];
  open = await aChain(genesis);
  assembled = 0;
  const assemble: typeof assembleBlock = (header, body) => {
    assembled++;
    return assembleBlock(header, body);
  };
  work = new BlockWork(makerDeps(open, { ...maker, assemble }, quickClock(genesis)));
});
afterEach(async () => {
  await work.close();
  await open[Symbol.asyncDispose]();
});

function proposalWith(bodies: readonly Uint8Array[]): ProposedBlock {
  return proposedBlock(block.header, encodeRlpList(bodies));
}

const good = (): ProposedBlock => proposalWith(block.transactions.map(({ raw }) => raw));
const garbage = (): ProposedBlock => proposalWith([]);

test("the body of a proposal is judged alone, whatever another one with the same header had", async () => {
  expect(garbage().hash).toBe(good().hash);
  expect(await work.verify(garbage(), signal)).toMatchObject({ code: "bad-block" });
  expect(await work.verify(good(), signal)).toBeUndefined();
  expect(await work.verify(garbage(), signal)).toMatchObject({ code: "bad-block" });
  expect(await work.verify(good(), signal)).toBeUndefined();
});

test("a valid body is assembled once, also where a second message repeats it", async () => {
  expect(await work.verify(good(), signal)).toBeUndefined();
  expect(await work.verify(good(), signal)).toBeUndefined();
  expect(assembled).toBe(1);
  work.forget();
  expect(await work.verify(good(), signal)).toBeUndefined();
  expect(assembled).toBe(2);
});

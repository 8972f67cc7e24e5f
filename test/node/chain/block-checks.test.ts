/** Tests of blocks whose body or outcome is not as its header says: the error, and that nothing is left of them. */
import { expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { checkBody, checkOutcome } from "../../../node/chain/block-checks.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { withCommittedSeals, withProposerSeal } from "../../../node/consensus/seal.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import { type Block, createBlock } from "../../../node/model/block.ts";
import type { Header } from "../../../node/model/header.ts";
import { listRoot } from "../../../node/model/list-root.ts";
import { encodeReceipt } from "../../../node/model/receipt.ts";
import { signTransaction, type Transaction } from "../../../node/model/transaction.ts";
import { runAtOnce } from "../../../node/runtime/scheduler.ts";
import { tables } from "../../../node/store/tables.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { aSent } from "../../support/execution.ts";
import { aGenesisBlock, aHeader, testParameters } from "../../support/headers.ts";
import { rulesUpTo } from "../../support/suite-runners.ts";
import { makeBlock, makerGenesis, senderKey, VALIDATOR_KEY } from "../../support/transfer-chain.ts";

const terms = { rules: rulesUpTo("osaka"), parameters: testParameters };
const cheap = aSent({ gasFeeCap: 1n, gasTipCap: 1n });
const hash = filledBy("blob");
const blob = aSent({ code: 0x7803, fields: { blobVersionedHashes: [hash], maxFeePerBlobGas: 1n } });

function filledBy(text: string): Uint8Array {
  return new Uint8Array(32).fill(text.length);
}

function rootOf(transactions: readonly Transaction[]): Uint8Array {
  return listRoot(
    testParameters.deriveShaImpl,
    transactions.map(({ raw }) => raw),
  );
}

/** A block of these transactions; its header says their root unless `change` says another. */
function aBlock(transactions: readonly Transaction[], change: Partial<Header> = {}): Block {
  const header = { ...aHeader(aGenesisBlock([]), []), transactionsRoot: rootOf(transactions), ...change };
  return createBlock(header, transactions);
}

test.each<[string, Block, string]>([
  [
    "the root of its transactions",
    aBlock([cheap], { transactionsRoot: hash }),
    `transaction root hash mismatch: have ${bareHex(rootOf([cheap]))}, want ${bareHex(hash)}`,
  ],
  [
    "its size",
    { ...aBlock([]), size: 10_485_761 },
    "block RLP-encoded size exceeds maximum: have 10485761, want at most 10485760",
  ],
  [
    "a price below the base fee",
    aBlock([cheap], { baseFee: 2n }),
    `invalid GasPrice: txHash ${bareHex(cheap.hash)}, GasPrice 1, BaseFee 2`,
  ],
  ["blobs that no header counts", aBlock([blob]), "data blobs present in block body"],
  [
    "the gas of its blobs",
    aBlock([blob], { blobGasUsed: 262_144n }),
    "blob gas used mismatch (header 262144, calculated 131072)",
  ],
])("a body is refused for %s, with what it has and should have", (_, block, message) => {
  expect(() => runAtOnce(checkBody(block, terms))).toThrow(
    expect.objectContaining({ code: "bad-block", message }),
  );
});

const ran = { receipts: [], gasUsed: 5n, bloom: new Uint8Array(256), totalFee: 0n };
const root = filledBy("state");
const receiptsRoot = listRoot(testParameters.deriveShaImpl, ran.receipts.map(encodeReceipt));
const said = { gasUsed: 5n, bloom: ran.bloom, receiptsRoot, stateRoot: root };
const otherBloom = new Uint8Array(256).fill(1);

test.each<[string, Partial<Header>, string]>([
  ["the gas used", { gasUsed: 6n }, "invalid gas used (remote: 6 local: 5)"],
  [
    "the bloom",
    { bloom: otherBloom },
    `invalid bloom (remote: ${bareHex(otherBloom)}  local: ${bareHex(ran.bloom)})`,
  ],
  [
    "the root of the receipts",
    { receiptsRoot: hash },
    `invalid receipt root hash (remote: ${bareHex(hash)} local: ${bareHex(receiptsRoot)})`,
  ],
  [
    "the root of the state",
    { stateRoot: hash },
    `invalid merkle root (remote: ${bareHex(hash)} local: ${bareHex(root)})`,
  ],
])("an outcome is refused for %s, with what the header says and what it is", (_, change, message) => {
  const { header } = aBlock([], { ...said, ...change });
  expect(() => runAtOnce(checkOutcome(header, ran, root, testParameters))).toThrow(
    expect.objectContaining({ code: "bad-block", message }),
  );
});

const seal = (digest: Uint8Array): Uint8Array => sign(digest, VALIDATOR_KEY);

/** The same with a changed header or body, sealed again by who made it. */
function remade({ header, transactions }: Block, change: Partial<Header>, body = transactions): Block {
  const sealed = withProposerSeal({ ...header, transactionsRoot: rootOf(body), ...change }, seal);
  return createBlock(withCommittedSeals(sealed, [seal]), body);
}

/** Every row but the list of refused blocks. */
async function rowsOf({ store }: TestChain): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  const listed = [Buffer.from(tables.meta.key("badBlocks")).toString("hex")];
  for await (const [key, value] of store.entries({ from: Uint8Array.of(0), to: Uint8Array.of(255) })) {
    const name = Buffer.from(key).toString("hex");
    if (key[0] === tables.badBlock.prefix || listed.includes(name)) continue;
    rows.set(name, Buffer.from(value).toString("hex"));
  }
  return rows;
}

test("a sealed block that is refused after its transactions ran leaves the database as it was", async () => {
  const rich = senderKey(0);
  const genesis = parseGenesis(
    makerGenesis({ [bareHex(addressOfKey(rich))]: { balance: "0xffffffffffffffff" } }),
  );
  await using maker = await aChain(genesis);
  await using other = await aChain(genesis);
  const pay = (nonce: bigint, value: bigint): Transaction => {
    const plain = { code: 0, nonce, gas: 21_000n, gasFeeCap: 25_000_000_000n, gasTipCap: 0n };
    const draft = { ...plain, to: new Uint8Array(20).fill(9), value, input: new Uint8Array(0), fields: {} };
    return signTransaction(draft, genesis.config.chainId, (digest) => sign(digest, rich));
  };
  await makeBlock(maker, maker.state, [pay(0n, 1n)]);
  await maker.writer.settle();
  const good = maker.chain.block(1) as Block; // just made
  const before = await rowsOf(other);
  for (const [bad, reason] of [
    [remade(good, { stateRoot: hash }), `block 1: invalid merkle root (remote: ${bareHex(hash)} local: `],
    [remade(good, {}, [pay(0n, 1n), pay(1n, 10n ** 30n)]), "block 1: insufficient balance for transfer"],
    [remade(good, {}, [pay(0n, 1n), pay(7n, 1n)]), "block 1: nonce too high"],
  ] as const) {
    await expect(other.writer.insert(bad)).rejects.toThrow(reason);
    await other.writer.settle();
    expect(await rowsOf(other)).toEqual(before);
  }
  await other.writer.insert(good);
  expect(other.state.root).toEqual(good.header.stateRoot);
});

/**
 * Compares a recorded chain with what the formats make of it: every byte both ways, every hash and root, every
 * transaction object, and who signed, with the account keys that updates leave behind. Nothing is executed.
 */
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { type Rules, rulesAt } from "../../node/config/rules.ts";
import { type AccountKey, LEGACY_KEY } from "../../node/model/account-key.ts";
import { decodeAccountKey } from "../../node/model/account-key-decode.ts";
import { signatureGas } from "../../node/model/account-key-gas.ts";
import { validateSigners } from "../../node/model/account-key-signers.ts";
import { checkUpdate, updatedKey } from "../../node/model/account-key-update.ts";
import { type Block, createBlock, decodeBlock, encodeBlock } from "../../node/model/block.ts";
import { bloomOf, mergeBlooms } from "../../node/model/bloom.ts";
import { listRoot } from "../../node/model/list-root.ts";
import {
  decodeStoredReceipts,
  encodeReceipt,
  encodeStoredReceipts,
  type Receipt,
} from "../../node/model/receipt.ts";
import {
  decodeTransaction,
  effectivePrice,
  floorGas,
  intrinsicGas,
  senderOf,
  type Transaction,
} from "../../node/model/transaction.ts";
import { transactionFields } from "../../node/model/transaction-json.ts";
import { payerKeys, senderKeys } from "../../node/model/transaction-signers.ts";
import { compareConsensus, compareHead } from "./chain-head-vectors.ts";
import { type Answer, type RecordedChain, readRecordedChain } from "./recorded-chain.ts";
import { type Comparison, Tally } from "./tally.ts";

/** Kinds whose gas is all owed before they run: nothing in them is executed. */
const NOTHING_RUNS = /Cancel|ChainDataAnchoring|AccountUpdate/;

/** Compares all blocks of a recorded chain's folder, and its head. Rejects only when the folder cannot be read. */
export async function compareRecordedChain(directory: string): Promise<Comparison> {
  const comparing = new Comparing(readRecordedChain(directory));
  for (const number of comparing.chain.blocks.keys()) {
    comparing.block(number);
    await new Promise(setImmediate);
  }
  await compareHead(comparing.tally, comparing.chain, comparing.keys);
  return comparing.tally.comparison;
}

class Comparing {
  readonly chain: RecordedChain;
  readonly tally = new Tally();
  /** Keys of accounts that are not those of their address. */
  readonly keys = new Map<string, AccountKey>();

  constructor(chain: RecordedChain) {
    this.chain = chain;
  }

  block(number: number): void {
    const item = this.chain.blocks[number];
    if (item === undefined) return;
    const where = `block ${number}`;
    let block: Block;
    try {
      block = decodeBlock(item);
    } catch (error) {
      this.tally.same(`${where} decoded`, String(error), "a block");
      return;
    }
    const raws = block.transactions.map(({ raw }) => raw);
    this.tally.same(`${where} encoded`, toHex(encodeBlock(block)), toHex(item.raw));
    this.tally.same(`${where} size`, createBlock(block.header, block.transactions).size, item.raw.length);
    this.tally.same(
      `${where} transactions root`,
      toHex(listRoot(this.chain.deriveShaImpl, raws)),
      toHex(block.header.transactionsRoot),
    );
    const answer = this.chain.blockAnswers[number];
    if (answer !== undefined) this.#blockAnswer(where, block, answer);
    const consensus = this.chain.consensusAnswers.get(number);
    if (consensus !== undefined) {
      this.tally.guarded(`${where} seals`, (what) =>
        compareConsensus(this.tally, what, { block, consensus }),
      );
    }
    for (const [index, tx] of block.transactions.entries()) {
      this.tally.guarded(`${where} transaction ${index} (${tx.type.name})`, (what) => {
        this.#transaction(what, tx, { block, index, answer });
      });
    }
    this.tally.guarded(`${where} receipts`, () => this.#receipts(where, block));
  }

  #blockAnswer(where: string, { header, hash, size }: Block, answer: Answer): void {
    const own = {
      hash: toHex(hash),
      parentHash: toHex(header.parentHash),
      stateRoot: toHex(header.stateRoot),
      transactionsRoot: toHex(header.transactionsRoot),
      receiptsRoot: toHex(header.receiptsRoot),
      logsBloom: toHex(header.bloom),
      reward: toHex(header.rewardbase),
      number: toQuantity(header.number),
      blockScore: toQuantity(header.blockScore),
      gasUsed: toQuantity(header.gasUsed),
      timestamp: toQuantity(header.time),
      timestampFoS: toQuantity(header.timeFoS),
      extraData: toHex(header.extra),
      governanceData: toHex(header.governance),
      voteData: toHex(header.vote),
      size: toQuantity(size),
      ...(header.baseFee === undefined ? {} : { baseFeePerGas: toQuantity(header.baseFee) }),
      ...(header.randomReveal === undefined ? {} : { randomReveal: toHex(header.randomReveal) }),
      ...(header.mixHash === undefined ? {} : { mixHash: toHex(header.mixHash) }),
      ...(header.blobGasUsed === undefined ? {} : { blobGasUsed: toQuantity(header.blobGasUsed) }),
      ...(header.excessBlobGas === undefined ? {} : { excessBlobGas: toQuantity(header.excessBlobGas) }),
    };
    const { transactions, totalBlockScore: _, ...expected } = answer;
    this.tally.same(`${where} header fields`, own, expected);
    this.tally.same(`${where} transactions`, Array.isArray(transactions), true);
  }

  #transaction(
    what: string,
    tx: Transaction,
    { block, index, answer }: { block: Block; index: number; answer: Answer | undefined },
  ): void {
    const { config } = this.chain;
    const rules = rulesAt(config, block.header.number);
    const { type, signatures, raw } = tx;
    this.tally.same(`${what} alone`, toHex(decodeTransaction(raw).raw), toHex(raw));
    this.tally.same(`${what} encoded`, toHex(type.encode(tx, signatures)), toHex(raw));
    const place = {
      blockHash: toHex(block.hash),
      blockNumber: toQuantity(block.header.number),
      transactionIndex: toQuantity(index),
    };
    const fields = {
      ...transactionFields(tx, effectivePrice(tx, block.header.baseFee, rules)),
      ...place,
      from: toHex(senderOf(tx, config.chainId)),
      senderTxHash: toHex(tx.senderTxHash),
      hash: toHex(tx.hash),
    };
    const listed = (answer?.["transactions"] as readonly Answer[] | undefined)?.[index];
    if (listed !== undefined) this.tally.same(`${what} fields`, JSON.parse(JSON.stringify(fields)), listed);
    const receipt = this.chain.receiptAnswers.get(block.header.number)?.[index];
    if (receipt !== undefined) this.#receiptAnswer(what, fields, receipt);
    this.#signers(what, tx, { rules, receipt });
  }

  #receiptAnswer(what: string, { hash, ...fields }: Answer, receipt: Answer): void {
    const own = JSON.parse(JSON.stringify({ ...fields, transactionHash: hash })) as Answer;
    const expected = Object.fromEntries(Object.keys(own).map((name) => [name, receipt[name]]));
    this.tally.same(`${what} fields in its receipt`, own, expected);
  }

  #signers(
    what: string,
    tx: Transaction,
    { rules, receipt }: { rules: Rules; receipt: Answer | undefined },
  ): void {
    const { chainId } = this.chain.config;
    const { role } = tx.type;
    const address = senderOf(tx, chainId);
    const key = this.#keyOf(address);
    const signers = senderKeys(tx, chainId);
    this.tally.same(`${what} sender's key`, validateSigners({ key, address, role }, signers, rules), true);
    let gas = intrinsicGas(tx, rules) + signatureGas(key, role, { signatures: signers.length, rules });
    const { feePayer } = tx.fields;
    if (feePayer !== undefined) {
      const payer = { key: this.#keyOf(feePayer), address: feePayer, role: "feePayer" as const };
      const keys = payerKeys(tx, chainId);
      this.tally.same(`${what} fee payer's key`, validateSigners(payer, keys, rules), true);
      gas += signatureGas(payer.key, payer.role, { signatures: keys.length, rules });
    }
    if (receipt === undefined) return;
    const used = BigInt(String(receipt["gasUsed"]));
    const floor = floorGas(tx, rules);
    const due = gas > floor ? gas : floor;
    if (NOTHING_RUNS.test(tx.type.name)) this.tally.same(`${what} gas`, used, due);
    else {
      // What ran may have got gas back, up to one part in `refundQuotient` of all it used.
      const least = (gas * (rules.refundQuotient - 1n)) / rules.refundQuotient;
      this.tally.same(`${what} gas at least`, used >= (floor > least ? floor : least), true);
    }
    if (receipt["status"] === "0x1") this.#update(what, tx, key);
  }

  #update(what: string, { fields }: Transaction, current: AccountKey): void {
    if (fields.key === undefined || fields.from === undefined) return;
    const next = decodeAccountKey(fields.key);
    this.tally.same(`${what} key update`, checkUpdate(current, next), undefined);
    this.keys.set(toHex(fields.from), updatedKey(current, next));
  }

  #keyOf(address: Uint8Array): AccountKey {
    return this.keys.get(toHex(address)) ?? LEGACY_KEY;
  }

  #receipts(where: string, { header, transactions }: Block): void {
    const answers = this.chain.receiptAnswers.get(header.number) ?? [];
    if (answers.length !== transactions.length) {
      if (this.chain.receiptAnswers.size > 0)
        this.tally.same(`${where} receipts`, answers.length, transactions.length);
      return;
    }
    const receipts = answers.map(receiptOf);
    const { deriveShaImpl } = this.chain;
    this.tally.same(
      `${where} receipts root`,
      toHex(listRoot(deriveShaImpl, receipts.map(encodeReceipt))),
      toHex(header.receiptsRoot),
    );
    this.tally.same(
      `${where} bloom`,
      toHex(mergeBlooms(receipts.map(({ bloom }) => bloom))),
      toHex(header.bloom),
    );
    const blooms = answers.map(({ logsBloom }) => logsBloom);
    this.tally.same(
      `${where} blooms`,
      receipts.map(({ bloom }) => toHex(bloom)),
      blooms,
    );
    this.tally.same(
      `${where} stored receipts`,
      decodeStoredReceipts(encodeStoredReceipts(receipts)),
      receipts,
    );
  }
}

function receiptOf(answer: Answer): Receipt {
  const logs = (
    answer["logs"] as readonly { address: string; topics: readonly string[]; data: string }[]
  ).map(({ address, topics, data }) => ({
    address: fromHex(address),
    topics: topics.map(fromHex),
    data: fromHex(data),
  }));
  const created = answer["contractAddress"];
  return {
    status: Number(answer["txError"] ?? answer["status"]),
    gasUsed: BigInt(String(answer["gasUsed"])),
    bloom: bloomOf(logs),
    logs,
    transactionHash: fromHex(String(answer["transactionHash"])),
    contractAddress: typeof created === "string" ? fromHex(created) : undefined,
  };
}

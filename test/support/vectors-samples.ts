/** Files of single samples: transactions of every kind, blocks, genesis files. */
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import { decodeRlp, listItems } from "../../node/bytes/rlp.ts";
import { RlpCursor } from "../../node/bytes/rlp-cursor.ts";
import { jsonInteger, parseExactJson } from "../../node/config/exact-json.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfPublicKey, recover, sign } from "../../node/crypto/secp256k1.ts";
import { type Block, decodeBlock, encodeBlock } from "../../node/model/block.ts";
import { blockHash, encodeHeader, sealHash } from "../../node/model/header.ts";
import {
  committedSealDigest,
  encodeExtra,
  parseExtra,
  proposerSealDigest,
  roundOf,
} from "../../node/model/istanbul-extra.ts";
import { listRoot } from "../../node/model/list-root.ts";
import { decodeTransaction, signTransaction } from "../../node/model/transaction.ts";
import { transactionFields, transactionJson } from "../../node/model/transaction-json.ts";
import { payerKeys, senderKeys, signAsFeePayer } from "../../node/model/transaction-signers.ts";
import { transactionType } from "../../node/model/transaction-table.ts";

import { attempt, type Comparison, Tally } from "./tally.ts";
import { blockOfGenesis } from "./vectors-genesis.ts";

/** Signer of a sample, as far as it is known. */
interface Signer {
  readonly recoveredAddress: string | null;
  readonly privateKey: string | null;
}

interface TransactionSample {
  readonly name: string;
  readonly type: string;
  readonly typeInt: number;
  readonly chainId: number;
  readonly raw: string;
  readonly txHash: string;
  readonly senderTxHash: string;
  readonly sigRLP?: string;
  readonly feePayerSigRLP?: string;
  readonly signingKeys?: { readonly sender?: Signer; readonly feePayer?: Signer };
  readonly txJson?: Readonly<Record<string, unknown>>;
  readonly rpcJson?: Readonly<Record<string, unknown>>;
}

/** Transactions: both ways, digests, hashes, JSON forms, signers; those with keys are signed again. */
export async function transactionSamples(json: unknown): Promise<Comparison> {
  const tally = new Tally();
  for (const sample of json as readonly TransactionSample[]) {
    await tally.awaited(sample.name, () => transactionSample(tally, sample));
  }
  return tally.comparison;
}

function transactionSample(tally: Tally, sample: TransactionSample): void {
  const { name, typeInt, raw, txHash } = sample;
  const type = transactionType(typeInt);
  // The row reads samples whose signatures are nobody's too: they show an encoding.
  const body = type.read(new RlpCursor(fromHex(raw), type.prefix.length), 0);
  tally.same(`${name} type`, type.name, sample.type);
  tally.same(`${name} encoded`, toHex(type.encode(body, body.signatures)), raw);
  digests(tally, sample, { ...body, type });
  const hash = keccak256(type.hashPreimage?.(body) ?? body.raw.subarray(type.hashFrom));
  const senderTxHash = type.senderHash?.(body) ?? hash;
  tally.same(`${name} hash`, toHex(hash), txHash);
  tally.same(`${name} senderTxHash`, toHex(senderTxHash), sample.senderTxHash);
  const tx = { ...body, type, hash, senderTxHash };
  if (sample.txJson !== undefined) {
    tally.same(`${name} JSON`, plain(transactionJson(tx)), { ...sample.txJson, hash: txHash });
  }
  if (sample.rpcJson !== undefined) {
    const { gasPrice, ...shown } = plain(transactionFields(tx));
    tally.same(`${name} JSON-RPC`, { gasPrice, ...shown }, { gasPrice, ...sample.rpcJson });
  }
  signers(tally, sample);
}

type Body = ReturnType<ReturnType<typeof transactionType>["read"]>;

function digests(
  tally: Tally,
  { name, chainId, sigRLP, feePayerSigRLP }: TransactionSample,
  body: Body & { readonly type: ReturnType<typeof transactionType> },
): void {
  const { type } = body;
  // What an unprotected signature covers names no chain, where the sample's preimage does.
  const isUnprotected = body.chainId === undefined && type.prefix.length === 0;
  if (sigRLP !== undefined && !isUnprotected) {
    const digest = type.digest({ ...body, chainId: BigInt(chainId) });
    tally.same(`${name} digest`, toHex(digest), toHex(keccak256(fromHex(sigRLP))));
  }
  if (feePayerSigRLP !== undefined) {
    const digest = type.payerDigest?.(body, BigInt(chainId));
    tally.same(
      `${name} fee payer's digest`,
      digest && toHex(digest),
      toHex(keccak256(fromHex(feePayerSigRLP))),
    );
  }
}

const addresses = (keys: readonly Uint8Array[]) => keys.map((key) => toHex(addressOfPublicKey(key)));

function signers(tally: Tally, { name, typeInt, chainId, raw, signingKeys = {} }: TransactionSample): void {
  const { sender, feePayer } = signingKeys;
  const id = BigInt(chainId);
  if (sender?.recoveredAddress) {
    tally.holds(`${name} signer`, () => addresses(senderKeys(decodeTransaction(fromHex(raw)), id)), [
      sender.recoveredAddress,
    ]);
  }
  if (feePayer?.recoveredAddress) {
    tally.holds(`${name} fee payer`, () => addresses(payerKeys(decodeTransaction(fromHex(raw)), id)), [
      feePayer.recoveredAddress,
    ]);
  }
  const [key, payerKey] = [sender?.privateKey, feePayer?.privateKey];
  if (!key || (feePayer !== undefined && !payerKey)) return;
  tally.holds(`${name} signed again`, () => signAgain({ raw, typeInt, id }, key, payerKey ?? undefined), raw);
}

/** Signs with a key. */
const by = (hex: string) => (digest: Uint8Array) => sign(digest, fromHex(hex));

function signAgain(
  { raw, typeInt, id }: { raw: string; typeInt: number; id: bigint },
  key: string,
  payerKey: string | undefined,
): string {
  const original = decodeTransaction(fromHex(raw));
  const { payerSignatures: _, feePayer, ...fields } = original.fields;
  const signed = signTransaction({ ...original, code: typeInt, fields }, id, by(key));
  if (feePayer === undefined || payerKey === undefined) return toHex(signed.raw);
  return toHex(signAsFeePayer(signed, { feePayer, chainId: id }, by(payerKey)).raw);
}

/** Converts a value to its form on the wire. */
function plain(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

interface BlockSample {
  readonly name?: string;
  readonly number: number;
  readonly rlp: string;
  readonly expectedHash?: string;
  readonly derived: Readonly<Record<string, unknown>>;
}

interface GenesisSample {
  readonly expectedHash: string;
  readonly derived: { readonly stateRoot?: string };
  readonly json?: unknown;
}

interface ChainSamples {
  readonly genesis: Readonly<Record<string, GenesisSample>>;
  readonly hardForkChain?: {
    readonly genesisJson: unknown;
    readonly derived: { readonly genesisHash: string; readonly genesisStateRoot: string };
    readonly blocks: readonly BlockSample[];
  };
  readonly blocks: readonly BlockSample[];
}

/** Genesis files and blocks; `text` is the file's, whose numbers may pass 2^53. */
export async function chainSamples(text: string): Promise<Comparison> {
  const tally = new Tally();
  const { genesis, hardForkChain, blocks } = parseExactJson(text) as ChainSamples;
  for (const [name, { json, expectedHash, derived }] of Object.entries(genesis)) {
    if (json === undefined) continue;
    await tally.awaited(`genesis ${name}`, async () => {
      const block = await genesisBlock(json);
      tally.same(`genesis ${name} hash`, toHex(block.hash), expectedHash);
      tally.same(`genesis ${name} state root`, toHex(block.header.stateRoot), derived.stateRoot);
    });
  }
  for (const sample of blocks)
    await tally.awaited(`block ${sample.number}`, () => blockSample(tally, sample));
  if (hardForkChain === undefined) return tally.comparison;
  await tally.awaited("hardForkChain", async () => {
    const { header } = await genesisBlock(hardForkChain.genesisJson);
    const { genesisHash, genesisStateRoot } = hardForkChain.derived;
    tally.same("hardForkChain state root", toHex(header.stateRoot), genesisStateRoot);
    // Its block 0 was made without the step that writes the governance data.
    const bare = { ...header, governance: new Uint8Array(0) };
    tally.same("hardForkChain genesis hash", toHex(blockHash(bare)), genesisHash);
  });
  for (const sample of hardForkChain.blocks) {
    await tally.awaited(`hardForkChain block ${sample.number}`, () => blockSample(tally, sample));
  }
  tally.notYet("hardForkChain", "its blocks run contracts");
  return tally.comparison;
}

function genesisBlock(json: unknown): Promise<Block> {
  const text = JSON.stringify(json, (_name, value: unknown) =>
    typeof value === "bigint" ? jsonInteger(value) : value,
  );
  return blockOfGenesis(text);
}

/** A block both ways, with all that follows from it. */
export function blockSample(tally: Tally, { name, number, rlp, expectedHash, derived }: BlockSample): void {
  const what = `block ${number}${name === undefined ? "" : ` (${name})`}`;
  const block = decodeBlock(fromHex(rlp));
  tally.same(`${what} encoded`, toHex(encodeBlock(block)), rlp);
  if (expectedHash !== undefined) tally.same(`${what} hash`, toHex(block.hash), expectedHash);
  const facts = blockFacts(block);
  for (const [fact, expected] of Object.entries(derived)) {
    if (fact in facts) tally.holds(`${what} ${fact}`, () => facts[fact]?.(), expected);
  }
  const root = toHex(block.header.transactionsRoot);
  const { txRootDeriveSha } = derived;
  if (typeof txRootDeriveSha !== "number") return; // left open for a header that does not fit its body
  const raws = block.transactions.map(({ raw }) => raw);
  tally.same(`${what} transactions root`, toHex(listRoot(txRootDeriveSha, raws)), root);
}

/** By the names of the sample files. */
function blockFacts({ header, hash, transactions }: Block): Readonly<Record<string, () => unknown>> {
  const extra = parseExtra(header.extra);
  return {
    hash: () => toHex(hash),
    number: () => header.number,
    headerFieldCount: () => listItems(decodeRlp(encodeHeader(header))).length,
    parentHash: () => toHex(header.parentHash),
    rewardbase: () => toHex(header.rewardbase),
    stateRoot: () => toHex(header.stateRoot),
    transactionsRoot: () => toHex(header.transactionsRoot),
    receiptsRoot: () => toHex(header.receiptsRoot),
    gasUsed: () => Number(header.gasUsed),
    timestamp: () => header.time,
    timestampFoS: () => header.timeFoS,
    extraData: () => toHex(encodeExtra(extra)),
    governanceData: () => toHex(header.governance),
    voteData: () => toHex(header.vote),
    sigHash: () => toHex(sealHash(header)),
    round: () => roundOf(header.extra),
    proposer: () => signerOf(proposerSealDigest(header), extra.seal),
    validators: () => extra.validators.map(toHex),
    committers: () => extra.committedSeals.map((seal) => signerOf(committedSealDigest(hash), seal)),
    txCount: () => transactions.length,
    txCountByType: () => countByType(transactions.map(({ type }) => type.code)),
  };
}

function signerOf(digest: Uint8Array, seal: Uint8Array): string | undefined {
  const publicKey = attempt(() => recover(digest, seal));
  return publicKey instanceof Uint8Array ? toHex(addressOfPublicKey(publicKey)) : publicKey;
}

function countByType(codes: readonly number[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const code of codes) {
    const name = `0x${code.toString(16).padStart(code > 0xff ? 4 : 2, "0")}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Tests of the chain's own transaction types against js-ext-core. */
import { RLP } from "@ethereumjs/rlp";
import { expect, test } from "@jest/globals";
import { KlaytnTxFactory } from "@kaiachain/js-ext-core";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey, addressOfPublicKey, sign } from "../../../node/crypto/secp256k1.ts";
import {
  decodeTransaction,
  senderOf,
  signTransaction,
  type Transaction,
  type TransactionDraft,
} from "../../../node/model/transaction.ts";
import { payerKeys, senderKeys, signAsFeePayer } from "../../../node/model/transaction-signers.ts";
import { transactionTypes } from "../../../node/model/transaction-table.ts";
import type { Signature } from "../../../node/model/transaction-type.ts";
import { fuzz } from "./fuzz.ts";
import type { Random } from "./random.ts";

/** The chain's own kinds; the oracle lacks the last family. */
const families = transactionTypes.filter(({ ethType, hasTypeInJson }) => ethType === 0 && hasTypeInJson);
const ANCHORING = 0x48;
const covered = families.filter(({ code }) => code < ANCHORING);
const KEY = "0x02a1033a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d";

function randomKey(random: Random): Uint8Array {
  return random.bytes(32).fill(1, 0, 1);
}

function randomDraft(random: Random, code: number, from: Uint8Array): TransactionDraft {
  const price = random.bigint(64);
  const isDeploy = code >= 0x28 && code <= 0x2a;
  return {
    code,
    nonce: random.bigint(64),
    gas: random.bigint(64),
    gasFeeCap: price,
    gasTipCap: price,
    value: random.bigint(200),
    to: isDeploy ? undefined : random.bytes(20),
    input: random.bytes(random.pick([0, 1, 1, 4, 60, 300])),
    fields: {
      from,
      key: fromHex(KEY),
      humanReadable: false,
      codeFormat: 0,
      feeRatio: 1 + random.number(99),
    },
  };
}

interface Signed {
  readonly draft: TransactionDraft;
  readonly chainId: bigint;
  readonly tx: Transaction;
  readonly keys: readonly Uint8Array[];
  readonly payers: readonly Uint8Array[];
}

const byAll = (all: readonly Uint8Array[]) => (digest: Uint8Array) => all.map((key) => sign(digest, key));
const lists = (signatures: readonly Signature[] = []) => signatures.map(({ v, r, s }) => [v, r, s]);

/** A random transaction of a kind, signed by some keys as the sender and, where it has one, as the fee payer. */
function randomSigned(random: Random, code: number): Signed {
  const keysOf = (count: number) => Array.from({ length: count }, () => randomKey(random));
  const [keys, payers] = [keysOf(1 + random.number(3)), keysOf(1 + random.number(3))];
  const chainId = random.pick([1n, 1001n, 8217n, 2n ** 40n]);
  const draft = randomDraft(random, code, random.bytes(20));
  const alone = signTransaction(draft, chainId, byAll(keys));
  if (alone.type.payerDigest === undefined) return { draft, chainId, tx: alone, keys, payers: [] };
  const tx = signAsFeePayer(alone, { feePayer: random.bytes(20), chainId }, byAll(payers));
  return { draft, chainId, tx, keys, payers };
}

const tuples = (signatures: readonly Signature[] = []) =>
  signatures.map(({ v, r, s }) => [`0x${v.toString(16)}`, toHex(r), toHex(s)]);

/** The same transaction, as the oracle builds it. */
function byOracle({ draft, chainId, tx }: Signed) {
  const { nonce, gas, gasFeeCap, value, to, input, fields } = draft;
  const common = {
    type: draft.code,
    nonce: toHex(fromBigint(nonce)),
    gasLimit: toHex(fromBigint(gas)),
    gasPrice: toHex(fromBigint(gasFeeCap)),
    chainId: Number(chainId),
    from: toHex(fields?.from ?? new Uint8Array(20)),
    txSignatures: tuples(tx.signatures),
  };
  const own = tx.type.json(tx);
  const recipient = to === undefined ? "0x" : toHex(to);
  const payer = {
    feePayer: toHex(tx.fields.feePayer ?? new Uint8Array(20)),
    feePayerSignatures: tuples(tx.fields.payerSignatures),
  };
  return KlaytnTxFactory.fromObject({
    ...common,
    ...only("to" in own, { to: recipient }),
    ...only("value" in own, { value: toHex(fromBigint(value)) }),
    ...only("input" in own, { data: toHex(input) }),
    ...only("key" in own, { key: KEY }),
    ...only("humanReadable" in own, { humanReadable: false, codeFormat: 0 }),
    ...only("feeRatio" in own, { feeRatio: fields?.feeRatio }),
    ...only(tx.fields.feePayer !== undefined, payer),
  });
}

const only = (wanted: boolean, members: object) => (wanted ? members : {});

function fromBigint(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return value === 0n ? Uint8Array.of(0) : fromHex(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`);
}

const addresses = (publicKeys: readonly Uint8Array[]) =>
  publicKeys.map((key) => toHex(addressOfPublicKey(key)));

test("there are seven families of three kinds", () => {
  expect(families).toHaveLength(21);
  expect(covered).toHaveLength(18);
});

test("random transactions of the chain's own kinds are byte for byte those of js-ext-core", async () => {
  await fuzz({ seed: 21, cases: 150, share: 0.5 }, (random) => {
    const signed = randomSigned(random, random.pick(covered).code);
    const { tx, chainId, keys, payers } = signed;
    const oracle = byOracle(signed);
    expect(toHex(tx.raw)).toBe(oracle.txHashRLP());
    expect(toHex(tx.senderTxHash)).toBe(toHex(keccak256(fromHex(oracle.senderTxHashRLP()))));
    expect(toHex(tx.type.digest(tx))).toBe(toHex(keccak256(fromHex(oracle.sigRLP()))));
    expect(addresses(senderKeys(tx, chainId))).toEqual(keys.map((key) => toHex(addressOfKey(key))));
    if (payers.length === 0) return;
    const digest = tx.type.payerDigest?.(tx, chainId) ?? new Uint8Array(0);
    expect(toHex(digest)).toBe(toHex(keccak256(fromHex(oracle.sigFeePayerRLP()))));
    expect(addresses(payerKeys(tx, chainId))).toEqual(payers.map((key) => toHex(addressOfKey(key))));
  });
});

test("random anchoring transactions have the layout that @ethereumjs/rlp writes", async () => {
  const anchoring = families.filter(({ code }) => code >= ANCHORING);
  await fuzz({ seed: 22, cases: 60, share: 0.2 }, (random) => {
    const { draft, tx, chainId } = randomSigned(random, random.pick(anchoring).code);
    const { nonce, gasFeeCap, gas, input, fields } = draft;
    const ratio = tx.fields.feeRatio === undefined ? [] : [tx.fields.feeRatio];
    const signed = [nonce, gasFeeCap, gas, fields?.from ?? null, input, ...ratio];
    const payer =
      tx.fields.feePayer === undefined ? [] : [tx.fields.feePayer, lists(tx.fields.payerSignatures)];
    const list = RLP.encode([...signed, lists(tx.signatures), ...payer]);
    expect(toHex(tx.raw)).toBe(toHex(Uint8Array.of(draft.code, ...list)));
    const inner = RLP.encode([draft.code, ...signed]);
    const digest = keccak256(RLP.encode([inner, chainId, 0, 0]));
    expect(toHex(tx.type.digest(tx))).toBe(toHex(digest));
  });
});

test("what was signed reads back as the draft said", async () => {
  await fuzz({ seed: 23, cases: 60, share: 0.2 }, (random) => {
    const { draft, tx, chainId } = randomSigned(random, random.pick(families).code);
    const { nonce, gas, gasFeeCap, fields } = draft;
    const read = decodeTransaction(tx.raw);
    expect(read).toMatchObject({ nonce, gas, gasFeeCap, gasTipCap: gasFeeCap, chainId });
    expect(toHex(senderOf(read, chainId))).toBe(toHex(fields?.from ?? new Uint8Array(0)));
    const own = tx.type.json(tx);
    if ("value" in own) expect(read.value).toBe(draft.value);
    if ("input" in own) expect(toHex(read.input)).toBe(toHex(draft.input));
    if ("feeRatio" in own) expect(read.fields.feeRatio).toBe(fields?.feeRatio);
    expect(read.to === undefined).toBe(own["to"] === undefined || own["to"] === null);
  });
});

/** Signed transactions for tests of the pool. */
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { signTransaction, type Transaction } from "../../node/model/transaction.ts";

/** The chain that the pool's tests sign for. */
export const CHAIN_ID = 1001n;

/** The kinds of transaction that tests make, by their number. */
export const LEGACY = 0;
export const ACCESS_LIST = 0x7801;
export const DYNAMIC_FEE = 0x7802;

/** A throw-away key and its address. */
export interface TestSigner {
  readonly key: Uint8Array;
  readonly address: Uint8Array;
}

/** The signer of a number from 1 to 65535. */
export function aSigner(number: number): TestSigner {
  const key = new Uint8Array(32);
  key[30] = number >> 8;
  key[31] = number & 0xff;
  return { key, address: addressOfKey(key) };
}

/** Facts of a transaction that a test sets; the rest makes it a plain transfer at 25 peb. */
export interface TransactionFacts {
  readonly from?: TestSigner;
  readonly nonce?: number | bigint;
  /** Both caps, unless `tip` says otherwise. */
  readonly price?: number | bigint;
  readonly tip?: number | bigint;
  readonly gas?: number | bigint;
  readonly value?: bigint;
  /** `null` makes a contract. */
  readonly to?: Uint8Array | null;
  readonly input?: Uint8Array;
  readonly code?: number;
  readonly chainId?: bigint;
}

const PLAIN = {
  from: aSigner(1),
  nonce: 0,
  price: 25,
  tip: undefined,
  gas: 21_000,
  value: 0n,
  to: new Uint8Array(20).fill(0xee),
  input: new Uint8Array(0),
  code: LEGACY,
  chainId: CHAIN_ID,
};

/** A signed transaction. */
export function aTransaction(facts: TransactionFacts = {}): Transaction {
  const { from, chainId, price, tip, ...rest } = { ...PLAIN, ...facts };
  const content = {
    ...rest,
    nonce: BigInt(rest.nonce),
    gas: BigInt(rest.gas),
    gasFeeCap: BigInt(price),
    gasTipCap: BigInt(tip ?? price),
    to: rest.to ?? undefined,
  };
  return signTransaction(content, chainId, (digest) => sign(digest, from.key));
}

/** The same transaction with other content; for what no encoding can say. */
export function withChanges(tx: Transaction, changes: Partial<Transaction>): Transaction {
  const { type, nonce, gas, gasFeeCap, gasTipCap, value, to, input, chainId, fields, signatures, raw, hash } =
    tx;
  const all = {
    type,
    nonce,
    gas,
    gasFeeCap,
    gasTipCap,
    value,
    to,
    input,
    chainId,
    fields,
    signatures,
    raw,
    hash,
    senderTxHash: hash,
  };
  return { ...all, ...changes };
}

/** Transactions of every Ethereum type and of one of Kaia's, for networks whose forks accept them one after another. */
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { versionedHash } from "../../node/crypto/versioned-hash.ts";
import { signTransaction, type Transaction } from "../../node/model/transaction.ts";
import type { Authorization, TypeFields } from "../../node/model/transaction-type.ts";
import { CHAIN_ID } from "../../scripts/network/genesis.ts";
import { signAuthorization } from "./authorizations.ts";

/** Sender, nonce and price of a transaction. */
export interface SendingOptions {
  readonly key: Uint8Array;
  readonly nonce: bigint;
  /** In peb; the tip, too, where `tip` is absent. */
  readonly price: bigint;
  readonly tip?: bigint;
  /** Account whose code a transaction of that type takes away, and its nonce. */
  readonly authority?: { readonly key: Uint8Array; readonly nonce: bigint };
}

/** Types of transactions: a legacy one, Kaia's transfer, access list, dynamic fee, blob, set code. */
export type LadderType = 0 | 0x08 | 0x7801 | 0x7802 | 0x7803 | 0x7804;

const GAS = 200_000n;

/** A transfer of 1 peb by the sender to itself. */
export function aLadderTransaction(code: LadderType, sending: SendingOptions): Transaction {
  const { key, nonce, price, tip = price } = sending;
  const own = addressOfKey(key);
  const call = { nonce, gas: GAS, value: 1n, to: own, input: new Uint8Array(0) };
  const draft = { code, gasFeeCap: price, gasTipCap: tip, ...call, fields: fieldsOf(code, sending) };
  return signTransaction(draft, BigInt(CHAIN_ID), (digest) => sign(digest, key));
}

function fieldsOf(code: LadderType, { key, price, authority }: SendingOptions): TypeFields {
  if (code === 0) return {};
  if (code === 0x08) return { from: addressOfKey(key) };
  const accessList = [{ address: addressOfKey(key), storageKeys: [new Uint8Array(32)] }];
  if (code === 0x7803) return { accessList, maxFeePerBlobGas: price * 1000n, ...zeroBlob() };
  if (code === 0x7804)
    return { accessList, authorizationList: authority ? [anAuthorization(authority)] : [] };
  return { accessList };
}

/** One blob of zeros, whose commitment and proofs are the point at infinity. */
function zeroBlob(): Pick<TypeFields, "sidecar" | "blobVersionedHashes"> {
  const infinity = new Uint8Array(48).fill(0xc0, 0, 1);
  const sidecar = {
    version: 1 as const,
    blobs: [new Uint8Array(131_072)],
    commitments: [infinity],
    proofs: Array.from({ length: 128 }, () => infinity),
  };
  return { sidecar, blobVersionedHashes: [versionedHash(infinity)] };
}

/** An authorization for the zero address, which takes delegations away. */
function anAuthorization({ key, nonce }: NonNullable<SendingOptions["authority"]>): Authorization {
  return signAuthorization({ chainId: BigInt(CHAIN_ID), address: new Uint8Array(20), nonce }, key);
}

import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createFeeMarket1559Tx, createLegacyTx, createTxFromRLP } from "@ethereumjs/tx";
import { expect, test } from "@jest/globals";
import { Transaction as EthersTransaction, SigningKey, Wallet } from "ethers";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import {
  decodeTransaction,
  senderOf,
  signTransaction,
  type Transaction,
  type TransactionDraft,
} from "../../../node/model/transaction.ts";
import { Random } from "./random.ts";

const ROUNDS = 60;
const random = new Random(5);

function randomDraft(code: number): TransactionDraft {
  const gasFeeCap = random.bigint(64);
  return {
    code,
    nonce: random.bigint(53),
    gas: random.bigint(53),
    gasFeeCap,
    gasTipCap: code === 0x7802 ? gasFeeCap / 2n : gasFeeCap,
    value: random.bigint(120),
    to: random.number(4) === 0 ? undefined : random.bytes(20),
    input: random.bytes(random.pick([0, 1, 4, 60, 300])),
    fields: {
      accessList: Array.from({ length: code === 0 ? 0 : random.number(3) }, () => ({
        address: random.bytes(20),
        storageKeys: Array.from({ length: random.number(3) }, () => random.bytes(32)),
      })),
    },
  };
}

/** The same transaction, built and signed by ethers. */
function byEthers(
  draft: TransactionDraft,
  ethType: number,
  chainId: bigint,
  key: Uint8Array,
): EthersTransaction {
  const { nonce, gas, gasFeeCap, gasTipCap, value, to, input, fields } = draft;
  const tx = EthersTransaction.from({
    type: ethType,
    chainId,
    nonce: Number(nonce),
    gasLimit: gas,
    value,
    data: toHex(input),
    to: to === undefined ? null : toHex(to),
    ...(ethType === 2
      ? { maxFeePerGas: gasFeeCap, maxPriorityFeePerGas: gasTipCap }
      : { gasPrice: gasFeeCap }),
    ...(ethType === 0
      ? {}
      : {
          accessList: (fields?.accessList ?? []).map(({ address, storageKeys }) => ({
            address: toHex(address),
            storageKeys: storageKeys.map(toHex),
          })),
        }),
  });
  tx.signature = new SigningKey(key).sign(tx.unsignedHash);
  return tx;
}

/** Ethereum's own form: without the byte that the chain puts before typed transactions. */
function ethereumForm(tx: Transaction): string {
  return toHex(tx.raw.subarray(tx.type.hashFrom));
}

test.each([
  [0, 0],
  [0x7801, 1],
  [0x7802, 2],
])("random transactions of kind %i are byte for byte those of ethers", (code, ethType) => {
  for (let i = 0; i < ROUNDS; i++) {
    const key = random.bytes(32);
    const chainId = random.pick([1n, 1001n, 8217n, 2n ** 40n]);
    const draft = randomDraft(code);
    const ours = signTransaction(draft, chainId, (digest) => sign(digest, key));
    const theirs = byEthers(draft, ethType, chainId, key);
    expect(ethereumForm(ours)).toBe(theirs.serialized);
    expect(toHex(ours.hash)).toBe(theirs.hash);
    expect(toHex(senderOf(ours, chainId))).toBe(new Wallet(toHex(key)).address.toLowerCase());
    const { nonce, gas, gasFeeCap, gasTipCap, value, input } = draft;
    expect(decodeTransaction(ours.raw)).toMatchObject({
      nonce,
      gas,
      gasFeeCap,
      gasTipCap,
      value,
      input,
      chainId,
    });
  }
});

test("random transactions are read alike by @ethereumjs/tx, and theirs by us", () => {
  for (let i = 0; i < ROUNDS / 3; i++) {
    const key = random.bytes(32);
    const common = createCustomCommon({ chainId: 1001 }, Mainnet, { hardfork: Hardfork.London });
    const draft = randomDraft(random.pick([0, 0x7802]));
    const ours = signTransaction(draft, 1001n, (digest) => sign(digest, key));
    const theirs = createTxFromRLP(fromHex(ethereumForm(ours)), { common, freeze: false });
    expect(toHex(theirs.hash())).toBe(toHex(ours.hash));
    expect(theirs.getSenderAddress().toString()).toBe(toHex(senderOf(ours, 1001n)));
    const { nonce, gas, gasFeeCap, gasTipCap, value, input } = draft;
    const content = {
      nonce,
      gasLimit: gas,
      value,
      data: input,
      ...(draft.to ? { to: toHex(draft.to) } : {}),
    };
    const built =
      draft.code === 0
        ? createLegacyTx({ ...content, gasPrice: gasFeeCap }, { common })
        : createFeeMarket1559Tx(
            {
              ...content,
              maxFeePerGas: gasFeeCap,
              maxPriorityFeePerGas: gasTipCap,
              accessList: (draft.fields?.accessList ?? []).map(({ address, storageKeys }) => ({
                address: toHex(address),
                storageKeys: storageKeys.map(toHex),
              })),
            },
            { common },
          );
    expect(toHex(built.sign(key).serialize())).toBe(ethereumForm(ours));
  }
});

test("a signature that names no chain is recovered as before EIP-155", () => {
  const wallet = new Wallet(toHex(random.bytes(32)));
  const tx = EthersTransaction.from({ type: 0, nonce: 1, gasLimit: 21_000, gasPrice: 5, to: wallet.address });
  tx.signature = wallet.signingKey.sign(tx.unsignedHash);
  const ours = decodeTransaction(fromHex(tx.serialized));
  expect(ours.chainId).toBeUndefined();
  expect(toHex(senderOf(ours, 1001n))).toBe(wallet.address.toLowerCase());
});

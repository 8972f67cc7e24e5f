/** Tests of Ethereum's transaction types against @ethereumjs/tx. */
import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createFeeMarket1559Tx, createLegacyTx, createTxFromRLP } from "@ethereumjs/tx";
import { expect, test } from "@jest/globals";
import {
  Transaction as EthersTransaction,
  Signature,
  SigningKey,
  toBeHex,
  verifyAuthorization,
  Wallet,
} from "ethers";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, integerBytes } from "../../../node/bytes/integer.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import { authorityOf } from "../../../node/model/authorization.ts";
import {
  decodeTransaction,
  senderOf,
  signTransaction,
  type Transaction,
  type TransactionDraft,
} from "../../../node/model/transaction.ts";
import type { Authorization } from "../../../node/model/transaction-type.ts";
import { signAuthorization } from "../../support/authorizations.ts";
import { fuzz } from "./fuzz.ts";
import { Random } from "./random.ts";

const ROUNDS = 60;
/** The generator of the case that runs. */
let random = new Random(5);
/** Share of each test of this file in a timed run's seconds. */
const SHARE = 1 / 7;

/** An authorization signed by a random key. */
function randomAuthorization(): Authorization {
  const content = {
    chainId: random.pick([0n, 1001n, random.bigint(200)]),
    address: random.bytes(20),
    nonce: random.bigint(64),
  };
  return signAuthorization(content, random.bytes(32));
}

function randomDraft(code: number): TransactionDraft {
  const gasFeeCap = random.bigint(64);
  return {
    code,
    nonce: random.bigint(53),
    gas: random.bigint(53),
    gasFeeCap,
    gasTipCap: code > 0x7801 ? gasFeeCap / 2n : gasFeeCap,
    value: random.bigint(120),
    to: code < 0x7803 && random.number(4) === 0 ? undefined : random.bytes(20),
    input: random.bytes(random.pick([0, 1, 4, 60, 300])),
    fields: {
      accessList: Array.from({ length: code === 0 ? 0 : random.number(3) }, () => ({
        address: random.bytes(20),
        storageKeys: Array.from({ length: random.number(3) }, () => random.bytes(32)),
      })),
      maxFeePerBlobGas: random.bigint(64),
      blobVersionedHashes: Array.from({ length: random.number(3) }, () => random.bytes(32)),
      authorizationList: Array.from({ length: random.number(3) }, randomAuthorization),
    },
  };
}

const word = (integer: Uint8Array) => toBeHex(bytesToBigint(integer), 32);

/** Fields of blob and set-code transactions alone. */
function laterFields({ fields }: TransactionDraft, ethType: number): object {
  const { maxFeePerBlobGas = 0n, blobVersionedHashes = [], authorizationList = [] } = fields ?? {};
  if (ethType === 3) return { maxFeePerBlobGas, blobVersionedHashes: blobVersionedHashes.map(toHex) };
  if (ethType !== 4) return {};
  return {
    authorizationList: authorizationList.map(({ yParity, r, s, ...rest }) => ({
      ...rest,
      address: toHex(rest.address),
      signature: Signature.from({ yParity: yParity === 1 ? 1 : 0, r: word(r), s: word(s) }),
    })),
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
    ...(ethType >= 2
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
    ...laterFields(draft, ethType),
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
  [0x7803, 3],
  [0x7804, 4],
])("random transactions of kind %i are byte for byte those of ethers", async (code, ethType) => {
  await fuzz({ seed: code + 1, cases: ROUNDS, share: SHARE }, (one) => {
    random = one;
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
  });
});

test("random transactions are read alike by @ethereumjs/tx, and theirs by us", async () => {
  await fuzz({ seed: 6, cases: ROUNDS / 3, share: SHARE }, (one) => {
    random = one;
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
  });
});

test("a signature that names no chain is recovered as before EIP-155", () => {
  const wallet = new Wallet(toHex(random.bytes(32)));
  const tx = EthersTransaction.from({ type: 0, nonce: 1, gasLimit: 21_000, gasPrice: 5, to: wallet.address });
  tx.signature = wallet.signingKey.sign(tx.unsignedHash);
  const ours = decodeTransaction(fromHex(tx.serialized));
  expect(ours.chainId).toBeUndefined();
  expect(toHex(senderOf(ours, 1001n))).toBe(wallet.address.toLowerCase());
});

test("the authority of an authorization is the one that ethers recovers", async () => {
  await fuzz({ seed: 7, cases: ROUNDS, share: SHARE }, (one) => {
    random = one;
    const authorization = randomAuthorization();
    const { chainId, address, nonce, yParity, r, s } = authorization;
    const theirs = verifyAuthorization(
      { chainId, address: toHex(address), nonce },
      { yParity: yParity === 1 ? 1 : 0, r: word(r), s: word(s) },
    );
    expect(toHex(authorityOf(authorization) ?? new Uint8Array(0))).toBe(theirs.toLowerCase());
  });
});

test("an authorization with a high s or an invalid signature has no authority", () => {
  const authorization = randomAuthorization();
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const high = integerBytes(order - bytesToBigint(authorization.s));
  expect(authorityOf({ ...authorization, s: high })).toBeUndefined();
  expect(authorityOf({ ...authorization, yParity: 2 })).toBeUndefined();
  expect(authorityOf({ ...authorization, r: new Uint8Array(0) })).toBeUndefined();
});

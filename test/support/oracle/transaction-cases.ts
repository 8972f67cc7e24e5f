/**
 * Cases about transactions themselves: every type, account keys of every kind, fee payers, ratios, access lists,
 * authorizations, blobs, caps, nonces, balances at their edges. Out: the accounts and the transaction's bytes.
 */

import { concatBytes } from "../../../node/bytes/compare.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { integerBytes, toQuantity } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { wordBytes } from "../../../node/bytes/word.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import {
  type AccountKey,
  encodeAccountKey,
  FAIL_KEY,
  KEY_TYPES,
  LEGACY_KEY,
  NIL_KEY,
} from "../../../node/model/account-key.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { transactionTypes } from "../../../node/model/transaction-table.ts";
import type { Authorization, TypeFields } from "../../../node/model/transaction-type.ts";
import { aMultiSig, aPublic } from "../account-keys.ts";
import { delegationTo } from "../evm-scenario.ts";
import { addressOf, aKey, aSent } from "../execution.ts";
import type { SuiteAccount } from "../suite-world.ts";
import { isForkSince, type TransactionFork } from "../transaction-differences.ts";
import { ORACLE_CHAIN_ID, type TransitionCase } from "./case.ts";
import { ABSENT, addressOfNumber, CONTRACTS, type Draw, PLAIN } from "./draw.ts";
import { calldata, contract, type Scene, surroundings } from "./opcode-cases.ts";

/** Codes of all types. */
export const CODES: readonly number[] = transactionTypes.map(({ code }) => code);
/** Enough for any gas of a case at its price, and for the value. */
const RICH = "0xffffffffffffffffffffffffffff";

/** Returns the case of a legacy transaction that calls the first contract of a scene. */
export function callOf(
  scene: Scene,
  options: { readonly fork: TransactionFork; readonly gas: bigint; readonly draw: Draw },
): TransitionCase {
  const { fork, gas, draw } = options;
  const creates = draw.chance(0.05);
  const tx = aSent({
    chainId: ORACLE_CHAIN_ID,
    gas,
    gasFeeCap: 25n,
    gasTipCap: 25n,
    value: draw.chance(0.85) ? 0n : BigInt(draw.below(20)),
    to: creates ? undefined : CONTRACTS[0],
    input: scene.input,
  });
  const pre = {
    ...scene.pre,
    [toHex(addressOf(1))]: { balance: RICH, nonce: "0x0", code: "0x", storage: {} },
  };
  return { fork, deferred: draw.chance(0.9), pre, tx: toHex(tx.raw) };
}

/** Returns a case about a transaction of any type. */
export function transactionCase(draw: Draw, fork: TransactionFork): TransitionCase {
  const code = draw.pick(CODES);
  const pre = surroundings(draw, fork);
  pre[toHex(CONTRACTS[0] ?? ABSENT)] = contract(draw, fork, calldata(draw, fork));
  for (const number of [1, 2, 3]) pre[toHex(addressOf(number))] = signer(draw, fork, number, isNative(code));
  const from = draw.chance(0.9) ? 1 : 2;
  const sender = pre[toHex(addressOf(from))] as SuiteAccount; // put above
  const nonce = nonceOf(draw, sender);
  const tx = signedTransaction(draw, { fork, code, from, nonce, chainId: ORACLE_CHAIN_ID });
  const fee = tx.gas * tx.gasFeeCap;
  if (draw.chance(0.2)) makePoor(pre, from, edgeBalance(draw, fee, tx.value));
  if (hasPayer(code) && draw.chance(0.1)) makePoor(pre, 3, edgeBalance(draw, fee, 0n));
  return { fork, deferred: draw.chance(0.7), pre, tx: toHex(tx.raw) };
}

/** Facts of a transaction that are not drawn. */
interface TransactionFacts {
  readonly fork: TransactionFork;
  readonly code: number;
  /** The number of the sender's key. */
  readonly from: number;
  readonly nonce: bigint;
  readonly chainId: bigint;
}

/** Returns a signed transaction; two of a hundred are for another chain. */
export function signedTransaction(draw: Draw, facts: TransactionFacts): Transaction {
  const { fork, code, from, nonce, chainId } = facts;
  const caps = capsOf(draw, code);
  return aSent({
    chainId: draw.chance(0.98) ? chainId : 7n,
    code,
    by: signersOf(draw, from, isNative(code)),
    ...(hasPayer(code) && { paidBy: draw.chance(0.7) ? [3] : draw.pick([[1], [2, 3], [3, 2, 1]]) }),
    nonce,
    gas: gasOf(draw),
    ...caps,
    value: valueOf(draw),
    to: recipientOf(draw, code),
    input: inputOf(draw, fork, code),
    fields: fieldsOf(draw, code, from),
  });
}

function isNative(code: number): boolean {
  return code > 0 && code < 0x7800;
}

function hasPayer(code: number): boolean {
  return isNative(code) && code % 8 !== 0;
}

/** Gives a signer's account another balance. */
function makePoor(pre: Record<string, SuiteAccount>, number: number, balance: string): void {
  const address = toHex(addressOf(number));
  pre[address] = { ...(pre[address] as SuiteAccount), balance }; // every signer has an account
}

function nonceOf(draw: Draw, { nonce }: SuiteAccount): bigint {
  const near = BigInt(nonce) + (draw.chance(0.95) ? 0n : BigInt(draw.below(3) - 1));
  return near < 0n ? 0n : BigInt.asUintN(64, near);
}

function inputOf(draw: Draw, fork: TransactionFork, code: number): Uint8Array {
  if (code === 0x08 || code === 0x09 || code === 0x0a) return new Uint8Array(0);
  return calldata(draw, fork).subarray(0, draw.chance(0.95) ? 300 : 60_000);
}

function edgeBalance(draw: Draw, fee: bigint, value: bigint): string {
  const share = BigInt(draw.pick([100, 100, 50, 30, 70, 1, 99]));
  const amount = (fee * share) / 100n + draw.pick([0n, value]) + BigInt(draw.below(3) - 1);
  return toQuantity(amount < 0n ? 0n : BigInt.asUintN(256, amount));
}

function signersOf(draw: Draw, from: number, manySign: boolean): readonly number[] {
  if (!manySign || draw.chance(0.7)) return [from];
  return draw.pick([[from, 2], [2, from], [1, 2, 3], [2], [from, from], [1, 2, 3, 4]]);
}

function signer(draw: Draw, fork: TransactionFork, number: number, native: boolean): SuiteAccount {
  const borrows = isForkSince(fork, "prague") && draw.chance(0.1);
  return {
    balance: draw.chance(0.95) ? RICH : "0x0",
    nonce: draw.chance(0.9)
      ? toQuantity(draw.below(3))
      : draw.pick(["0x7f", "0xff", "0xfffffffffffffffe", "0xffffffffffffffff"]),
    code: borrows ? delegationTo(draw.pick(CONTRACTS)) : "0x",
    storage: {},
    ...(draw.chance(native ? 0.6 : 0.1) && { key: toHex(encodeAccountKey(accountKey(draw, number))) }),
  };
}

function accountKey(draw: Draw, number: number): AccountKey {
  const kind = draw.below(8);
  if (kind < 2) return simpleKey(draw, number);
  if (kind < 5) return roleBased(Array.from({ length: 1 + draw.below(3) }, () => simpleKey(draw, number)));
  return multiSig(draw);
}

function simpleKey(draw: Draw, number: number): AccountKey {
  const kind = draw.below(8);
  if (kind === 0) return FAIL_KEY;
  if (kind === 1) return LEGACY_KEY;
  return kind < 5 ? aPublic(draw.chance(0.8) ? number : 1 + draw.below(4)) : multiSig(draw);
}

function multiSig(draw: Draw): AccountKey {
  const numbers = draw.pick([[1], [1, 2], [1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
  return aMultiSig(
    BigInt(1 + draw.below(3)),
    numbers.map((number) => [number, BigInt(1 + draw.below(3))]),
  );
}

function roleBased(keys: readonly AccountKey[]): AccountKey {
  return { type: KEY_TYPES.roleBased, body: encodeRlp(keys.map(encodeAccountKey)) };
}

/** A key to update to, at and beyond every limit. */
function newKey(draw: Draw): AccountKey {
  const kind = draw.below(10);
  if (kind < 4) return accountKey(draw, 1 + draw.below(3));
  if (kind === 4) return NIL_KEY;
  if (kind === 5)
    return aMultiSig(
      draw.pick([0n, 1n, 5n, (1n << 32n) - 1n]),
      draw.pick([
        [],
        [[1, 0n]],
        [
          [1, 1n],
          [1, 1n],
        ],
        [
          [1, 1n],
          [2, (1n << 32n) - 1n],
        ],
      ]),
    );
  if (kind === 6)
    return aMultiSig(
      1n,
      Array.from({ length: 11 }, (_, index) => [index + 1, 1n]),
    );
  if (kind === 7)
    return roleBased(
      draw.pick([
        [],
        [NIL_KEY],
        [NIL_KEY, aPublic(2)],
        [aPublic(1), NIL_KEY, aPublic(3)],
        [aPublic(1), aPublic(1), aPublic(1), aPublic(1)],
      ]),
    );
  if (kind === 8) return roleBased([FAIL_KEY, LEGACY_KEY]);
  return draw.pick([FAIL_KEY, LEGACY_KEY]);
}

function capsOf(draw: Draw, code: number): { readonly gasFeeCap: bigint; readonly gasTipCap: bigint } {
  const wider = code === 0x7803 ? [] : [1n << 256n, 1n << 300n];
  const huge = [(1n << 63n) + 1n, 1n << 64n, 1n << 128n, (1n << 256n) - 1n, ...wider];
  const gasFeeCap = draw.pick([
    25n,
    25n,
    25n,
    26n,
    30n,
    50n,
    24n,
    0n,
    draw.chance(0.3) ? draw.pick(huge) : 25n,
  ]);
  if (code < 0x7802) return { gasFeeCap, gasTipCap: gasFeeCap };
  return {
    gasFeeCap,
    gasTipCap: draw.pick([
      0n,
      1n,
      5n,
      gasFeeCap,
      gasFeeCap,
      BigInt.asUintN(256, gasFeeCap + 1n),
      draw.chance(0.2) ? draw.pick(huge) : 1n,
    ]),
  };
}

function gasOf(draw: Draw): bigint {
  const kind = draw.random();
  if (kind < 0.03)
    return draw.pick([0n, 1n, 20_999n, 21_000n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n]);
  if (kind < 0.5) return 1_000_000n;
  return 20_000n + BigInt(draw.below(kind < 0.8 ? 20_000 : 200_000));
}

function valueOf(draw: Draw): bigint {
  if (draw.chance(0.7)) return BigInt(draw.below(3));
  return draw.pick([1n << 63n, 1n << 64n, 1n << 111n, 1n << 112n, 1n << 255n, (1n << 256n) - 1n]);
}

function recipientOf(draw: Draw, code: number): Uint8Array | undefined {
  if (code === 0x28 || code === 0x29 || code === 0x2a) return undefined;
  if ((code === 0 || code === 0x7801 || code === 0x7802) && draw.chance(0.3)) return undefined;
  const numbers = [0, 1, 4, 9, 0x3fd, 0x3ff, 0x400].map(addressOfNumber);
  return draw.pick([
    ...CONTRACTS,
    CONTRACTS[0] ?? ABSENT,
    CONTRACTS[0] ?? ABSENT,
    PLAIN,
    ABSENT,
    addressOf(1),
    addressOf(2),
    draw.pick(numbers),
  ]);
}

function fieldsOf(draw: Draw, code: number, from: number): TypeFields {
  if (isNative(code)) {
    return {
      from: addressOf(from),
      ...([0x20, 0x21, 0x22].includes(code) && { key: encodeAccountKey(newKey(draw)) }),
      ...([0x28, 0x29, 0x2a].includes(code) && {
        humanReadable: draw.chance(0.03),
        codeFormat: draw.chance(0.95) ? 0 : draw.pick([1, 2, 255]),
      }),
      feeRatio: draw.chance(0.9) ? 1 + draw.below(99) : draw.pick([0, 100, 101, 150, 255]),
    };
  }
  if (code < 0x7800) return {};
  return {
    accessList: Array.from({ length: draw.chance(0.5) ? 0 : draw.below(4) }, () => ({
      address: draw.pick([...CONTRACTS, PLAIN, ABSENT, addressOfNumber(5), addressOf(1)]),
      storageKeys: Array.from({ length: draw.below(3) }, () => wordBytes(BigInt(draw.below(4)))),
    })),
    ...(code === 0x7803 && {
      maxFeePerBlobGas: draw.pick([200n, 199n, 1n << 64n, 0n, 201n]),
      blobVersionedHashes: Array.from({ length: draw.pick([1, 1, 1, 0, 2]) }, () =>
        draw.bytes(32).with(0, draw.chance(0.9) ? 1 : draw.below(3)),
      ),
    }),
    ...(code === 0x7804 && {
      authorizationList: Array.from({ length: draw.pick([1, 1, 2, 3, 0]) }, () => authorization(draw)),
    }),
  };
}

function authorization(draw: Draw): Authorization {
  const chainId = draw.pick([ORACLE_CHAIN_ID, ORACLE_CHAIN_ID, 0n, 5n, 1n << 64n, (1n << 256n) - 1n]);
  const address = draw.pick([...CONTRACTS, addressOfNumber(0), addressOfNumber(4), PLAIN, addressOf(2)]);
  const nonce = draw.chance(0.9)
    ? BigInt(draw.below(4))
    : draw.pick([(1n << 64n) - 1n, (1n << 64n) - 2n, 1n << 63n]);
  const message = encodeRlp([integerBytes(chainId), address, integerBytes(nonce)]);
  const signature = sign(keccak256(concatBytes(Uint8Array.of(5), message)), aKey(1 + draw.below(3)));
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)].map(trimZeros) as [
    Uint8Array,
    Uint8Array,
  ];
  const yParity = draw.chance(0.9) ? (signature[64] ?? 0) : draw.pick([0, 1, 2, 27, 255]);
  return {
    chainId,
    address,
    nonce,
    yParity,
    r: draw.chance(0.95) ? r : trimZeros(draw.bytes(32)),
    s: draw.chance(0.95) ? s : trimZeros(wordBytes(draw.word())),
  };
}

function trimZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? new Uint8Array(0) : bytes.subarray(first);
}

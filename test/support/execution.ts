/** A world in memory with accounts of test keys, and transactions of any kind from them. */
import { BASE_RULES, type Rules } from "../../node/config/rules.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { evmBlock } from "../../node/execution/block-context.ts";
import type { BlockContext } from "../../node/execution/transaction.ts";
import { emptyAccount } from "../../node/model/account.ts";
import { FAIL_KEY } from "../../node/model/account-key.ts";
import type { Header } from "../../node/model/header.ts";
import { signTransaction, type Transaction, type TransactionDraft } from "../../node/model/transaction.ts";
import { signAsFeePayer } from "../../node/model/transaction-signers.ts";
import { openState } from "../../node/state/open-state.ts";
import { memoryTries } from "../../node/state/trie/generations.ts";
import type { World } from "../../node/state/world/world.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";
import { aGenesisBlock, aHeader, aValidator } from "./headers.ts";

/** The chain that these transactions are for. */
export const CHAIN_ID = 1001n;
/** Gas price of these tests, in peb. */
export const PRICE = 25_000_000_000n;
/** Initial balance of an account, in peb. */
export const RICH = 10n ** 18n;

/** A throw-away key, by number. */
export function aKey(number: number): Uint8Array {
  const key = new Uint8Array(32);
  key[31] = number;
  return key;
}

/** The address of a throw-away key. */
export function addressOf(number: number): Uint8Array {
  return addressOfKey(aKey(number));
}

/** A fresh world in which the accounts of keys 1, 2 and 3 are rich. */
export async function aWorld(): Promise<World> {
  const state = await openState({ chain: createMemoryStore(), trie: memoryTries() });
  await state.ready;
  const world = state.begin();
  for (const number of [1, 2, 3]) world.addBalance(addressOf(number), RICH);
  world.endTransaction();
  return world;
}

/** Puts a contract with this code at an address. */
export function putContract(world: World, address: Uint8Array, code: Uint8Array, balance = 0n): void {
  world.setAccount(address, {
    ...emptyAccount(),
    kind: "contract",
    key: FAIL_KEY,
    nonce: 1n,
    balance,
    codeInfo: 0x10,
  });
  world.setCode(address, code);
  world.endTransaction();
}

/** A block in which transactions run. */
export function aContext(
  change: Partial<Rules> = {},
  more: Partial<BlockContext> & { readonly head?: Partial<Header> } = {},
): BlockContext {
  const { head, ...rest } = more;
  const header = { ...aHeader(aGenesisBlock([]), []), rewardbase: aValidator(12).address, ...head };
  const surroundings = { author: aValidator(11).address, blockHash: () => undefined };
  return {
    chainId: CHAIN_ID,
    header,
    rules: { ...BASE_RULES, ...change },
    block: evmBlock(header, surroundings),
    maxBlobs: 1,
    maxBlockBlobs: 1,
    deferredFees: true,
    ...rest,
  };
}

/** Fields that a test gives a transaction; the rest makes it a legacy transfer of nothing from key 1. */
export interface Sending extends Partial<TransactionDraft> {
  /** Keys that sign as the sender. */
  readonly by?: readonly number[];
  /** Keys that sign as the fee payer, whose address is that of the first unless `fields` says otherwise. */
  readonly paidBy?: readonly number[];
  readonly chainId?: bigint;
}

/** A signed transaction of any kind. */
export function aSent({ by = [1], paidBy, chainId = CHAIN_ID, ...change }: Sending = {}): Transaction {
  const code = change.code ?? 0;
  const draft = {
    code,
    nonce: 0n,
    gas: 1_000_000n,
    gasFeeCap: PRICE,
    gasTipCap: PRICE,
    to: addressOf(9),
    value: 0n,
    input: new Uint8Array(0),
    ...change,
    fields: { ...(code > 0 && code < 0x7800 && { from: addressOf(by[0] ?? 0) }), ...change.fields },
  };
  const tx = signTransaction(draft, chainId, (digest) => signedBy(by, digest));
  if (paidBy === undefined) return tx;
  const feePayer = change.fields?.feePayer ?? addressOf(paidBy[0] ?? 0);
  return signAsFeePayer(tx, { feePayer, chainId }, (digest) => signedBy(paidBy, digest));
}

function signedBy(keys: readonly number[], digest: Uint8Array): Uint8Array | readonly Uint8Array[] {
  const signatures = keys.map((key) => sign(digest, aKey(key)));
  return signatures.length === 1 ? (signatures[0] ?? digest) : signatures;
}

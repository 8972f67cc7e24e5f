/**
 * State dumps as JSON for debugging: accounts, and pages of storage. Throws when a result exceeds its size
 * limit.
 */
import type { Address, Hash, StorageKey } from "../bytes/brands.ts";
import { compareBytes, isZero } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { trimZeros } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { wordBytes } from "../bytes/word.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";
import type { StateReader } from "../state/state-reader.ts";

/** An account of a dump. Hex is without 0x. */
export interface DumpedAccount {
  readonly balance: string;
  readonly nonce: number;
  readonly root: string;
  readonly codeHash: string;
  readonly code: string;
  /** RLP of slot values by key. */
  readonly storage: Readonly<Record<string, string>>;
}

/** Accounts by address; `pre(<hash>)` stands for an address that is not stored. */
export type DumpedAccounts = Readonly<Record<string, DumpedAccount>>;

const ACCOUNT_BYTES = 300;
const SLOT_BYTES = 150;

/** Size of a result so far and its limit, in bytes. */
export interface DumpSize {
  used: number;
  readonly max: number;
}

/** Adds to the size. Throws `RpcError` above the limit. */
export function addToSize(size: DumpSize, bytes: number): void {
  size.used += bytes;
  if (size.used > size.max) throw new RpcError(rpcCode.tooLarge, `the dump is larger than ${size.max} bytes`);
}

/** Dumps every account after block `number`. Throws `RpcError` above `maxBytes`. */
export async function dumpAccounts(
  states: StateReader,
  number: number,
  maxBytes: number,
): Promise<DumpedAccounts> {
  const view = states.view(number);
  const size = { used: 0, max: maxBytes };
  const dumped: [string, DumpedAccount][] = [];
  for await (const { hash, address, account } of states.accounts(number)) {
    const code = address === undefined ? new Uint8Array(0) : view.code(address);
    addToSize(size, ACCOUNT_BYTES + 2 * code.length);
    dumped.push([
      address === undefined ? `pre(${bareHex(hash)})` : bareHex(address),
      {
        balance: account.balance.toString(),
        nonce: Number(account.nonce),
        root: bareHex(account.storageRoot),
        codeHash: bareHex(account.codeHash),
        code: bareHex(code),
        storage: address === undefined ? {} : await dumpSlots(states, { number, address }, size),
      },
    ]);
  }
  return Object.fromEntries(dumped.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function dumpSlots(
  states: StateReader,
  { number, address }: { readonly number: number; readonly address: Address },
  size: DumpSize,
): Promise<Record<string, string>> {
  const slots: [string, string][] = [];
  for await (const { hash, key, value } of states.slots(number, address)) {
    addToSize(size, SLOT_BYTES);
    slots.push([
      key === undefined ? `pre(${bareHex(hash)})` : bareHex(key),
      bareHex(encodeRlp(trimZeros(value))),
    ]);
  }
  return Object.fromEntries(slots.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** One page of an account's slots. */
export interface StorageRange {
  readonly storage: Readonly<Record<string, { readonly key: string | null; readonly value: string }>>;
  /** Hash of the first slot of the next page. */
  readonly nextKey: string | null;
}

/** A slot and the hash of its key. */
export interface HashedSlot {
  readonly hash: Hash;
  readonly key: StorageKey | undefined;
  /** The value, 32 bytes, not zero. */
  readonly value: Uint8Array;
}

/** Collects at most `max` slots. `slots` are ascending by hash. */
export async function storagePage(slots: AsyncIterable<HashedSlot>, max: number): Promise<StorageRange> {
  const storage: Record<string, { key: string | null; value: string }> = {};
  let count = 0;
  for await (const { hash, key, value } of slots) {
    if (count >= max) return { storage, nextKey: toHex(hash) };
    count++;
    storage[toHex(hash)] = { key: key === undefined ? null : toHex(key), value: toHex(value) };
  }
  return { storage, nextKey: null };
}

/** Merges the slots with those that the first transactions of a block changed. */
export async function* slotsWith(
  slots: AsyncIterable<HashedSlot>,
  changed: ReadonlyMap<bigint, Uint8Array>,
  start: Uint8Array,
): AsyncGenerator<HashedSlot> {
  const others = [...changed]
    .map(([word, value]) => {
      const key = wordBytes(word);
      return { hash: keccak256(key), key, value };
    })
    .filter(({ hash }) => compareBytes(hash, start) >= 0)
    .toSorted((a, b) => compareBytes(a.hash, b.hash));
  let next = 0;
  for await (const slot of slots) {
    let order = 1;
    for (let other = others[next]; other !== undefined; other = others[next]) {
      order = compareBytes(other.hash, slot.hash);
      if (order > 0) break;
      next++;
      if (!isZero(other.value)) yield other;
      if (order === 0) break;
    }
    if (order !== 0) yield slot;
  }
  for (const other of others.slice(next)) if (!isZero(other.value)) yield other;
}

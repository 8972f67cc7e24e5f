/** States written out for people who look for a difference. What is listed counts against the answer's size. */
import { compareBytes, isZero } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { wordBytes } from "../bytes/word.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";
import type { StateReader } from "../state/state-reader.ts";

/** An account of a dump; hex without 0x. */
export interface DumpedAccount {
  readonly balance: string;
  readonly nonce: number;
  readonly root: string;
  readonly codeHash: string;
  readonly code: string;
  /** The slots' RLP by key. */
  readonly storage: Readonly<Record<string, string>>;
}

/** All accounts by address, those whose address nobody kept by `pre(<its hash>)`. */
export type DumpedAccounts = Readonly<Record<string, DumpedAccount>>;

const ACCOUNT_BYTES = 300;
const SLOT_BYTES = 150;

/** Counts an answer's bytes. */
export interface Size {
  used: number;
  readonly max: number;
}

/** Throws `RpcError` when the answer would be too large. */
export function take(size: Size, bytes: number): void {
  size.used += bytes;
  if (size.used > size.max) throw new RpcError(rpcCode.tooLarge, `the dump is larger than ${size.max} bytes`);
}

/** Every account after block `number`, by address. Throws `RpcError` when they are more than `maxBytes`. */
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
    take(size, ACCOUNT_BYTES + 2 * code.length);
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
  { number, address }: { readonly number: number; readonly address: Uint8Array },
  size: Size,
): Promise<Record<string, string>> {
  const slots: [string, string][] = [];
  for await (const { hash, key, value } of states.slots(number, address)) {
    take(size, SLOT_BYTES);
    slots.push([
      key === undefined ? `pre(${bareHex(hash)})` : bareHex(key),
      bareHex(encodeRlp(significant(value))),
    ]);
  }
  return Object.fromEntries(slots.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A slot without the zeros in front. */
export function significant(value: Uint8Array): Uint8Array {
  const first = value.findIndex((byte) => byte !== 0);
  return first < 0 ? value.subarray(value.length) : value.subarray(first);
}

/** One page of an account's slots. */
export interface StorageRange {
  readonly storage: Readonly<Record<string, { readonly key: string | null; readonly value: string }>>;
  /** Hash of the first slot of the next page. */
  readonly nextKey: string | null;
}

/** A slot by its key's hash. */
export interface HashedSlot {
  readonly hash: Uint8Array;
  readonly key: Uint8Array | undefined;
  /** 32 bytes, not zero. */
  readonly value: Uint8Array;
}

/** At most `max` of the slots, which come in the order of their hashes, from `start` on. */
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

/** The same slots with those that a block's first transactions changed, as they were then. */
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

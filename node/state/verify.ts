/** Reads the whole state: each trie node against its hash, each leaf against its flat row. */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import type { Range, Rows, Store } from "../store/store.ts";
import { tables, trieTables } from "../store/tables.ts";
import { StateError } from "./error.ts";
import { type AccountRecord, leafOf, recordOf, slotLeaf } from "./flat/flat-rows.ts";
import { destroyedOf, nodesOf, slotsOf } from "./flat/storage-rows.ts";
import { verifyHistory } from "./history/verify-history.ts";
import type { VerifiedCounts } from "./state.ts";
import type { NodeSource } from "./trie/node-source.ts";
import { accountNodes, storageNodes } from "./trie/trie-set.ts";
import { walkTrie } from "./trie/walk.ts";

/** Two databases that hold the same block. */
export interface VerifyDeps {
  readonly chain: Store;
  readonly trie: Store;
  readonly root: Hash;
  readonly progress: (accounts: number) => void;
}

interface Compared {
  readonly leaves: number;
  readonly nodes: number;
}

/** Rows between two reports of progress. */
const REPORT_ROWS = 1000;

/** See `State.verify`. */
export async function verifyState(parts: VerifyDeps): Promise<VerifiedCounts> {
  const { chain, trie, root, progress } = parts;
  const codes = new Codes(chain);
  let slots = 0;
  let storageRows = 0;
  let verifiedAccounts = 0;
  const accounts = await compare(
    accountNodes(trie),
    root,
    flatRows(chain, tables.account.range(), 1, async (key, flat) => {
      const record = recordOf(key.subarray(1), flat);
      codes.check(record);
      const storage = await compareStorage(chain, trie, record);
      slots += storage.leaves;
      storageRows += storage.nodes;
      if (++verifiedAccounts % REPORT_ROWS === 0) progress(verifiedAccounts);
      return leafOf(flat);
    }),
  );
  progress(verifiedAccounts);
  const nodes = accounts.nodes + storageRows;
  const waiting = await countDestroyed(chain, trie);
  const storedNodes =
    (await count(trie, trieTables.accountNode.range())) + (await count(trie, trieTables.storageNode.range()));
  const storedSlots = await count(chain, tables.slot.range());
  return {
    accounts: accounts.leaves,
    slots,
    codes: codes.checked,
    changes: await verifyHistory(chain),
    nodes,
    strayNodes: storedNodes - nodes - waiting.nodes,
    straySlots: storedSlots - slots - waiting.slots,
  };
}

/** Code that accounts name must be there and fit its hash; each is read once. */
class Codes {
  readonly #rows: Rows;
  readonly #seen = new Set<string>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  get checked(): number {
    return this.#seen.size;
  }

  check({ hash, account }: AccountRecord): void {
    if (account === undefined || equalBytes(account.codeHash, EMPTY_HASH)) return;
    const name = mapKey(account.codeHash);
    if (this.#seen.has(name)) return;
    const code = this.#rows.get(tables.code.key(account.codeHash));
    if (code === undefined || !equalBytes(keccak256(code), account.codeHash)) {
      const what = code === undefined ? "is missing" : "fails its hash";
      throw new StateError("corrupt", `the code of account ${bareHex(hash)} ${what}`);
    }
    this.#seen.add(name);
  }
}

/** Counts the rows of destroyed accounts that a sweep has still to delete, or that an archive node keeps. */
async function countDestroyed(
  chain: Store,
  trie: Store,
): Promise<{ readonly slots: number; readonly nodes: number }> {
  let slots = 0;
  let nodes = 0;
  for await (const [key] of chain.entries(tables.destroyed.range())) {
    const { accountHash, incarnation } = destroyedOf(key);
    slots += await count(chain, slotsOf(accountHash, incarnation));
    nodes += await count(trie, nodesOf(accountHash, incarnation));
  }
  return { slots, nodes };
}

async function compareStorage(
  chain: Store,
  trie: Store,
  { hash, account, incarnation }: AccountRecord,
): Promise<Compared> {
  const root = account?.storageRoot ?? EMPTY_TRIE_ROOT;
  if (incarnation === 0 && equalBytes(root, EMPTY_TRIE_ROOT)) return { leaves: 0, nodes: 0 };
  const range = slotsOf(hash, incarnation);
  const rows = flatRows(chain, range, range.from.length, async (_key, value) => slotLeaf(value));
  return compare(storageNodes(trie, hash, incarnation), root, rows);
}

/** Rows of a range as leaves: hashed key and value in the trie. */
async function* flatRows(
  chain: Store,
  range: Range,
  keyStart: number,
  toLeaf: (key: Uint8Array, value: Uint8Array) => Promise<Uint8Array>,
): AsyncGenerator<readonly [Uint8Array, Uint8Array]> {
  for await (const [key, value] of chain.entries(range))
    yield [key.subarray(keyStart), await toLeaf(key, value)];
}

/** Walks trie and rows side by side. Throws `StateError` `corrupt` at the first difference. */
async function compare(
  source: NodeSource,
  root: Hash,
  rows: AsyncIterable<readonly [Uint8Array, Uint8Array]>,
): Promise<Compared> {
  const walk = walkTrie(source, root);
  let leaf = walk.next();
  let leaves = 0;
  for await (const [key, value] of rows) {
    if (leaf.done === true || !equalBytes(leaf.value.key, key) || !equalBytes(leaf.value.value, value)) {
      throw new StateError("corrupt", `trie and flat state differ at ${bareHex(key)}`);
    }
    leaves++;
    leaf = walk.next();
  }
  if (leaf.done !== true) {
    throw new StateError("corrupt", `the flat state lacks ${bareHex(leaf.value.key)}`);
  }
  return { leaves, nodes: leaf.value };
}

async function count(store: Store, range: Range): Promise<number> {
  let rows = 0;
  for await (const _ of store.entries(range)) rows++;
  return rows;
}

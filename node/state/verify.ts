/** Reads the whole state: each trie node against its hash, each leaf against its flat row. */
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import type { Range, Store } from "../store/store.ts";
import { tables, trieTables } from "../store/tables.ts";
import { StateError } from "./error.ts";
import { leafOf, recordOf, slotLeaf } from "./flat.ts";
import type { Verified } from "./state.ts";
import type { NodeSource } from "./trie/node-source.ts";
import { walkTrie } from "./trie/walk.ts";
import { accountNodes, storageNodes } from "./trie-set.ts";

/** Two databases that hold the same block. */
export interface VerifyParts {
  readonly chain: Store;
  readonly trie: Store;
  readonly root: Uint8Array;
  readonly progress: (accounts: number) => void;
}

interface Compared {
  readonly leaves: number;
  readonly nodes: number;
}

/** Sorts after every slot hash. */
const AFTER_ALL_SLOTS = new Uint8Array(33).fill(255);
/** Rows between two reports of progress. */
const REPORT_ROWS = 1000;

/** See `State.verify`. */
export async function verifyState({ chain, trie, root, progress }: VerifyParts): Promise<Verified> {
  let slots = 0;
  let storageRows = 0;
  let accountsSeen = 0;
  const accounts = await compare(
    accountNodes(trie),
    root,
    flatRows(chain, tables.account.range(), 1, async (key, flat) => {
      const storage = await compareStorage(chain, trie, key.subarray(1), flat);
      slots += storage.leaves;
      storageRows += storage.nodes;
      if (++accountsSeen % REPORT_ROWS === 0) progress(accountsSeen);
      return leafOf(flat);
    }),
  );
  progress(accountsSeen);
  const nodes = accounts.nodes + storageRows;
  const stored =
    (await count(trie, trieTables.accountNode.range())) + (await count(trie, trieTables.storageNode.range()));
  return { accounts: accounts.leaves, slots, nodes, strayNodes: stored - nodes };
}

async function compareStorage(
  chain: Store,
  trie: Store,
  accountHash: Uint8Array,
  flat: Uint8Array,
): Promise<Compared> {
  const { account, incarnation } = recordOf(accountHash, flat);
  const root = account?.storageRoot ?? EMPTY_TRIE_ROOT;
  if (incarnation === 0 && equalBytes(root, EMPTY_TRIE_ROOT)) return { leaves: 0, nodes: 0 };
  const from = tables.slot.key(accountHash, incarnation, new Uint8Array(0));
  const to = tables.slot.key(accountHash, incarnation, AFTER_ALL_SLOTS);
  const rows = flatRows(chain, { from, to }, from.length, async (_key, value) => slotLeaf(value));
  return compare(storageNodes(trie, accountHash, incarnation), root, rows);
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
  root: Uint8Array,
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

/** Verifies the whole state: each trie node against its hash, each leaf against its flat row. */
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex } from "../../bytes/hex.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import type { Range, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { recordOf } from "../flat/flat-rows.ts";
import { destroyedOf, nodesOf, slotsOf } from "../flat/storage-rows.ts";
import { verifyHistory } from "../history/verify-history.ts";
import { readHead } from "../rows.ts";
import type { VerifiedCounts } from "../state.ts";
import { BRANCH, hashPlace } from "../trie/node.ts";
import { accountNodes } from "../trie/trie-set.ts";
import { type AccountsPart, type PartCounts, verifyPart } from "./accounts-part.ts";
import { verifyPast } from "./verify-past.ts";
import { type StateDirectories, verifyInThreads } from "./verify-threads.ts";

/** Two databases that hold the same block. */
export interface VerifyDeps {
  readonly chain: Store;
  readonly trie: Store;
  readonly root: Hash;
  /** Called with the accounts so far; throws to end the work. */
  readonly progress: (accounts: number) => void;
  /** For other threads, which open the two there; undefined for stores in memory. */
  readonly directories: StateDirectories | undefined;
  /** Oldest block whose state is read by undo records. */
  readonly oldest: number;
  /** Returns the state root in the header of a block; undefined to leave out the states before the newest. */
  readonly rootAt: ((number: number) => Hash) | undefined;
}

/** See `State.verify`. */
export async function verifyState(deps: VerifyDeps): Promise<VerifiedCounts> {
  const { chain, trie, root } = deps;
  const { parts, ownNodes } = splitAccounts(trie, root);
  let done = 0;
  const progress = (accounts: number): void => deps.progress((done += accounts));
  const counts =
    deps.directories === undefined
      ? await verifyHere(deps, parts, progress)
      : await verifyInThreads(deps.directories, parts, progress);
  const waiting = await countDestroyed(chain, trie);
  const { oldest, rootAt } = deps;
  if (rootAt !== undefined) await verifyPast({ chain, trie, root, oldest, rootAt });
  const sum = (countOf: (part: PartCounts) => number): number =>
    counts.reduce((total, part) => total + countOf(part), 0);
  return {
    accounts: sum(({ accounts }) => accounts),
    slots: sum(({ slots }) => slots),
    codes: new Set(counts.flatMap(({ codes }) => [...codes])).size,
    changes: await verifyHistory(chain),
    nodes: ownNodes + sum(({ nodes }) => nodes),
    strayNodes: sum(({ strayNodes }) => strayNodes) - waiting.nodes,
    straySlots: sum(({ straySlots }) => straySlots) - waiting.slots,
  };
}

/** Splits the accounts at the root of their trie, which is verified here, as `ownNodes` rows. */
function splitAccounts(trie: Store, root: Hash): { parts: readonly AccountsPart[]; ownNodes: number } {
  const path = new Uint8Array(0);
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return { parts: [{ path, hash: undefined }], ownNodes: 0 };
  const node = accountNodes(trie).load(path, 0, root, 0);
  // an account is too long to stand inside its parent
  if (node.kind !== BRANCH) return { parts: [{ path, hash: root }], ownNodes: 0 };
  const parts = Array.from({ length: 16 }, (_, nibble): AccountsPart => {
    const at = hashPlace(nibble);
    const isThere = ((node.mask >> nibble) & 1) === 1;
    return { path: Uint8Array.of(nibble), hash: isThere ? node.references.slice(at, at + 32) : undefined };
  });
  return { parts, ownNodes: 1 };
}

/** Verifies parts one after the other, in this thread. */
async function verifyHere(
  deps: VerifyDeps,
  parts: readonly AccountsPart[],
  progress: (accounts: number) => void,
): Promise<readonly PartCounts[]> {
  using chain = deps.chain.snapshot();
  using trie = deps.trie.snapshot();
  const counts: PartCounts[] = [];
  for (const part of parts) counts.push(await verifyPart({ chain, trie }, part, progress));
  return counts;
}

/**
 * Counts the rows of destroyed accounts that a sweep has still to delete, or that an archive node keeps. Throws `StateError`
 * `corrupt` where that is the storage of an account, or of one that is still to come: a sweep would delete it.
 */
async function countDestroyed(
  chain: Store,
  trie: Store,
): Promise<{ readonly slots: number; readonly nodes: number }> {
  const { incarnations } = readHead(chain);
  let slots = 0;
  let nodes = 0;
  for await (const [key] of chain.entries(tables.destroyed.range())) {
    const { accountHash, incarnation } = destroyedOf(key);
    const account = recordOf(accountHash, chain.get(tables.account.key(accountHash)));
    if (account.incarnation === incarnation || incarnation > incarnations)
      throw new StateError("corrupt", `the storage of account ${bareHex(accountHash)} is not destroyed`);
    slots += await count(chain, slotsOf(accountHash, incarnation));
    nodes += await count(trie, nodesOf(accountHash, incarnation));
  }
  return { slots, nodes };
}

async function count(store: Store, range: Range): Promise<number> {
  let rows = 0;
  for await (const _ of store.entries(range)) rows++;
  return rows;
}

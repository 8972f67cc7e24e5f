/** The state's tries, node by node. */
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { encodeAccount } from "../model/account.ts";
import type { StateReader } from "../state/state-reader.ts";
import { type ListedLeaf, type ListedNode, listTrie } from "../state/trie/trie-listing.ts";
import { type Size, significant, take } from "./state-dump.ts";

/** A node, or the end of a path. */
export interface DumpedNode {
  readonly type: "state" | "state_leaf" | "storage" | "storage_leaf" | "code";
  /** Of code, its own; none of a leaf. */
  readonly hash: string;
  readonly parent: string;
  /** Nibbles, a digit each. */
  readonly path: string;
}

/** How much is written, and how. */
export interface TrieDumpTerms {
  readonly maxBytes: number;
  /** A row for each account without storage. */
  readonly listsEmptyStorage: boolean;
}

const NO_HASH = `0x${"0".repeat(64)}`;
/** Of a leaf with its node, its row and the nodes above it, about. */
const LEAF_BYTES = 700;

interface Kept extends ListedLeaf {
  readonly address: Uint8Array | undefined;
  readonly codeHash: Uint8Array;
}

/** All nodes after block `number`. Throws `RpcError` when they are more than an answer holds. */
export async function dumpTries(
  states: StateReader,
  number: number,
  terms: TrieDumpTerms,
): Promise<DumpedNode[]> {
  const size = { used: 0, max: terms.maxBytes };
  const accounts: Kept[] = [];
  for await (const { hash, address, account } of states.accounts(number)) {
    take(size, LEAF_BYTES);
    accounts.push({ key: hash, value: encodeAccount(account), address, codeHash: account.codeHash });
  }
  const byKey = new Map(accounts.map((each) => [bareHex(each.key), each]));
  const nodes: DumpedNode[] = [];
  for (const node of listTrie(accounts)) {
    nodes.push(shown("state", node));
    if (node.leaf === undefined) continue;
    const parent = toHex(node.hash);
    const { address, codeHash = EMPTY_HASH } = byKey.get(bareHex(node.leaf.key)) ?? {};
    const slots = address === undefined ? [] : await slotLeaves(states, { number, address }, size);
    if (slots.length > 0) nodes.push(...storageNodes(slots, parent));
    else if (terms.listsEmptyStorage) nodes.push({ type: "storage", hash: NO_HASH, parent, path: "0x" });
    if (!equalBytes(codeHash, EMPTY_HASH)) {
      nodes.push({ type: "code", hash: toHex(codeHash), parent, path: "0x" });
    }
    nodes.push({ type: "state_leaf", hash: NO_HASH, parent, path: toHex(node.leaf.key) });
  }
  return nodes;
}

async function slotLeaves(
  states: StateReader,
  { number, address }: { readonly number: number; readonly address: Uint8Array },
  size: Size,
): Promise<ListedLeaf[]> {
  const leaves: ListedLeaf[] = [];
  for await (const { hash, value } of states.slots(number, address)) {
    take(size, LEAF_BYTES);
    leaves.push({ key: hash, value: encodeRlp(significant(value)) });
  }
  return leaves;
}

function* storageNodes(slots: readonly ListedLeaf[], account: string): Generator<DumpedNode> {
  for (const node of listTrie(slots)) {
    const row = shown("storage", node);
    yield node.parent.length === 0 ? { ...row, parent: account } : row;
    if (node.leaf === undefined) continue;
    const parent = node.hash.length === 0 ? row.parent : row.hash;
    yield { type: "storage_leaf", hash: NO_HASH, parent, path: toHex(node.leaf.key) };
  }
}

function shown(type: DumpedNode["type"], { hash, parent, path }: ListedNode): DumpedNode {
  return {
    type,
    hash: hash.length === 0 ? NO_HASH : toHex(hash),
    parent: parent.length === 0 ? NO_HASH : toHex(parent),
    path: `0x${[...path].map((nibble) => nibble.toString(16)).join("")}`,
  };
}

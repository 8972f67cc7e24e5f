/** Walks over the nodes of a trie. */
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import { BRANCH, hashPlace, LEAF, type TrieNode, toKey } from "./node.ts";
import type { NodeSource } from "./node-source.ts";

/** One key of a stored trie with its value. */
export interface TrieLeaf {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * All keys of a stored trie in order. Every node is read and hash-checked; returns how many had a row of their
 * own. Throws `StateError` `trie-damaged`.
 */
export function* walkTrie(source: NodeSource, rootHash: Hash): Generator<TrieLeaf, number> {
  if (equalBytes(rootHash, EMPTY_TRIE_ROOT)) return 0;
  const path = new Uint8Array(64);
  return 1 + (yield* walkNode(source, source.load(path, 0, rootHash, 0), path, 0));
}

/** The rows below a node: children that stand inline have none. */
function* walkNode(
  source: NodeSource,
  node: TrieNode,
  path: Uint8Array,
  depth: number,
): Generator<TrieLeaf, number> {
  if (node.kind === LEAF) {
    path.set(node.path, depth);
    yield { key: toKey(path), value: node.value };
    return 0;
  }
  if (node.kind !== BRANCH) {
    path.set(node.path, depth);
    const below = depth + node.path.length;
    if (node.child !== undefined) return yield* walkNode(source, node.child, path, below);
    return 1 + (yield* walkNode(source, source.load(path, below, node.hash, 0), path, below));
  }
  let rows = 0;
  for (let i = 0; i < 16; i++) {
    if (((node.mask >> i) & 1) === 0) continue;
    path[depth] = i;
    const inline = node.children[i];
    if (inline === undefined) rows++;
    rows += yield* walkNode(
      source,
      inline ?? source.load(path, depth + 1, node.references, hashPlace(i)),
      path,
      depth + 1,
    );
  }
  return rows;
}

/** Walks over a trie of the Go node: by parts, from a key on, and with nodes that are no nodes. */
import { expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { GoTrieWalk, type WalkOptions } from "../../../node/go-data/trie-walk.ts";
import { encodeBranch, encodeExtension, encodeLeaf, toNibbles } from "../../../node/model/trie-node.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const KEY_BYTES = 32;
const KEYS = 600;
const random = seededRandom(3);

type Nodes = Map<string, Uint8Array>;
interface Trie {
  readonly root: Uint8Array;
  readonly rows: WalkOptions["rows"];
  readonly nodes: Nodes;
}

/** Makes a trie of sorted keys, whose values are parts of their keys: short ones stand inside their parents. */
function trieOf(keys: readonly Uint8Array[]): Trie {
  const nodes: Nodes = new Map();
  const note = (rlp: Uint8Array): Uint8Array => {
    nodes.set(bareHex(keccak256(rlp)), rlp);
    return rlp;
  };
  const nodeOf = (below: readonly Uint8Array[], depth: number): Uint8Array => {
    const paths = below.map((key) => toNibbles(key));
    const [first, last] = [paths[0] as Uint8Array, paths[paths.length - 1] as Uint8Array]; // never called without keys
    if (below.length === 1) return note(encodeLeaf(first.subarray(depth), valueOf(below[0] as Uint8Array)));
    let split = depth;
    while (first[split] === last[split]) split++;
    if (split > depth) return note(encodeExtension(first.subarray(depth, split), nodeOf(below, split)));
    const children = Array.from({ length: 16 }, (_, nibble) =>
      below.filter((_key, i) => paths[i]?.[depth] === nibble),
    );
    return note(
      encodeBranch(children.map((each) => (each.length === 0 ? undefined : nodeOf(each, depth + 1)))),
    );
  };
  const root = keccak256(nodeOf(keys, 0));
  return { root, rows: { get: (key) => nodes.get(bareHex(key)) }, nodes };
}

function valueOf(key: Uint8Array): Uint8Array {
  return key.subarray(0, 1 + ((key.at(-1) ?? 0) % KEY_BYTES));
}

function sortKeys(keys: readonly Uint8Array[]): Uint8Array[] {
  return keys.toSorted((a, b) => Buffer.compare(a, b));
}

function someKeys(count: number, start: readonly number[] = []): Uint8Array[] {
  const rest = KEY_BYTES - start.length;
  return sortKeys(
    Array.from({ length: count }, () => Uint8Array.from([...start, ...randomBytes(random, rest)])),
  );
}

function leavesOf({ root, rows }: Trie, options: Partial<WalkOptions> = {}): string[] {
  const walk = new GoTrieWalk({
    rows,
    reference: root,
    name: "the trie",
    onNode: () => undefined,
    ...options,
  });
  const leaves: string[] = [];
  for (let leaf = walk.next(); leaf !== undefined; leaf = walk.next())
    leaves.push(`${bareHex(leaf.key)} ${bareHex(leaf.value)}`);
  return leaves;
}

function leafTexts(keys: readonly Uint8Array[]): string[] {
  return keys.map((key) => `${bareHex(key)} ${bareHex(valueOf(key))}`);
}

/** Keys that differ in their last nibbles only, so that leaves stand inside a branch. */
function closeKeys(): Uint8Array[] {
  const beginning = randomBytes(random, KEY_BYTES - 1);
  return sortKeys([0x00, 0x01, 0x20, 0x21, 0x40].map((last) => Uint8Array.from([...beginning, last])));
}

const TRIES: readonly (readonly [string, readonly Uint8Array[]])[] = [
  ["of many keys", someKeys(KEYS)],
  ["of one key", someKeys(1)],
  ["whose keys agree on a nibble", sortKeys([...someKeys(2, [0x31]), ...someKeys(3, [0x35])])],
  ["whose keys agree on three bytes", someKeys(9, [0xab, 0xcd, 0xef])],
  ["with leaves inside branches", sortKeys([...closeKeys(), ...someKeys(1, [0])])],
];

test.each(TRIES)("the parts of a trie %s are the trie", (_, keys) => {
  const trie = trieOf(keys);
  expect(leavesOf(trie)).toEqual(leafTexts(keys));
  const parts = Array.from({ length: 256 }, (_byte, firstByte) => leavesOf(trie, { firstByte }));
  expect(parts.flat()).toEqual(leafTexts(keys));
});

test("the nodes of all parts are the nodes of the trie, each by its bytes and below its path", () => {
  const trie = trieOf(someKeys(KEYS));
  const seen = new Map<string, string>();
  for (let firstByte = 0; firstByte < 256; firstByte++)
    leavesOf(trie, {
      firstByte,
      onNode: (path, hashed) => void seen.set(bareHex(path), bareHex(keccak256(hashed))),
    });
  const rooted = [...trie.nodes].filter(([hash, rlp]) => rlp.length >= 32 || hash === bareHex(trie.root));
  expect([...seen.values()].toSorted()).toEqual(rooted.map(([hash]) => hash).toSorted());
});

test("a walk goes on behind any key, in its part too", () => {
  const keys = someKeys(KEYS);
  const trie = trieOf(keys);
  for (let at = 0; at < keys.length; at += 37) {
    const after = keys[at] as Uint8Array;
    expect(leavesOf(trie, { after })).toEqual(leafTexts(keys.slice(at + 1)));
    const firstByte = after[0] as number;
    const rest = keys.slice(at + 1).filter((key) => key[0] === firstByte);
    expect(leavesOf(trie, { after, firstByte })).toEqual(leafTexts(rest));
  }
});

test("what is no node is refused by its place", () => {
  const keys = someKeys(40);
  const { root, rows, nodes } = trieOf(keys);
  for (const [hash, sound] of nodes) {
    if (sound.length < 32) continue;
    for (const bytes of [
      new Uint8Array(0),
      Uint8Array.of(0xc0),
      Uint8Array.of(0x80),
      sound.subarray(1),
      sound.subarray(0, -1),
      Uint8Array.from([...sound, 0]),
      Uint8Array.from([0xc2, 0xc1, 0x20, 0x01]),
      Uint8Array.from([0xf8, 0xff]),
      Uint8Array.from([0xfa, 0x01, 0x00, 0x00, ...new Uint8Array(0x10000)]),
    ]) {
      const damaged = { get: (key: Uint8Array) => (bareHex(key) === hash ? bytes : rows.get(key)) };
      const walk = (): unknown => leavesOf({ root, rows: damaged, nodes });
      expect(walk).toThrow(expect.objectContaining({ name: "GoDataError", code: "damaged" }));
    }
  }
});

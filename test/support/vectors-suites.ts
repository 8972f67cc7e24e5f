/** Published suites that are about encodings, packed into a file each: RLP, transactions, tries. */
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { NodeSource } from "../../node/state/trie/node-source.ts";
import { Trie } from "../../node/state/trie/trie.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";

import {
  compareRlpSuite,
  compareTransactionSuite,
  type RlpCase,
  readSuite,
  type Suite,
  type TransactionCase,
} from "./core-vectors.ts";
import { type Comparison, Tally } from "./tally.ts";

/** Changes to a trie in their order, or all at once; `null` takes a key out. */
interface TrieCase {
  readonly in: readonly (readonly [key: string, value: string | null])[] | Readonly<Record<string, string>>;
  readonly root: string;
}

/** Encodings, one fact a case. */
export const rlpSuite = (path: string): Comparison => byCase<RlpCase>(path, compareRlpSuite);

/** Transactions of Ethereum's first kind, one fact a case. */
export const transactionSuite = (path: string): Comparison =>
  byCase<TransactionCase>(path, compareTransactionSuite);

/** A case counts once, however many forks it is judged for. */
function byCase<Case>(path: string, compare: (suite: Suite<Case>) => Comparison): Comparison {
  const tally = new Tally();
  for (const [file, cases] of Object.entries(readSuite<Case>(path))) {
    for (const [name, one] of Object.entries(cases)) {
      const { failures } = compare({ [file]: { [name]: one } });
      if (failures.length === 0) tally.pass();
      else tally.fail(failures.join("; "));
    }
  }
  return tally.comparison;
}

/** Roots of tries; in files named `secure` keys are hashed, which is the only kind that this node has. */
export function trieSuite(path: string): Comparison {
  const tally = new Tally();
  for (const [file, cases] of Object.entries(readSuite<TrieCase>(path))) {
    for (const [name, { in: changes, root }] of Object.entries(cases)) {
      const what = `${file} ${name}`;
      if (/secure/i.test(file)) tally.holds(what, () => trieRoot(changes), root);
      else tally.notYet(what, "tries here have hashed keys");
    }
  }
  return tally.comparison;
}

function trieRoot(changes: TrieCase["in"]): string {
  const trie = new Trie(new NodeSource(createMemoryStore(), Uint8Array.of(0), undefined));
  const steps = Array.isArray(changes) ? changes : Object.entries(changes);
  for (const [key, value] of steps as readonly (readonly [string, string | null])[]) {
    const hashed = keccak256(bytesOf(key));
    if (value === null) trie.delete(hashed);
    else trie.put(hashed, bytesOf(value));
  }
  return toHex(trie.hash());
}

/** The suites' texts: hex after 0x, else the characters themselves. */
function bytesOf(text: string): Uint8Array {
  return text.startsWith("0x") ? fromHex(text) : new Uint8Array(Buffer.from(text));
}

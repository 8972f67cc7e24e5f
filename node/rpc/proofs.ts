/** Merkle proofs of accounts and slots against a block's state root (EIP-1186). */
import type { Address, StorageKey } from "../bytes/brands.ts";
import { isZero } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import { wordBytes } from "../bytes/word.ts";
import { type BlockReference, blockReference, referencedNumber } from "../calls/arguments/block-number.ts";
import type { OpenStoreReading } from "../calls/chain-reading.ts";
import type { InlineCalls } from "../calls/inline-calls.ts";
import type { Chain } from "../chain/chain.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { address, listOf } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, namedSchema, nullableSchema, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import { readGeneration } from "../state/rows.ts";
import type { AccountProof, State } from "../state/state.ts";
import { proveAt } from "../state/trie/proof.ts";
import type { StoreReader } from "../store/store.ts";

/** Dependencies of the methods about proofs. */
export interface ProofMethodDeps {
  readonly open: OpenStoreReading;
  /** Opens a generation of the trie database. */
  readonly openTrie: (generation: number) => Promise<StoreReader>;
  readonly storageOf: StorageOwners;
  /** Proves small questions about the newest block inline; absent in reader threads. */
  readonly inlineProofs?: InlineProofs;
}

/** Parts of inline proofs. */
export interface InlineProofs {
  readonly chain: Pick<Chain, "head" | "number">;
  readonly state: Pick<State, "proveNewest" | "assertTrieOpen">;
  readonly calls: InlineCalls;
}

/** Accounts with a storage that can be queried: all, of which some are empty, or contracts alone. */
export type StorageOwners = "accounts" | "contracts";

const MAX_KEYS = 1_024;
/** Slots of an inline proof: each takes two walks through a trie, whose nodes may have to be read. */
const MAX_INLINE_KEYS = 8;
const WORD = 32;

/** The proof of a slot in an empty storage is null. */
const proofSchema = namedSchema("accountProof", () => {
  const { hash, quantity, data } = schemaRefs;
  const nodes = arraySchema(data);
  const slot = recordSchema({ key: text.schema, value: quantity, proof: nullableSchema(nodes) });
  return recordSchema({
    address: address.schema,
    accountProof: nodes,
    balance: quantity,
    codeHash: hash,
    nonce: quantity,
    storageHash: hash,
    storageProof: arraySchema(slot),
  });
});

/** An account, keys of its slots as the caller wrote them, and a block. */
interface ProofQuery {
  readonly address: Address;
  readonly keys: readonly string[];
  readonly block: BlockReference | undefined;
}

/** The methods of `chain` and `eth` about proofs; the node registers them and its reader threads serve them. */
export function proofMethods(deps: ProofMethodDeps): Method[] {
  return [
    method({
      name: "chain_getProof",
      aliases: ["eth_getProof"],
      summary:
        "Returns the Merkle proof of an account and of some of its slots against a block's state root (EIP-1186).",
      params: { address, keys: listOf(text, "[]string"), block: blockReference },
      result: plain<object>("proof", proofSchema),
      runs: "reader",
      inline: (query) => proveInline(deps, query),
      handle: (query) => proveFromDisk(deps, query),
    }),
  ];
}

function proveInline(
  { inlineProofs, storageOf }: ProofMethodDeps,
  { address: asked, keys, block }: ProofQuery,
): object | undefined {
  if (inlineProofs === undefined) return undefined;
  const { chain, state, calls } = inlineProofs;
  state.assertTrieOpen();
  if (keys.length > MAX_INLINE_KEYS) return undefined;
  const head = chain.head().header.number;
  const slots = keys.map(keyOf); // before the block, as in the Go node
  const number = referencedNumber({ head, numberOf: (hash) => chain.number(hash) }, block);
  const proof = calls.run(
    () => "proof",
    () => state.proveNewest(number, asked, slots.map(wordIn)),
  );
  return proof && proofJson({ asked, slots, storageOf }, proof);
}

async function proveFromDisk(
  { open, openTrie, storageOf }: ProofMethodDeps,
  { address: asked, keys, block }: ProofQuery,
): Promise<object> {
  const slots = keys.map(keyOf);
  await using tries = await openTrie(generationOf(open));
  using trie = tries.snapshot(); // before the chain's, which is never behind
  using reading = open();
  const number = referencedNumber(reading, block);
  reading.states.view(number); // or it throws
  const proof = await proveAt(
    { chain: reading.rows, trie, number },
    { address: asked, keys: slots.map(wordIn) },
  );
  return proofJson({ asked, slots, storageOf }, proof);
}

function wordIn({ word }: SlotKey): StorageKey {
  return word;
}

function generationOf(open: OpenStoreReading): number {
  using reading = open();
  return readGeneration(reading.rows);
}

/** A slot key, and whether it was given as 32 bytes: results repeat it so, and others as a quantity. */
interface SlotKey {
  readonly word: StorageKey;
  readonly isWhole: boolean;
}

/** Decodes a slot key of up to 32 bytes of hex. Throws `RpcError`. */
function keyOf(given: string, index: number): SlotKey {
  if (index >= MAX_KEYS) throw failure(`too many slots: at most ${MAX_KEYS}`);
  const digits = given.replace(/^0[xX]/, "");
  if (digits.length > 2 * WORD) throw failure("hex string too long, want at most 32 bytes");
  if (!/^[0-9a-fA-F]*$/.test(digits)) throw failure("hex string invalid");
  return {
    word: wordBytes(BigInt(`0x${digits === "" ? "0" : digits}`)),
    isWhole: digits.length > 2 * WORD - 2,
  };
}

function keyText({ word, isWhole }: SlotKey): string {
  return isWhole ? toHex(word) : toQuantity(bytesToBigint(word));
}

/** Throws `RpcError` for an account that has no proof for callers. */
function proofJson(
  {
    asked,
    slots,
    storageOf,
  }: {
    readonly asked: Address;
    readonly slots: readonly SlotKey[];
    readonly storageOf: StorageOwners;
  },
  { account, accountProof, storage }: AccountProof,
): object {
  if (account === undefined) throw failure("there is no account corresponding to the given address");
  if (storageOf === "contracts" && account.kind !== "contract")
    throw failure("given address is not a contract address");
  return {
    address: toHex(asked),
    accountProof: accountProof.map(toHex),
    balance: toQuantity(account.balance),
    codeHash: toHex(account.codeHash ?? EMPTY_HASH),
    nonce: toQuantity(account.nonce),
    storageHash: toHex(account.storageRoot ?? EMPTY_TRIE_ROOT),
    storageProof: storage.map(({ value, proof }, index) => ({
      key: keyText(slots[index] as SlotKey), // as many as slots were asked for
      value: isZero(value) ? "0x0" : toQuantity(bytesToBigint(value)),
      proof: proof.length === 0 ? null : proof.map(toHex), // of an empty storage trie, as the Go node
    })),
  };
}

/** Merkle proofs of accounts and slots against a block's state root (EIP-1186). */
import { isZero } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import { wordBytes } from "../bytes/word.ts";
import { blockReference } from "../calls/arguments/block-number.ts";
import { stateOf } from "../calls/lookup.ts";
import type { Chain } from "../chain/chain.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { address, listOf } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, namedSchema, nullableSchema, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import type { AccountProof, State } from "../state/state.ts";

/** Dependencies of the methods about proofs. */
export interface ProofMethodDeps {
  readonly chain: Chain;
  readonly storageOf: StorageOwners;
  readonly prove: State["prove"];
}

/** Accounts with a storage that can be queried: all, of which some are empty, or contracts alone. */
export type StorageOwners = "accounts" | "contracts";

const MAX_KEYS = 1_024;
const WORD = 32;

/** The key of a slot is the caller's own text; the proof of a slot in an empty storage is null. */
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

/** The methods of `chain` and `eth` about proofs. */
export function proofMethods({ chain, storageOf, prove }: ProofMethodDeps): Method[] {
  return [
    method({
      name: "chain_getProof",
      aliases: ["eth_getProof"],
      summary:
        "Returns the Merkle proof of an account and of some of its slots against a block's state root (EIP-1186).",
      params: { address, keys: listOf(text, "[]string"), block: blockReference },
      result: plain<object>("proof", proofSchema),
      handle: async ({ address: asked, keys, block }) => {
        const { number } = stateOf(chain, block);
        const words = keys.map(keyOf);
        const proof = await prove(number, asked, words);
        if (proof.account === undefined)
          throw failure("there is no account corresponding to the given address");
        if (storageOf === "contracts" && proof.account.kind !== "contract") {
          throw failure("given address is not a contract address");
        }
        return proofJson(asked, proof, keys);
      },
    }),
  ];
}

/** Decodes a slot key of up to 32 bytes of hex. Throws `RpcError`. */
function keyOf(given: string, index: number): Uint8Array {
  if (index >= MAX_KEYS) throw failure(`too many slots: at most ${MAX_KEYS}`);
  const digits = given.replace(/^0[xX]/, "");
  if (digits.length > 2 * WORD) {
    const bytes = Math.ceil(digits.length / 2);
    throw failure(
      `unable to decode storage key: hex string too long, want at most 32 bytes, have ${bytes} bytes`,
    );
  }
  if (!/^[0-9a-fA-F]*$/.test(digits)) throw failure("unable to decode storage key: hex string invalid");
  return wordBytes(BigInt(`0x${digits === "" ? "0" : digits}`));
}

function proofJson(
  asked: Uint8Array,
  { account, accountProof, storage }: AccountProof,
  keys: readonly string[],
): object {
  return {
    address: toHex(asked),
    accountProof: accountProof.map(toHex),
    balance: toQuantity(account?.balance ?? 0n),
    codeHash: toHex(account?.codeHash ?? EMPTY_HASH),
    nonce: toQuantity(account?.nonce ?? 0n),
    storageHash: toHex(account?.storageRoot ?? EMPTY_TRIE_ROOT),
    storageProof: storage.map(({ value, proof }, index) => ({
      key: keys[index],
      value: isZero(value) ? "0x0" : toQuantity(bytesToBigint(value)),
      proof: proof.length === 0 ? null : proof.map(toHex), // of an empty storage trie, as the Go node
    })),
  };
}

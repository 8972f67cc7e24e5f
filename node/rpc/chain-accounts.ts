/** Accounts: existence, storage slots, account keys, and the signers of transactions and messages. */
import type { StorageKey } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { MAX_SHORT_RLP } from "../bytes/rlp-header.ts";
import { wordBytes } from "../bytes/word.ts";
import { blockNumber, blockReference } from "../calls/arguments/block-number.ts";
import { stateOf } from "../calls/lookup.ts";
import { messageSigner } from "../calls/message-signing.ts";
import { decodeEitherTransaction } from "../calls/raw-transaction.ts";
import type { Chain } from "../chain/chain.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { addressOfPublicKey } from "../crypto/secp256k1.ts";
import { verifySender } from "../execution/participants.ts";
import { type Decoder, optional, wrongKind } from "../jsonrpc/codec.ts";
import { address, data, hash, nullable } from "../jsonrpc/codecs/hex.ts";
import { boolean, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { jsonKind } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { type AccountKey, encodeAccountKey, KEY_TYPES, LEGACY_KEY } from "../model/account-key.ts";
import { decodeAccountKey } from "../model/account-key-decode.ts";
import { accountKeyFromJson, accountKeyJson } from "../model/account-key-json.ts";
import { hasMember } from "../model/account-key-signers.ts";
import { checkTypeAccepted } from "../model/transaction.ts";
import { accountKeyArgumentSchema, accountKeySchema } from "../presenters/governance-schemas.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the methods about accounts. */
export interface ChainAccountsDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "recover">;
}

const at = { address, block: blockReference };
const keyObject = nullable(plain<object>("account key", accountKeySchema));

/** The methods about accounts other than balance, nonce and code. */
export function chainAccountMethods(deps: ChainAccountsDeps): Method[] {
  return [...stateMethods(deps.chain), ...keyMethods(deps.chain), ...signerMethods(deps)];
}

function stateMethods(chain: Chain): Method[] {
  return [
    method({
      name: "chain_accountCreated",
      summary: "Returns true when an account exists after a block.",
      params: at,
      result: boolean,
      handle: (args) => stateOf(chain, args.block).account(args.address) !== undefined,
    }),
    method({
      name: "chain_isContractAccount",
      summary: "Returns true when an account has code after a block.",
      params: at,
      result: boolean,
      handle: (args) => {
        const account = stateOf(chain, args.block).account(args.address);
        return account !== undefined && !equalBytes(account.codeHash, EMPTY_HASH);
      },
    }),
    method({
      name: "chain_getStorageAt",
      aliases: ["eth_getStorageAt"],
      summary: "Returns a storage slot of an account after a block, 32 bytes; zero for an empty slot.",
      params: { address, key: text, block: blockReference },
      result: data,
      handle: (args) => stateOf(chain, args.block).slot(args.address, slotKey(args.key)),
    }),
    method({
      name: "chain_sha3",
      summary: "Returns the Keccak-256 hash of data.",
      params: { data },
      result: hash,
      handle: (args) => keccak256(args.data),
    }),
  ];
}

/**
 * Decodes a slot key as the Go node does: hex with or without `0x`, of which the first malformed digit ends
 * it and the last 32 bytes count.
 */
function slotKey(given: string): StorageKey {
  const digits = given.replace(/^0[xX]/, "");
  const readable = /^[0-9a-fA-F]*/.exec(digits.length % 2 === 0 ? digits : `0${digits}`)?.[0] ?? "";
  return wordBytes(bytesToBigint(Buffer.from(readable, "hex").subarray(-32)));
}

function keyMethods(chain: Chain): Method[] {
  return [
    method({
      name: "chain_getAccountKey",
      summary: "Returns the account key after a block; null for an unknown account.",
      params: at,
      result: keyObject,
      handle: (args) => {
        const account = stateOf(chain, args.block).account(args.address);
        return account && accountKeyJson(account.key);
      },
    }),
    method({
      name: "chain_encodeAccountKey",
      summary: "Encodes an account key as in transactions (RLP).",
      params: { key: keyParameter },
      result: data,
      handle: ({ key }) => encodeAccountKey(accountKeyFromJson(key)),
    }),
    method({
      name: "chain_decodeAccountKey",
      summary: "Decodes an encoded account key.",
      params: { encoded: data },
      result: plain<object>("account key", accountKeySchema),
      handle: ({ encoded }) => accountKeyJson(readKey(encoded)),
    }),
  ];
}

/** Decoder of an account key's JSON. The method itself checks the members. */
const keyParameter: Decoder<unknown> = {
  label: "account key",
  schema: accountKeyArgumentSchema,
  decode: (json) => {
    if (json === null) return {};
    if (jsonKind(json) !== "object") throw wrongKind(json, "accountkey.AccountKeyJSON");
    return json;
  },
};

/** Decodes an account key. Throws `RpcError` with the text of the Go node's RLP decoder. */
function readKey(encoded: Uint8Array): AccountKey {
  try {
    return decodeAccountKey(encoded);
  } catch (error) {
    const fault = keyFault(encoded);
    throw fault === undefined ? error : failure(fault);
  }
}

/** Go types of the bodies of account keys, and those that are lists. */
const BODY_TYPES: ReadonlyMap<number, readonly [goType: string, isList: boolean]> = new Map([
  [KEY_TYPES.legacy, ["accountkey.AccountKeyLegacy", true]],
  [KEY_TYPES.public, ["[]uint8", false]],
  [KEY_TYPES.fail, ["accountkey.AccountKeyFail", true]],
  [KEY_TYPES.weightedMultiSig, ["accountkey.AccountKeyWeightedMultiSig", true]],
  [KEY_TYPES.roleBased, ["[][]uint8", true]],
]);

/** Returns the Go node's words for the first fault of an encoded key's form; undefined for other faults. */
function keyFault(encoded: Uint8Array): string | undefined {
  const [type] = encoded;
  if (type === undefined) return "EOF";
  if (itemLength(encoded) > encoded.length) return EXCEEDS;
  if (type === 0x80) return SEVERAL;
  return typeFault(type, encoded[1] ?? 0) ?? bodyFault(type, encoded.subarray(1));
}

/** Returns the fault of the key type, an integer of one byte. */
function typeFault(first: number, second: number): string | undefined {
  const goType = "accountkey.AccountKeyType";
  if (first >= 0xc0) return `rlp: expected input string or byte for ${goType}`;
  if (first === 0) return `rlp: non-canonical integer (leading zero bytes) for ${goType}`;
  if (first === 0x81 && second < 0x80) return `rlp: non-canonical size information for ${goType}`;
  return first > 0x81 ? `rlp: input string too long for ${goType}` : undefined;
}

function bodyFault(type: number, body: Uint8Array): string | undefined {
  const [goType, isList] = BODY_TYPES.get(type) ?? [];
  if (goType === undefined) return undefined;
  const [first] = body;
  if (first === undefined) return "EOF";
  if (itemLength(body) > body.length) return EXCEEDS;
  if (first >= 0xc0 !== isList) {
    return `rlp: expected input ${isList === true ? "list" : "string or byte"} for ${goType}`;
  }
  if (itemLength(body) < body.length) return SEVERAL;
  return type === KEY_TYPES.public ? "invalid public key" : undefined;
}

const SEVERAL = "rlp: input contains more than one value";
const EXCEEDS = "rlp: value size exceeds available input length";

/** Returns the length of an RLP item with its prefix, as the prefix says. */
function itemLength(bytes: Uint8Array): number {
  const [first = 0] = bytes;
  if (first < 0x80) return 1;
  const size = first - (first < 0xc0 ? 0x80 : 0xc0);
  if (size <= MAX_SHORT_RLP) return 1 + size;
  const sizeBytes = size - MAX_SHORT_RLP;
  if (bytes.length <= sizeBytes) return Number.POSITIVE_INFINITY;
  return 1 + sizeBytes + Number(bytesToBigint(bytes.subarray(1, 1 + sizeBytes)));
}

function signerMethods({ chain, pool }: ChainAccountsDeps): Method[] {
  return [
    method({
      name: "chain_recoverFromTransaction",
      summary:
        "Returns the sender of a signed transaction. Fails when its signatures do not satisfy the account key after a block.",
      params: { raw: data, block: blockNumber },
      result: address,
      handle: async ({ raw, block }) => {
        if (raw.length === 0) throw failure("Empty input");
        const tx = decodeEitherTransaction(raw);
        await pool.recover([tx]); // there may be thousands of signatures
        const state = stateOf(chain, { number: block });
        const context = { chainId: chain.config.chainId, rules: chain.rules(state.number) };
        return withBareMessage(() => {
          checkTypeAccepted(tx, context.rules);
          return verifySender(state, tx, context).address;
        });
      },
    }),
    method({
      name: "chain_recoverFromMessage",
      summary:
        "Returns the signer of a message. Fails when the signer is no member of the account key after a block.",
      params: { address, data, signature: data, block: optional(blockNumber, "latest" as const) },
      result: address,
      handle: (args) => {
        const publicKey = messageSigner(args, () => {
          const key = stateOf(chain, { number: args.block }).account(args.address)?.key ?? LEGACY_KEY;
          return (found) => hasMember({ key, address: args.address }, found);
        });
        if (publicKey === undefined) throw failure("Invalid signature");
        return addressOfPublicKey(publicKey);
      },
    }),
  ];
}

/** Runs a look-up and removes the participant from its error message. */
function withBareMessage<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw failure(messageOf(error).replace(/^invalid sender: /, ""));
  }
}

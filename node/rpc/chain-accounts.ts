/** Accounts: existence, storage slots, account keys, and the signers of transactions and messages. */
import { equalBytes } from "../bytes/compare.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { decodeRlp } from "../bytes/rlp.ts";
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
import { objectSchema } from "../jsonrpc/schemas.ts";
import { type AccountKey, encodeAccountKey, KEY_TYPES, LEGACY_KEY } from "../model/account-key.ts";
import { decodeAccountKey } from "../model/account-key-decode.ts";
import { accountKeyFromJson, accountKeyJson } from "../model/account-key-json.ts";
import { hasMember } from "../model/account-key-signers.ts";
import { checkTypeAccepted } from "../model/transaction.ts";

/** Dependencies of the methods about accounts. */
export interface ChainAccountsDeps {
  readonly chain: Chain;
}

const at = { address, block: blockReference };
const keyObject = nullable(plain<object>("account key"));

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
function slotKey(given: string): Uint8Array {
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
      result: plain<object>("account key"),
      handle: ({ encoded }) => accountKeyJson(readKey(encoded)),
    }),
  ];
}

/** Decoder of an account key's JSON. The method itself checks the members. */
const keyParameter: Decoder<unknown> = {
  label: "account key",
  schema: objectSchema("account key"),
  decode: (json) => {
    if (jsonKind(json) !== "object") throw wrongKind(json, "accountkey.AccountKeyJSON");
    return json;
  },
};

function readKey(encoded: Uint8Array): AccountKey {
  try {
    return decodeAccountKey(encoded);
  } catch (error) {
    const [type = 0] = encoded;
    throw type <= KEY_TYPES.roleBased && isTruncated(encoded.subarray(1))
      ? failure("rlp: value size exceeds available input length")
      : error;
  }
}

/** Returns true for an RLP item that is shorter than its prefix says. */
function isTruncated(item: Uint8Array): boolean {
  try {
    decodeRlp(item);
    return false;
  } catch {
    return item.length > 0;
  }
}

function signerMethods({ chain }: ChainAccountsDeps): Method[] {
  return [
    method({
      name: "chain_recoverFromTransaction",
      summary:
        "Returns the sender of a signed transaction. Fails when its signatures do not satisfy the account key after a block.",
      params: { raw: data, block: blockNumber },
      result: address,
      handle: ({ raw, block }) => {
        if (raw.length === 0) throw failure("Empty input");
        const tx = decodeEitherTransaction(raw);
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

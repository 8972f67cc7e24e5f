/** `personal`: keys of the key store and signatures with a passphrase. Not for public interfaces. */
import type { Accounts } from "../accounts/accounts.ts";
import {
  digestOf,
  type MessagePrefix,
  messageSignature,
  recoverMessageSigner,
} from "../calls/message-signing.ts";
import type { Chain } from "../chain/chain.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address, data, listOf } from "../jsonrpc/codecs/hex.ts";
import { boolean, count, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { TxPool } from "../txpool/pool.ts";
import { personalSendingMethods } from "./personal-sending.ts";
import { walletMethods } from "./personal-wallets.ts";

/** Dependencies of the methods about keys. */
export interface PersonalDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "addWithBlobs" | "nonce">;
  readonly accounts: Accounts;
  readonly messagePrefix: MessagePrefix;
}

/** Default duration of an unlocked account, in seconds. */
const UNLOCK_SECONDS = 300;

/** The methods of `personal` about keys and messages. */
export function personalMethods(deps: PersonalDeps): Method[] {
  return [
    ...keyMethods(deps),
    ...walletMethods(deps),
    ...lockMethods(deps),
    ...signMethods(deps),
    ...personalSendingMethods(deps),
  ];
}

function keyMethods({ accounts }: PersonalDeps): Method[] {
  return [
    method({
      name: "personal_newAccount",
      summary: "Creates a key, stores it encrypted with a passphrase and returns its address.",
      params: { passphrase: optional(text) },
      result: address,
      handle: ({ passphrase }) => accounts.create(passphrase ?? ""),
    }),
    method({
      name: "personal_importRawKey",
      summary:
        "Stores a private key (64 hex digits or a wallet key) encrypted with a passphrase and returns its address.",
      params: { key: text, passphrase: text },
      result: address,
      handle: ({ key, passphrase }) => accounts.importRawKey(key, passphrase),
    }),
    method({
      name: "personal_replaceRawKey",
      summary: "Replaces the private key and the passphrase of an account and returns its address.",
      params: { key: text, oldPassphrase: text, newPassphrase: text },
      result: address,
      handle: (args) => accounts.replaceRawKey(args.key, args.oldPassphrase, args.newPassphrase),
    }),
    method({
      name: "personal_listAccounts",
      summary: "Returns the addresses of the accounts in the node's key store.",
      params: {},
      result: listOf(address, "[]common.Address"),
      handle: () => accounts.list(),
    }),
  ];
}

function lockMethods({ accounts }: PersonalDeps): Method[] {
  return [
    method({
      name: "personal_unlockAccount",
      summary: "Unlocks an account for `duration` seconds; 0 unlocks it until the node exits.",
      params: { address, passphrase: text, duration: optional(count, UNLOCK_SECONDS) },
      result: boolean,
      handle: async (args) => {
        await accounts.unlock(args.address, args.passphrase, args.duration);
        return true;
      },
    }),
    method({
      name: "personal_lockAccount",
      summary: "Locks an account.",
      params: { address },
      result: boolean,
      handle: (args) => accounts.lock(args.address),
    }),
  ];
}

function signMethods({ accounts, messagePrefix }: PersonalDeps): Method[] {
  return [
    method({
      name: "personal_sign",
      summary: "Signs a message with the chain's prefix. Returns r, s and v (27 or 28).",
      params: { message: data, address, passphrase: optional(text) },
      result: data,
      handle: async ({ message, address: account, passphrase }) => {
        const digest = digestOf(message, messagePrefix);
        return messageSignature(
          passphrase === undefined
            ? accounts.sign(account, digest)
            : await accounts.signWithPassphrase(account, passphrase, digest),
        );
      },
    }),
    method({
      name: "personal_ecRecover",
      summary: "Returns the address that signed a message with `personal_sign`.",
      params: { message: data, signature: data },
      result: address,
      handle: ({ message, signature }) => recoverMessageSigner(digestOf(message, messagePrefix), signature),
    }),
  ];
}

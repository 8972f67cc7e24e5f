/** `personal`: keys of the node's store, and what is signed with a passphrase. Never to be served to strangers. */
import type { Accounts } from "../accounts/accounts.ts";
import { AccountsError } from "../accounts/error.ts";
import { digestOf, messageSignature, recoverSigner } from "../calls/message-signing.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { type Decoder, optional } from "../jsonrpc/codec.ts";
import { address, data, listOf } from "../jsonrpc/codecs/hex.ts";
import { boolean, count, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { TxPool } from "../txpool/pool.ts";
import { personalSendingMethods } from "./personal-sending.ts";
import { walletMethods } from "./personal-wallets.ts";

/** What these methods use. */
export interface PersonalParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "addWithBlobs" | "nonce">;
  readonly accounts: Accounts;
  readonly profile: RpcProfile;
}

/** Seconds an account stays unlocked when nothing is said. */
const UNLOCK_SECONDS = 300;

/** The methods of `personal`. */
export function personalMethods(parts: PersonalParts): Method[] {
  return [
    ...keyMethods(parts),
    ...walletMethods(parts),
    ...lockMethods(parts),
    ...signMethods(parts),
    ...personalSendingMethods(parts),
  ];
}

function passphraseOf({ passphraseOptional }: RpcProfile): Decoder<string | undefined> {
  return passphraseOptional ? optional(text) : text;
}

function keyMethods({ accounts, profile }: PersonalParts): Method[] {
  return [
    method({
      name: "personal_newAccount",
      summary: "Makes a key, stores it under a passphrase and answers with its address.",
      params: { passphrase: passphraseOf(profile) },
      result: address,
      handle: ({ passphrase }) => accounts.create(passphrase ?? ""),
    }),
    method({
      name: "personal_importRawKey",
      summary: "Stores a private key, 64 hex digits or a wallet key, under a passphrase; its address.",
      params: { key: text, passphrase: text },
      result: address,
      handle: ({ key, passphrase }) =>
        accounts.importRawKey(key, passphrase).catch((error) => badWalletKey(error, profile)),
    }),
    method({
      name: "personal_replaceRawKey",
      summary: "Puts another private key and passphrase into an account's file; its address.",
      params: { key: text, oldPassphrase: text, newPassphrase: text },
      result: address,
      handle: (args) =>
        accounts
          .replaceRawKey(args.key, args.oldPassphrase, args.newPassphrase)
          .catch((error) => badWalletKey(error, profile)),
    }),
    method({
      name: "personal_listAccounts",
      summary: "The addresses whose keys this node keeps.",
      params: {},
      result: listOf(address, "[]common.Address"),
      handle: () => accounts.list(),
    }),
  ];
}

/** A wallet key of an unknown type is told in the words of the profile's node. */
function badWalletKey(error: unknown, { keyOwner }: RpcProfile): never {
  if (!(error instanceof AccountsError) || error.code !== "bad-wallet-key") throw error;
  throw failure(`${keyOwner} ${error.message}`);
}

function lockMethods({ accounts, profile }: PersonalParts): Method[] {
  return [
    method({
      name: "personal_unlockAccount",
      summary:
        "Decrypts an account's key and holds it for `duration` seconds; 0 holds it until the node exits.",
      params: { address, passphrase: text, duration: optional(count, UNLOCK_SECONDS) },
      result: boolean,
      handle: async (args) => {
        const unlocked = accounts.unlock(args.address, args.passphrase, args.duration).then(() => true);
        return profile.failureIsFalse ? unlocked.catch(falseForAccountsErrors) : unlocked;
      },
    }),
    method({
      name: "personal_lockAccount",
      summary: "Forgets an account's decrypted key.",
      params: { address },
      result: boolean,
      handle: (args) => accounts.lock(args.address) || !profile.failureIsFalse,
    }),
  ];
}

function falseForAccountsErrors(error: unknown): boolean {
  if (error instanceof AccountsError) return false;
  throw error;
}

function signMethods({ accounts, profile }: PersonalParts): Method[] {
  return [
    method({
      name: "personal_sign",
      summary: "Signs a message with the chain's prefix; r, s and v (27 or 28).",
      params: { message: data, address, passphrase: passphraseOf(profile) },
      result: data,
      handle: async ({ message, address: account, passphrase }) => {
        const digest = digestOf(message, profile);
        return messageSignature(
          passphrase === undefined
            ? accounts.sign(account, digest)
            : await accounts.signWithPassphrase(account, passphrase, digest),
        );
      },
    }),
    method({
      name: "personal_ecRecover",
      summary: "The address whose key signed a message with `personal_sign`.",
      params: { message: data, signature: data },
      result: address,
      handle: ({ message, signature }) => recoverSigner(digestOf(message, profile), signature, profile),
    }),
  ];
}

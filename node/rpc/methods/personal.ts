/** `personal`: keys of the node's store, and what is signed with a passphrase. Never to be served to strangers. */
import type { Accounts } from "../../accounts/accounts.ts";
import {
  ETHEREUM_MESSAGE_PREFIX,
  KLAYTN_MESSAGE_PREFIX,
  messageDigest,
} from "../../accounts/message-digest.ts";
import type { Chain } from "../../chain/chain.ts";
import { addressOfPublicKey, recover } from "../../crypto/secp256k1.ts";
import type { TxPool } from "../../txpool/pool.ts";
import { type Decoder, optional } from "../codec.ts";
import { address, data, listOf } from "../codecs/hex.ts";
import { boolean, count, text } from "../codecs/plain.ts";
import { sendArgs, transactionHash } from "../codecs/transaction-args.ts";
import { failure } from "../errors.ts";
import { type Method, method } from "../method.ts";
import type { RpcProfile } from "../profiles.ts";
import { AddressLock } from "./address-lock.ts";
import { chainDraft, signLater } from "./transaction-draft.ts";

/** What these methods use. */
export interface PersonalParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "nonce">;
  readonly accounts: Accounts;
  readonly profile: RpcProfile;
}

/** Seconds an account stays unlocked when nothing is said. */
const UNLOCK_SECONDS = 300;
const NO_ADDRESS = new Uint8Array(20);

/** The methods of `personal`. */
export function personalMethods(parts: PersonalParts): Method[] {
  return [...keyMethods(parts), ...lockMethods(parts), ...signMethods(parts), sendMethod(parts)];
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
      handle: ({ key, passphrase }) => accounts.importRawKey(key, passphrase),
    }),
    method({
      name: "personal_replaceRawKey",
      summary: "Puts another private key and passphrase into an account's file; its address.",
      params: { key: text, oldPassphrase: text, newPassphrase: text },
      result: address,
      handle: (args) => accounts.replaceRawKey(args.key, args.oldPassphrase, args.newPassphrase),
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
  if (error instanceof Error && error.name === "AccountsError") return false;
  throw error;
}

function signMethods({ accounts, profile }: PersonalParts): Method[] {
  const prefix = profile.signedMessage === "Klaytn" ? KLAYTN_MESSAGE_PREFIX : ETHEREUM_MESSAGE_PREFIX;
  return [
    method({
      name: "personal_sign",
      summary: "Signs a message with the chain's prefix; r, s and v (27 or 28).",
      params: { message: data, address, passphrase: passphraseOf(profile) },
      result: data,
      handle: async ({ message, address: account, passphrase }) => {
        const digest = messageDigest(prefix, message);
        const signature =
          passphrase === undefined
            ? accounts.sign(account, digest)
            : await accounts.signWithPassphrase(account, passphrase, digest);
        return withV(signature, 27);
      },
    }),
    method({
      name: "personal_ecRecover",
      summary: "The address whose key signed a message with `personal_sign`.",
      params: { message: data, signature: data },
      result: address,
      handle: ({ message, signature }) => recoverSigner(messageDigest(prefix, message), signature, profile),
    }),
  ];
}

function recoverSigner(digest: Uint8Array, signature: Uint8Array, { badRecoveryId }: RpcProfile): Uint8Array {
  if (signature.length !== 65) throw failure("signature must be 65 bytes long");
  const v = signature[64] ?? 0;
  if (v !== 27 && v !== 28) throw failure(badRecoveryId);
  const publicKey = recover(digest, withV(signature, -27));
  if (publicKey === undefined) throw failure("recovery failed");
  return addressOfPublicKey(publicKey);
}

function withV(signature: Uint8Array, added: number): Uint8Array {
  const copy = new Uint8Array(signature);
  copy[64] = (copy[64] ?? 0) + added;
  return copy;
}

function sendMethod({ chain, pool, accounts }: PersonalParts): Method {
  const lock = new AddressLock();
  const signer = (from: Uint8Array, passphrase: string) => (digest: Uint8Array) =>
    accounts.signWithPassphrase(from, passphrase, digest);
  return method({
    name: "personal_sendTransaction",
    aliases: ["personal_signAndSendTransaction"],
    summary: "Fills in a transaction, signs it with the passphrase and submits it; the account stays locked.",
    params: { transaction: sendArgs, passphrase: text },
    result: transactionHash,
    handle: ({ transaction, passphrase }) => {
      const { from = NO_ADDRESS } = transaction;
      return lock.run(from, async () => {
        const draft = chainDraft({ chain, pool }, transaction);
        const tx = await signLater(draft, chain.config.chainId, signer(from, passphrase));
        pool.add(tx, "local");
        return tx.hash;
      });
    },
  });
}

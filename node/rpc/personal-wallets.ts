/**
 * `personal`: wallets. A key file is a wallet of one account; software HD wallets are opened and derive
 * accounts.
 */
import type { Accounts, Wallet, WalletAccount } from "../accounts/accounts.ts";
import { toHex } from "../bytes/hex.ts";
import { type Encoder, optional } from "../jsonrpc/codec.ts";
import { boolean, nothing, plain, text } from "../jsonrpc/codecs/plain.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";

/** Dependencies of the methods about wallets. */
export interface WalletMethodDeps {
  readonly accounts: Accounts;
}

const derivedAddress: Encoder<WalletAccount> = {
  label: "address",
  schema: schemaRefs.address,
  encode: ({ address }) => goJson(toHex(address)),
};

/** Schema of an account of a wallet. */
export const walletAccountSchema = recordSchema({ address: schemaRefs.address, url: text.schema });

const walletSchema = recordSchema({
  url: text.schema,
  status: text.schema,
  "accounts?": arraySchema(walletAccountSchema),
});

/** The methods of `personal` about wallets. */
export function walletMethods({ accounts }: WalletMethodDeps): Method[] {
  return [
    method({
      name: "personal_listWallets",
      summary:
        "Returns the wallets (key files, HD wallets and keys in memory) with their status and accounts.",
      params: {},
      result: plain<readonly object[]>("wallets", arraySchema(walletSchema)),
      handle: () => accounts.wallets().map(walletJson),
    }),
    method({
      name: "personal_openWallet",
      summary: "Opens a software HD wallet until the node exits or one of its accounts is locked.",
      params: { url: text, passphrase: optional(text, "") },
      result: nothing,
      handle: ({ url, passphrase }) => accounts.openWallet(url, passphrase),
    }),
    method({
      name: "personal_deriveAccount",
      summary:
        "Derives an account of an open HD wallet by its path. `pin` adds it to the accounts of the wallet, which can sign.",
      params: { url: text, path: text, pin: optional(boolean, false) },
      result: derivedAddress,
      handle: ({ url, path, pin }) => accounts.deriveAccount(url, path, pin),
    }),
  ];
}

function walletJson({ url, status, accounts }: Wallet): object {
  const shown = accounts.map(walletAccountJson);
  return { url, status, ...(shown.length === 0 ? {} : { accounts: shown }) };
}

/** Formats an account of a wallet. */
export function walletAccountJson({ address, url }: WalletAccount): object {
  return { address: toHex(address), url };
}

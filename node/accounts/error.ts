/** Reasons of this room's errors. */
export type AccountsErrorCode =
  | "no-key"
  | "unknown-account"
  | "locked"
  | "wrong-passphrase"
  | "ambiguous"
  | "exists"
  | "bad-raw-key"
  | "bad-key-file"
  | "bad-bls-key"
  | "content-mismatch"
  | "bad-duration"
  | "bad-wallet-key"
  | "bad-path"
  | "bad-mnemonic"
  | "bad-url"
  | "unknown-wallet"
  | "usb-wallet"
  | "not-derivable"
  | "busy"
  | "closed";

/** Thrown by this room; `code` is stable. The message never holds a key or a passphrase. */
export class AccountsError extends Error {
  override readonly name = "AccountsError";
  readonly code: AccountsErrorCode;
  constructor(code: AccountsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

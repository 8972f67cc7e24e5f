/**
 * Ethereum's account: a list of nonce, balance, storage root and code hash, without a type byte. The Go node
 * reads it from old databases and never writes it; Ethereum's state roots cover this form.
 */
import { ModelError } from "./error.ts";
import { RlpCursor } from "./rlp-cursor.ts";
import { RlpWriter } from "./rlp-writer.ts";

/** An account without an account key. */
export interface LegacyAccount {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly storageRoot: Uint8Array;
  readonly codeHash: Uint8Array;
}

const writer = new RlpWriter(128);

/** Encodes an account as RLP. */
export function encodeLegacyAccount({
  nonce,
  balance,
  storageRoot,
  codeHash,
}: LegacyAccount): Uint8Array<ArrayBuffer> {
  writer.reset().string(codeHash);
  writer.string(storageRoot);
  writer.integer(balance);
  writer.integer(nonce);
  writer.list(0);
  return writer.take();
}

/** Decodes an account; hashes are views. Throws `BytesError` or `ModelError`. */
export function decodeLegacyAccount(bytes: Uint8Array): LegacyAccount {
  const cursor = new RlpCursor(bytes);
  const end = cursor.enter();
  const account = {
    nonce: cursor.bigint(8),
    balance: cursor.bigint(),
    storageRoot: cursor.fixed(32),
    codeHash: cursor.fixed(32),
  };
  cursor.leave(end);
  if (!cursor.done) throw new ModelError("bad-account", "bytes after the account");
  return account;
}

/** Readers of published vectors: Wycheproof and the EIPs. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A case of Wycheproof; bytes are hexadecimal. */
export interface WycheproofCase {
  readonly id: number;
  readonly comment: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
  readonly privateKey: string;
  readonly shared: string;
  readonly result: "valid" | "acceptable" | "invalid";
}

/** A case of Wycheproof about PBKDF2 with HMAC-SHA-256; bytes are hexadecimal. */
export interface DerivationCase {
  readonly id: number;
  readonly password: string;
  readonly salt: string;
  readonly iterations: number;
  readonly length: number;
  readonly key: string;
}

/** A case of EIP-2537; `expected` is null for input that is refused. */
export interface PrecompileCase {
  readonly name: string;
  readonly input: string;
  readonly expected: string | null;
}

/** The recorded file `test/vectors/crypto/<name>.json.gz`, cases by their part. */
export function cryptoVectors<Case>(name: string): Readonly<Record<string, readonly Case[]>> {
  const bytes = gunzipSync(readFileSync(`test/vectors/crypto/${name}.json.gz`));
  return JSON.parse(bytes.toString()) as Readonly<Record<string, readonly Case[]>>; // as README.md there says
}

/**
 * Files of Wycheproof as they are published: ECDSA and ECDH on secp256k1, ECDSA on P-256, BLS signatures, PBKDF2. A case
 * is a difference when this node judges it otherwise; cases that this node has no form for fall under a rule.
 */
import { createHash } from "node:crypto";
import { concatBytes } from "../../node/bytes/compare.ts";
import { bareHex, fromBareHex } from "../../node/bytes/hex.ts";
import { loadBls } from "../../node/crypto/bls.ts";
import { deriveKey } from "../../node/crypto/key-derivation.ts";
import { verifyP256 } from "../../node/crypto/p256.ts";
import { ecdh, isLowS, verify } from "../../node/crypto/secp256k1.ts";
import { signatureOfDer } from "./der-signature.ts";
import type { DifferenceRule } from "./difference-rules.ts";
import { type Comparison, Tally } from "./tally.ts";

/** A file of Wycheproof. */
export interface WycheproofFile {
  readonly algorithm?: string;
  readonly testGroups: readonly WycheproofGroup[];
}

interface WycheproofGroup extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly tests: readonly WycheproofTest[];
}

interface WycheproofTest extends Readonly<Record<string, unknown>> {
  readonly tcId: number;
  readonly comment: string;
  readonly result: "valid" | "acceptable" | "invalid";
}

/** A verdict, or the name of the rule under which there is none. */
type Verdict = { readonly isValid: boolean } | { readonly rule: RuleName };

const RULES = {
  algorithm: ["the algorithm, curve or hash is no part of the node", "crypto/crypto.go"],
  "der-signature": ["signatures are r and s, 32 bytes each, and never DER", "crypto/signature_cgo.go"],
  "high-s": ["signatures of the upper half of the order are refused (EIP-2)", "crypto/signature_cgo.go"],
  "key-encoding": ["public keys are x and y, 32 bytes each", "crypto/crypto.go"],
  "bls-scheme": [
    "signatures are of the scheme with proofs of possession, one at a time",
    "crypto/bls/blst/signature.go",
  ],
  "derived-key": [
    "passphrases are text, and keys of 32 bytes or more are derived from them",
    "accounts/keystore/keystore_passphrase.go",
  ],
} as const;
type RuleName = keyof typeof RULES;

/** The rules of Wycheproof's cases. */
export const WYCHEPROOF_RULES: readonly DifferenceRule[] = Object.entries(RULES).map(
  ([name, [reason, source]]) => ({ name, reason, source }),
);

type GroupJudge = (group: WycheproofGroup, test: WycheproofTest) => Verdict | Promise<Verdict>;

/** Judges by the type of a group. */
const JUDGES: Readonly<Record<string, GroupJudge>> = {
  EcdsaVerify: (group, test) => ofDer(group, test),
  EcdsaBitcoinVerify: (group, test) => ofDer(group, test),
  EcdsaP1363Verify: (group, test) => ofSignature(group, test, bytesOf(test["sig"])),
  EcdhTest: ofSecret,
  EcdhWebcryptoTest: ofWebSecret,
  BlsSigVerify: ofBls,
  BlsAggregateVerify: () => ({ rule: "bls-scheme" }),
  PbkdfTest: ofDerivation,
};

/** Judges the parsed JSON of a file. */
export async function wycheproofFile({ algorithm, testGroups }: WycheproofFile): Promise<Comparison> {
  const tally = new Tally();
  for (const group of testGroups) {
    const judge: GroupJudge = JUDGES[group.type] ?? (() => ({ rule: "algorithm" }));
    for (const test of group.tests) {
      await tally.awaited(`case ${test.tcId}`, async () =>
        count(tally, test, await judge({ algorithm, ...group }, test)),
      );
    }
  }
  return tally.comparison;
}

function count(tally: Tally, { tcId, comment, result }: WycheproofTest, verdict: Verdict): void {
  if ("rule" in verdict) tally.exclude(verdict.rule);
  else if (result === "acceptable" || verdict.isValid === (result === "valid")) tally.pass();
  else
    tally.fail(
      `case ${tcId} (${comment}): expected ${result}, found ${verdict.isValid ? "valid" : "invalid"}`,
    );
}

function bytesOf(hex: unknown): Uint8Array {
  return fromBareHex(String(hex));
}

const CURVES: readonly unknown[] = ["secp256k1", "secp256r1"];

function curveOf(group: WycheproofGroup): unknown {
  return (group["publicKey"] as Readonly<Record<string, string>>)["curve"];
}

function ofDer(group: WycheproofGroup, test: WycheproofTest): Verdict {
  if (!CURVES.includes(curveOf(group))) return { rule: "algorithm" };
  const signature = signatureOfDer(bytesOf(test["sig"]));
  return signature === undefined ? { rule: "der-signature" } : ofSignature(group, test, signature);
}

function ofSignature(group: WycheproofGroup, test: WycheproofTest, signature: Uint8Array): Verdict {
  const curve = curveOf(group);
  if (!CURVES.includes(curve)) return { rule: "algorithm" };
  const { uncompressed } = group["publicKey"] as Readonly<Record<string, string>>;
  const digest = digestOf(String(group["sha"]), bytesOf(test["msg"]));
  if (digest === undefined) return { rule: "algorithm" };
  const publicKey = bytesOf(uncompressed).subarray(1);
  if (curve === "secp256r1") {
    return { isValid: signature.length === 64 && verifyP256(concatBytes(digest, signature, publicKey)) };
  }
  const isHigh = signature.length === 64 && !isLowS(signature.subarray(32));
  if (isHigh && test.result === "valid") return { rule: "high-s" };
  return { isValid: verify({ digest, signature, publicKey }) };
}

/** Bytes that hashes without a length of their own have here, by their names. */
const OPEN_LENGTHS: Readonly<Record<string, number>> = { shake128: 32, shake256: 64 };

/** The first 32 bytes of the hash of a message, which ECDSA signs; undefined for shorter hashes. */
function digestOf(name: string, message: Uint8Array): Uint8Array | undefined {
  const algorithm = name.toLowerCase().replace(/^sha-/, "sha");
  const outputLength = OPEN_LENGTHS[algorithm];
  const hash = createHash(algorithm, outputLength === undefined ? {} : { outputLength });
  const digest = new Uint8Array(hash.update(message).digest());
  return digest.length < 32 ? undefined : digest.subarray(0, 32);
}

/** SubjectPublicKeyInfo of an uncompressed point of secp256k1 up to the point (RFC 5480). */
const PLAIN_HEADER = "3056301006072a8648ce3d020106052b8104000a03420004";
const PLAIN_LENGTH = PLAIN_HEADER.length + 128;

function ofSecret(group: WycheproofGroup, test: WycheproofTest): Verdict {
  if (group["curve"] !== "secp256k1" || group["encoding"] !== "asn") return { rule: "algorithm" };
  const key = String(test["public"]);
  if (!key.startsWith(PLAIN_HEADER) || key.length !== PLAIN_LENGTH) return { rule: "key-encoding" };
  const privateKey = bytesOf(String(test["private"]).padStart(64, "0").slice(-64));
  return secretVerdict(test, privateKey, bytesOf(key.slice(PLAIN_HEADER.length)));
}

function ofWebSecret(group: WycheproofGroup, test: WycheproofTest): Verdict {
  if (group["curve"] !== "P-256K") return { rule: "algorithm" };
  const { crv, x, y } = test["public"] as Readonly<Record<string, string>>;
  const { d } = test["private"] as Readonly<Record<string, string>>;
  const publicKey = Buffer.concat([x, y].map((text) => Buffer.from(text ?? "", "base64url")));
  if (crv !== "P-256K" || publicKey.length !== 64) return { rule: "key-encoding" };
  const privateKey = bytesOf(
    Buffer.from(d ?? "", "base64url")
      .toString("hex")
      .padStart(64, "0"),
  );
  return secretVerdict(test, privateKey, publicKey);
}

/** A secret that is shared has to be the recorded one, even where the case is only acceptable. */
function secretVerdict(test: WycheproofTest, key: Uint8Array, publicKey: Uint8Array): Verdict {
  const secret = ecdh(key, publicKey);
  if (secret === undefined) return { isValid: false };
  const isRecorded = bareHex(secret) === test["shared"];
  if (!isRecorded && test.result !== "invalid") throw new Error(`another secret: ${bareHex(secret)}`);
  return { isValid: isRecorded };
}

const POSSESSION = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

async function ofBls(group: WycheproofGroup, test: WycheproofTest): Promise<Verdict> {
  if (group["ciphersuite"] !== POSSESSION) return { rule: "bls-scheme" };
  const { pk } = group["publicKey"] as Readonly<Record<string, string>>;
  const claim = { publicKey: bytesOf(pk), message: bytesOf(test["msg"]), signature: bytesOf(test["sig"]) };
  return { isValid: (await loadBls()).verify(claim) };
}

async function ofDerivation(group: WycheproofGroup, test: WycheproofTest): Promise<Verdict> {
  if (group["algorithm"] !== "PBKDF2-HMACSHA256") return { rule: "algorithm" };
  const [iterations, length] = [Number(test["iterationCount"]), Number(test["dkLen"])];
  const [salt, password] = [bytesOf(test["salt"]), Buffer.from(bytesOf(test["password"]))];
  const isText = Buffer.from(password.toString()).equals(password);
  if (!isText || length < 32) return { rule: "derived-key" };
  const key = await deriveKey({ name: "pbkdf2", iterations, length, salt }, password.toString());
  return { isValid: bareHex(key) === test["dk"] };
}

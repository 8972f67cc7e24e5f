/** The published suites about encodings: files by their path, as they are packed in test/vectors/core-tests. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { bareHex, fromBareHex } from "../../node/bytes/hex.ts";
import { decodeRlp, decodeRlpTree, encodeRlp, listItems } from "../../node/bytes/rlp.ts";
import { BASE_RULES } from "../../node/config/rules.ts";
import { decodeTransaction, intrinsicGas, senderOf } from "../../node/model/transaction.ts";
import { attempt, type Comparison } from "./tally.ts";

/** A packed suite: test files by path, each with its cases by name. */
export type Suite<Case> = Readonly<Record<string, Readonly<Record<string, Case>>>>;

/** A case about RLP: `in` says "VALID" or "INVALID" of the hex text in `out`. */
export interface RlpCase {
  readonly in: string;
  readonly out: string;
}

/** A case about a transaction: its bytes, and hash and sender by fork, both missing where it is invalid. */
export interface TransactionCase extends Readonly<Record<string, unknown>> {
  readonly rlp: string;
}

/** Forks before these knew no signatures that name a chain; this chain always did. */
const FORKS = ["EIP158", "Byzantium", "Constantinople"];
const CHAIN_ID = 1n;

/** Reads a packed suite. */
export function readSuite<Case>(path: string): Suite<Case> {
  return JSON.parse(gunzipSync(readFileSync(path)).toString()) as Suite<Case>;
}

/** Every encoding of the suite is taken, and comes back the same, or is refused, as it says. */
export function compareRlpSuite(suite: Suite<RlpCase>): Comparison {
  return compareCases(suite, ({ in: verdict, out }) => [[verdict, rlpVerdict(out.replace(/^0x/, ""))]]);
}

function rlpVerdict(hex: string): string {
  try {
    const bytes = fromBareHex(hex);
    const back = encodeRlp(decodeRlpTree(decodeRlp(bytes)));
    return Buffer.compare(back, bytes) === 0 ? "VALID" : `came back as ${bareHex(back)}`;
  } catch (error) {
    if ((error as { code?: unknown }).code === "bad-rlp") return "INVALID";
    throw error;
  }
}

/** Every transaction has the suite's hash and sender, or is refused by decoding, signature or gas. */
export function compareTransactionSuite(suite: Suite<TransactionCase>): Comparison {
  return compareCases(suite, (one) => {
    const found = transactionVerdict(one.rlp);
    return FORKS.map((fork) => [hasLongNonce(one.rlp) ? {} : (one[fork] ?? {}), found]);
  });
}

/** True for a nonce beyond 64 bits: good for the suite, refused by Go nodes. */
function hasLongNonce(hex: string): boolean {
  const fields = attempt(() => listItems(decodeRlp(fromBareHex(hex.replace(/^0x/, "")))));
  return typeof fields !== "string" && (fields[0]?.payload.length ?? 0) > 8;
}

function transactionVerdict(hex: string): object {
  try {
    const tx = decodeTransaction(fromBareHex(hex.replace(/^0x/, "")));
    const sender = senderOf(tx, CHAIN_ID);
    return tx.gas < intrinsicGas(tx, BASE_RULES) ? {} : { hash: bareHex(tx.hash), sender: bareHex(sender) };
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === "string") return {};
    throw error;
  }
}

/** `check` gives pairs of what is expected and what was found. */
function compareCases<Case>(
  suite: Suite<Case>,
  check: (one: Case) => readonly (readonly [expected: unknown, found: unknown])[],
): Comparison {
  const outcomes = Object.entries(suite).flatMap(([path, cases]) =>
    Object.entries(cases).flatMap(([name, one]) =>
      check(one).map(([expected, found]) => {
        const [wanted, had] = [JSON.stringify(expected), JSON.stringify(found)];
        return wanted === had ? undefined : `${path} ${name}: expected ${wanted}, found ${had}`;
      }),
    ),
  );
  const failures = outcomes.filter((outcome) => outcome !== undefined);
  return { passed: outcomes.length - failures.length, failed: failures.length, failures };
}

/**
 * Checks the refusals of a recorded chain's pool: each submission is refused here with the same text at the same
 * point.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { concatBytes } from "../../node/bytes/compare.ts";
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import type { Chain } from "../../node/chain/chain.ts";
import { chainForPool } from "../../node/compose/pool.ts";
import { decodeTransaction, type Transaction } from "../../node/model/transaction.ts";
import { admit } from "../../node/txpool/admission.ts";
import { nextBlockRules } from "../../node/txpool/next-block-rules.ts";
import { DEFAULT_POOL_OPTIONS } from "../../node/txpool/options.ts";
import { nothingPooled } from "./pool-entries.ts";
import { attempt, type Tally } from "./tally.ts";

/** One submission to the recorded node, in the order of sending. */
export interface Step {
  readonly name: string;
  readonly raw: string;
  readonly hash: string;
  readonly senderTxHash?: string;
  /** Block that has it; absent when it was refused. */
  readonly block?: number;
  readonly poolError?: { readonly message: string };
}

/** A submission that was refused while the block was made that has what was sent before it, or after that block. */
export interface Refusal extends Step {
  readonly after: number;
}

/** Everything that was sent, from `steps.json` or `steps.json.gz` of a recorded chain; nothing where neither is. */
export function readSteps(directory: string): readonly Step[] {
  const [plain, packed] = ["steps.json", "steps.json.gz"].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  if (!existsSync(plain) && !existsSync(packed)) return [];
  const text = existsSync(plain) ? readFileSync(plain) : gunzipSync(readFileSync(packed));
  return (JSON.parse(text.toString("utf8")) as { steps: readonly Step[] }).steps;
}

/** Refusals with their positions. */
export function refusals(steps: readonly Step[]): readonly Refusal[] {
  let after = 0;
  const refused: Refusal[] = [];
  for (const step of steps) {
    if (step.poolError !== undefined) refused.push({ ...step, after });
    else after = Math.max(after, step.block ?? 0);
  }
  return refused;
}

/** The transaction; Ethereum's kinds are sent without the prefix that they have in blocks. */
export function sentTransaction(raw: string): Transaction {
  const bytes = fromHex(raw);
  const [first = 0] = bytes;
  return decodeTransaction(first >= 1 && first <= 4 ? concatBytes(Uint8Array.of(0x78), bytes) : bytes);
}

/** Submits what was refused, on the head that the chain has now; the texts found are gathered by name. */
export function submitRefused(chain: Chain, refused: readonly Refusal[], found: Map<string, string[]>): void {
  const head = chain.head().header.number;
  for (const { name, raw, after } of refused) {
    if (head !== after && head !== after - 1) continue;
    const terms = nextBlockRules(chainForPool(chain), DEFAULT_POOL_OPTIONS);
    const text = attempt(() => toHex(admit(sentTransaction(raw), terms, nothingPooled)));
    found.set(name, [...(found.get(name) ?? []), text]);
  }
}

/** Counts what was refused with the recorded text on one of its two heads. */
export function compareRefusals(
  tally: Tally,
  refused: readonly Refusal[],
  found: ReadonlyMap<string, readonly string[]>,
): void {
  for (const { name, poolError } of refused) {
    const want = `error: ${poolError?.message}`;
    const texts = found.get(name) ?? [];
    tally.same(`steps.json ${name}`, texts.includes(want) ? want : texts, want);
  }
}

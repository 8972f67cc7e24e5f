/**
 * Recorded transcripts that are not played byte for byte yet: number of entries by method, with the reason. A count
 * may only fall; `node scripts/transcripts.ts --pending` rewrites it.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Verdict } from "./play.ts";

/** Failing entries of one method. */
export interface Pending {
  readonly failing: number;
  /** `no such method`, or the first difference. */
  readonly reason: string;
}

/** By transcript, then by method. */
export type PendingList = Readonly<Record<string, Readonly<Record<string, Pending>>>>;

/** Path of the list. */
export const PENDING = fileURLToPath(new URL("../../vectors/rpc/pending.json", import.meta.url));

/** The list as it is committed. */
export function readPending(): PendingList {
  return existsSync(PENDING) ? (JSON.parse(readFileSync(PENDING, "utf8")) as PendingList) : {};
}

const MAX_REASON = 300;

/** The list that one transcript's verdicts make. */
export function pendingOf(verdicts: readonly Verdict[]): Readonly<Record<string, Pending>> {
  const failed = verdicts.filter(({ outcome }) => outcome !== "same");
  const rows = [...Map.groupBy(failed, ({ method }) => method)].map(([method, all]) => {
    const different = all.find(({ outcome }) => outcome === "different");
    const reason =
      different === undefined ? "no such method" : `${different.group} ${different.n}: ${different.line}`;
    return [method, { failing: all.length, reason: reason.slice(0, MAX_REASON) }] as const;
  });
  return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A line for each method of which more entries fail than the list allows. */
export function worseThan(allowed: PendingList[string] = {}, verdicts: readonly Verdict[]): string[] {
  return Object.entries(pendingOf(verdicts)).flatMap(([method, { failing, reason }]) => {
    const most = allowed[method]?.failing ?? 0;
    return failing <= most ? [] : [`${method}: ${failing} entries differ, ${most} did before: ${reason}`];
  });
}

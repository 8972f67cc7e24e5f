/** Block production of a network, judged by the heights that its nodes report. Pure. */
import type { Condition } from "../api/condition.ts";
import type { Verdict } from "./conditions.ts";

/** A height with the time of its report, milliseconds since the epoch. */
export interface HeightReport {
  readonly height: number;
  readonly at: number;
}

/** Highest block so far, with the time of the first report of it. */
export interface BlockMark extends HeightReport {
  /** True when a report with a lower height came before. */
  readonly isNew: boolean;
}

/** Inputs of the judgement. */
export interface ProductionView {
  /** Recent reports of the nodes. */
  readonly reports: readonly HeightReport[];
  /** Mark of the last judgement; undefined after a start of the operator. */
  readonly mark: BlockMark | undefined;
  /** Condition and height in the status, which outlive the operator. */
  readonly condition: Pick<Condition, "status" | "lastTransitionTime"> | undefined;
  readonly height: number | undefined;
}

/** Verdict with the mark for the next judgement. */
export interface Production {
  readonly mark: BlockMark | undefined;
  readonly verdict: Omit<Verdict<"Producing">, "type">;
}

/** Time without a new block after which a chain counts as stalled; the block interval is one second. */
export const STALL_MS = 60_000;

/**
 * Judges the production. Times of reports are compared, so that seldom polls or a stopped operator are not taken
 * for a stalled chain.
 */
export function judgeProduction(view: ProductionView): Production {
  const { reports } = view;
  const [first] = reports;
  if (first === undefined) return { mark: undefined, verdict: NOT_REPORTED };
  const highest = reports.reduce((a, b) => (b.height > a.height ? b : a), first);
  const newestAt = Math.max(...reports.map(({ at }) => at));
  const mark = nextMark(view, highest, newestAt);
  const silentMs = newestAt - mark.at;
  if (silentMs >= STALL_MS) return { mark, verdict: stallVerdict(mark, silentMs) };
  if (mark.isNew || view.condition?.status === "True")
    return { mark, verdict: { status: "True", reason: "NewBlocks", message: "new blocks are reported" } };
  return { mark, verdict: NOT_REPORTED };
}

const NOT_REPORTED = {
  status: "Unknown",
  reason: "NotReported",
  message: "no node has reported a new block recently",
} as const;

/** Returns the mark; one of a clock that was set back since is not ahead of the newest report. */
function nextMark(
  { mark, condition, height }: ProductionView,
  highest: HeightReport,
  newestAt: number,
): BlockMark {
  if (mark !== undefined)
    return highest.height > mark.height
      ? { ...highest, isNew: true }
      : { ...mark, height: Math.min(mark.height, highest.height), at: Math.min(mark.at, newestAt) };
  const isStillStalled = condition?.status === "False" && highest.height <= (height ?? 0);
  const since = isStillStalled
    ? Math.min(Date.parse(condition.lastTransitionTime), newestAt) - STALL_MS
    : highest.at;
  return { height: highest.height, at: since, isNew: false };
}

function stallVerdict({ height }: BlockMark, silentMs: number): Production["verdict"] {
  const message = `no block after ${height} for ${Math.floor(silentMs / 1_000)} s: the chain goes on when a quorum of its validators runs and is connected. Their Nodes, and Degraded there, have the causes: kubectl get kn`;
  return { status: "False", reason: "ChainStalled", message };
}

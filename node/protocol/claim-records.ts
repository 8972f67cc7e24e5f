/**
 * Records of peers by node id: the blocks that each has delivered, and the claimed heads that it has not. They outlive
 * connections, so that a peer which returns is met as the one that left. Their number is bounded.
 */
import type { Clock } from "../runtime/clock.ts";
import { RecentMap } from "../runtime/recent-map.ts";

/**
 * `known`: delivers what it claims. `unproven`: a newcomer. `unreliable`: claimed a head that it did not deliver, and has
 * not made up for it.
 */
export type Standing = "known" | "unproven" | "unreliable";

/** Record of a peer. */
export interface ClaimRecord {
  /** Blocks delivered since the last broken claim. */
  readonly delivered: number;
  /** Claims that were not honoured. */
  readonly broken: number;
}

/** Peers with a record at most. One of a peer that is not heard of drops out when as many others have got theirs. */
const MAX_RECORDS = 1024;

/** Delivered blocks that make up for one broken claim: an answer's worth of headers. */
export const BLOCKS_FOR_A_CLAIM = 192;

/** Milliseconds after which broken claims are forgotten; a peer may have been out of reach for a while. */
const FORGET_MS = 600_000;

const EMPTY: ClaimRecord = { delivered: 0, broken: 0 };

/** Records of all peers. */
export class ClaimRecords {
  readonly #clock: Clock;
  readonly #records = new RecentMap<ClaimRecord & { readonly brokenAt: number }>(MAX_RECORDS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the record of a node id in hex digits. */
  of(id: string): ClaimRecord {
    const record = this.#records.get(id);
    if (record === undefined) return EMPTY;
    return this.#clock.now() - record.brokenAt < FORGET_MS ? record : { ...record, broken: 0 };
  }

  /** Credits a delivered block. */
  deliver(id: string): void {
    const { delivered, broken } = this.of(id);
    const brokenAt = this.#records.get(id)?.brokenAt ?? 0;
    this.#records.set(id, { delivered: delivered + 1, broken, brokenAt });
  }

  /** Takes all credit for a claim that was not honoured. */
  breakClaim(id: string): void {
    const { broken } = this.of(id);
    this.#records.set(id, { delivered: 0, broken: broken + 1, brokenAt: this.#clock.now() });
  }
}

/** Returns the standing of a peer; one that `isVouched` for, by configuration or by its key, needs no deliveries at first. */
export function standingOf({ delivered, broken }: ClaimRecord, isVouched: boolean): Standing {
  if (delivered < broken * BLOCKS_FOR_A_CLAIM) return "unreliable";
  return delivered > 0 || isVouched ? "known" : "unproven";
}

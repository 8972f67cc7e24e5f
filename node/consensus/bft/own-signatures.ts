/**
 * The signatures that this data directory has made, as far as they are known: tells a message that another node
 * signed with the same key from an own one that comes back. Comes in: the signing record of a start and every payload
 * that is signed. Goes out: a verdict on views and digests. It reads no clock, disk or network.
 */
import type { MessagePayload, Proposal } from "./message.ts";
import type { LastSigned } from "./round-state.ts";
import { RESERVED } from "./signing-record.ts";
import { compareViews, type View } from "./view.ts";

/** Number of payloads that are remembered; a validator signs three or four in a round. */
const MAX_REMEMBERED = 4096;

/** A payload as it is compared: the same kind, view and digest are the same signature. */
export interface SignedContent {
  readonly kind: MessagePayload<unknown>["kind"];
  readonly view: View;
  readonly digest: string;
}

/** A seal of this node's address in a block: the proposer's, or a committed one. */
export interface OwnSeal {
  readonly kind: "preprepare" | "commit";
  readonly number: number;
  readonly hash: string;
}

/** Own signatures after the floor. Nothing is known of earlier views, so nothing in them counts as foreign. */
export class OwnSignatures {
  /** Views by signature, in the order of signing. */
  readonly #known = new Map<string, View>();
  /** Block numbers by seal. */
  readonly #seals = new Map<string, number>();
  #floor: View;
  /** Digests signed in the view of the floor; undefined when they are not known. */
  #floorDigests: LastSigned["digests"] | undefined;

  /** Begins with the signing record of an earlier run, which covers everything that was signed up to its view. */
  constructor({ view, digests }: LastSigned) {
    this.#floor = view;
    this.#floorDigests = digests;
  }

  /** The last view of which not everything is known. */
  get floor(): View {
    return this.#floor;
  }

  /** Remembers a payload that this process signs. The oldest half is forgotten when there are too many. */
  add(content: SignedContent): void {
    const { kind, view, digest } = content;
    this.#known.set(keyOf(content), view);
    if (kind === "preprepare" || kind === "commit")
      this.#seals.set(sealKey({ kind, number: view.sequence, hash: digest }), view.sequence);
    if (this.#known.size > MAX_REMEMBERED)
      this.raise([...this.#known.values()][MAX_REMEMBERED / 2] ?? this.#floor);
  }

  /** Declares everything up to a view as not known. */
  raise(view: View): void {
    if (compareViews(view, this.#floor) <= 0) return;
    this.#floor = view;
    this.#floorDigests = undefined;
    for (const [key, each] of this.#known) if (compareViews(each, view) <= 0) this.#known.delete(key);
    for (const [key, number] of this.#seals) if (number <= view.sequence) this.#seals.delete(key);
  }

  /** Declares everything signed so far as not known: after a rewind the heights begin again. */
  rewind(): void {
    for (const view of this.#known.values()) this.raise(view);
  }

  /** Returns true when this data directory cannot have signed the content. */
  isForeign(content: SignedContent): boolean {
    const { kind, view, digest } = content;
    if (this.#known.has(keyOf(content))) return false;
    const order = compareViews(view, this.#floor);
    if (order !== 0 || this.#floorDigests === undefined) return order > 0;
    const recorded = this.#floorDigests[kind];
    return recorded !== digest && recorded !== RESERVED;
  }

  /** Returns true when this data directory cannot have made the seal. */
  isForeignSeal(seal: OwnSeal): boolean {
    return seal.number > this.#floor.sequence && !this.#seals.has(sealKey(seal));
  }
}

/** Returns the part of a payload that is compared. */
export function signedContent(payload: MessagePayload<Proposal>): SignedContent {
  const { kind, view } = payload;
  return { kind, view, digest: kind === "preprepare" ? payload.proposal.hash : payload.digest };
}

function keyOf({ kind, view, digest }: SignedContent): string {
  return `${view.sequence}/${view.round} ${kind} ${digest}`;
}

function sealKey({ kind, number, hash }: OwnSeal): string {
  return `${number} ${kind} ${hash}`;
}

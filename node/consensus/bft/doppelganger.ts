/**
 * Doppelganger protection: finds signatures of this node's address that this data directory did not make, in messages
 * and in blocks. The first one is written to the database and stops the signing for good, until the operator clears it
 * by its id. Comes in: messages of peers, the chain, the signing record. Goes out: a verdict, and whether to listen
 * before signing.
 */
import type { Address } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex, mapKey } from "../../bytes/hex.ts";
import { integerBytes } from "../../bytes/integer.ts";
import { encodeRlp } from "../../bytes/rlp.ts";
import { RlpCursor } from "../../bytes/rlp-cursor.ts";
import type { BlockHead, Chain } from "../../chain/chain.ts";
import { UNKNOWN_SIGNER } from "../../chain/continuity.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { parseExtra } from "../../model/istanbul-extra.ts";
import type { Log } from "../../observe/log.ts";
import { type Clock, MAX_TIMER_MS } from "../../runtime/clock.ts";
import type { Rows, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { recoverCommitters } from "../seal.ts";
import { authorOf, recoveredSealers } from "../sealers.ts";
import { OwnSignatures, type SignedContent, signedContent } from "./own-signatures.ts";
import { type BlockPayload, keyBytes, PAYLOAD_KINDS, payloadCode } from "./payload.ts";
import { type UnverifiedMessage, verifyMessage } from "./signed-message.ts";
import { readRecord, readRecordBeforeRewind } from "./signing-record.ts";

/** Options of the protection. */
export interface DoppelgangerOptions {
  /** Milliseconds for which a validator with a new signing record listens before it signs. */
  readonly listenMs: number;
  /** Id of a found signature that the operator has cleared. */
  readonly clear: string | undefined;
}

/** Parts of the protection. */
export interface DoppelgangerDeps {
  readonly address: Address;
  readonly store: Store;
  readonly chain: Pick<Chain, "head" | "header">;
  readonly clock: Clock;
  readonly log: Log;
  /** Lengthens the listening, so that of two nodes which start at once one hears the other; `Math.random` by default. */
  readonly random?: () => number;
}

/** A signature that another node made with this node's key. */
interface Finding extends SignedContent {
  readonly isCleared: boolean;
}

const FINDING_KEY = tables.meta.key("doppelganger");
const SIGNER_KEY = tables.meta.key("signer");
const ADDRESS_BYTES = 20;
const ID_DIGITS = 8;
/** A round after all others of a height. */
const LAST_ROUND = Number.MAX_SAFE_INTEGER;
/** Messages for heights whose parent is not here yet; more are dropped, since another one will follow. */
const MAX_PENDING = 64;
/** Newest blocks whose seals are looked at, when there are more new ones. */
const MAX_BLOCKS = 128;
/**
 * A block that is younger than this start by so much was sealed after it: a validator commits a block at most one
 * second before the block's time.
 */
const SEALED_AFTER_MS = 2_000;
/** Limit of listening at block 0, where no block can show another signer. */
const MAX_LISTEN_AT_GENESIS_MS = 10_000;
/** Limit of listening after a restart in which others made blocks and none shows another signer. */
const MAX_LISTEN_AFTER_RESTART_MS = 5_000;

/**
 * Reads the address that signs with this directory; undefined before its first signature under the protection,
 * `UNKNOWN_SIGNER` after damage of the database.
 */
export function readSigner(store: Rows): Address | undefined {
  return store.get(SIGNER_KEY);
}

/** The protection of one node. */
export class Doppelganger {
  readonly #deps: DoppelgangerDeps;
  readonly #self: string;
  readonly #startedAt: number;
  readonly #isNew: boolean;
  readonly #isDamaged: boolean;
  readonly #signatures: OwnSignatures;
  readonly #pending: UnverifiedMessage[] = [];
  readonly #listenMs: number;
  #finding: Finding | undefined;
  #judged: number;

  /** Reads what the database holds about own signatures, and clears the finding that the options name. */
  constructor(deps: DoppelgangerDeps, { listenMs, clear }: DoppelgangerOptions) {
    const { address, store, chain, clock, log } = deps;
    this.#deps = deps;
    this.#self = mapKey(address);
    this.#startedAt = clock.now();
    this.#listenMs = listenMs;
    this.#judged = chain.head().header.number;
    const signed = readRecord(store)?.signed;
    const before = readRecordBeforeRewind(store);
    const signer = readSigner(store);
    this.#isNew = signer === undefined ? (signed ?? before) === undefined : !equalBytes(signer, address);
    this.#isDamaged = signer !== undefined && equalBytes(signer, UNKNOWN_SIGNER);
    this.#signatures = new OwnSignatures(signed ?? { view: { sequence: 0, round: 0 }, digests: {} });
    if (before !== undefined) this.#signatures.raise(before.view);
    const finding = readFinding(store, address);
    if (finding === undefined) return;
    const isCleared = finding.isCleared || clear === idOf(finding, address);
    if (!finding.isCleared && isCleared)
      log.warn(this.#fields(finding), "doppelganger protection was cleared");
    this.#finding = { ...finding, isCleared };
    if (isCleared) this.#signatures.raise({ sequence: finding.view.sequence, round: LAST_ROUND });
    else this.#report(finding);
  }

  /** True once another node was found to sign with this node's key. */
  get isFound(): boolean {
    return this.#finding?.isCleared === false;
  }

  /**
   * Returns the milliseconds to listen for before the first signature, and prepares for them: 0 when the signing record
   * reaches to the head, as in a network that stood still meanwhile. To be called once the chain is level with its peers.
   */
  beginListening(): number {
    const head = this.#deps.chain.head().header.number;
    const hasSealed = this.#headers(1, head).some((header) => this.#foreignSeal(header) !== undefined);
    const isCurrent = head <= this.#signatures.floor.sequence;
    this.judgeBlocks();
    this.#signatures.raise({ sequence: head, round: LAST_ROUND });
    if (this.#isDamaged)
      return this.#listenFor(Number.POSITIVE_INFINITY, "the signing record may be incomplete after damage");
    if (this.#isNew && head === 0)
      return this.#listenFor(MAX_LISTEN_AT_GENESIS_MS, "a new network, and no signing record");
    if (this.#isNew) return this.#listenFor(Number.POSITIVE_INFINITY, "no signing record");
    if (hasSealed) return this.#listenFor(Number.POSITIVE_INFINITY, "own seals after the signing record");
    return isCurrent ? 0 : this.#listenFor(MAX_LISTEN_AFTER_RESTART_MS, "blocks after the signing record");
  }

  /** Makes the start of signing durable: this address signs with this data directory. */
  async claim(): Promise<void> {
    const { store, address } = this.#deps;
    const known = readSigner(store);
    if (known !== undefined && equalBytes(known, address) && this.#finding === undefined) return;
    const batch = store.createBatch();
    batch.put(SIGNER_KEY, address);
    if (this.#finding !== undefined) batch.put(FINDING_KEY, encodeFinding(this.#finding, address));
    await store.write(batch, { sync: true });
  }

  /** Notes a payload that this node signs. To be called before anybody can receive it. */
  noteSigned(payload: BlockPayload): void {
    this.#signatures.add(signedContent(payload));
  }

  /** Notes that the chain was rewound. */
  noteRewind(): void {
    this.#signatures.rewind();
    this.#judged = this.#deps.chain.head().header.number;
    this.#pending.length = 0;
  }

  /**
   * Judges a message of a peer. Returns true when another node signed it with this node's key. A message counts only
   * on this chain: keys are used on several, and messages name no chain but their parent block. Throws as
   * `verifyMessage` for a false signature.
   */
  judge(message: UnverifiedMessage): boolean {
    const { sender, payload } = message;
    if (this.isFound || sender !== this.#self) return false;
    const content = signedContent(payload);
    if (!this.#signatures.isForeign(content)) return false;
    if (content.view.sequence > this.#deps.chain.head().header.number + 1) {
      this.#keep(message);
      return false;
    }
    if (!this.#isOnChain(payload)) return false;
    verifyMessage(message);
    this.#find(content);
    return true;
  }

  /** Judges the seals of new blocks, and messages that waited for their parent block. */
  judgeBlocks(): void {
    const { header } = this.#deps.chain.head();
    const fresh = this.#headers(this.#judged + 1, header.number);
    this.#judged = header.number;
    for (const each of fresh) {
      const isRecent = each.header.time * 1000 > this.#startedAt + SEALED_AFTER_MS;
      const found = isRecent && !this.isFound ? this.#foreignSeal(each) : undefined;
      if (found !== undefined) this.#find(found);
    }
    for (const message of this.#pending.splice(0)) this.judge(message);
  }

  /** Makes a finding durable. */
  async save(): Promise<void> {
    const { store, address } = this.#deps;
    if (this.#finding === undefined) return;
    const batch = store.createBatch();
    batch.put(FINDING_KEY, encodeFinding(this.#finding, address));
    await store.write(batch, { sync: true });
  }

  #listenFor(maxMs: number, reason: string): number {
    const leastMs = Math.min(this.#listenMs, maxMs);
    const { random = Math.random } = this.#deps;
    const ms = Math.min(MAX_TIMER_MS, leastMs + Math.floor((leastMs / 2) * random()));
    const message = "listening for another node with this key before signing";
    if (ms > 0) this.#deps.log.info({ ms, reason }, message);
    return ms;
  }

  /** Keeps a small message until its parent block is here. */
  #keep(message: UnverifiedMessage): void {
    if (message.payload.kind === "preprepare" || this.#pending.length >= MAX_PENDING) return;
    verifyMessage(message);
    this.#pending.push(message);
  }

  /** Returns the headers from `first` to `last`, or the newest of them. */
  #headers(first: number, last: number): readonly BlockHead[] {
    const oldest = Math.max(first, last - MAX_BLOCKS + 1);
    const numbers = Array.from({ length: Math.max(0, last - oldest + 1) }, (_, i) => oldest + i);
    return numbers.flatMap((number) => this.#deps.chain.header(number) ?? []);
  }

  #isOnChain(payload: BlockPayload): boolean {
    const { sequence } = payload.view;
    if (payload.kind === "preprepare" && payload.proposal.number !== sequence) return false;
    const parent = this.#deps.chain.header(sequence - 1);
    const named = payload.kind === "preprepare" ? payload.proposal.parent : payload.parent;
    return parent !== undefined && mapKey(parent.hash) === named;
  }

  /** Returns the content of a seal of this address that this directory did not make. */
  #foreignSeal({ header, hash }: BlockHead): SignedContent | undefined {
    const { number } = header;
    const block = { number, hash: mapKey(hash) };
    const kinds = (["preprepare", "commit"] as const).filter((kind) =>
      this.#signatures.isForeignSeal({ kind, ...block }),
    );
    if (kinds.length === 0) return undefined;
    const { proposer, committers } = recoveredSealers(header) ?? {
      proposer: authorOf(header),
      committers: recoverCommitters(hash, parseExtra(header.extra)),
    };
    const isOwn = (sealer: Address | undefined): boolean =>
      sealer !== undefined && equalBytes(sealer, this.#deps.address);
    const kind = kinds.find((each) => (each === "commit" ? committers.some(isOwn) : isOwn(proposer)));
    return kind && { kind, view: { sequence: number, round: LAST_ROUND }, digest: block.hash };
  }

  #find(content: SignedContent): void {
    if (this.isFound) return;
    const finding = { ...content, isCleared: false };
    this.#finding = finding;
    this.#report(finding);
  }

  #report(finding: Finding): void {
    this.#deps.log.error(
      this.#fields(finding),
      "another node signs with this node's key: this node has stopped signing; stop one of them, then clear the id",
    );
  }

  #fields(finding: Finding): object {
    const { kind, view, digest } = finding;
    const round = view.round === LAST_ROUND ? {} : { round: view.round };
    const hash = keyBytes(digest);
    return { id: idOf(finding, this.#deps.address), kind, number: view.sequence, ...round, hash };
  }
}

/** Returns the id by which an operator clears a finding. */
function idOf(finding: Finding, address: Address): string {
  const bytes = encodeFinding({ ...finding, isCleared: false }, address);
  return bareHex(keccak256(bytes)).slice(0, ID_DIGITS);
}

function encodeFinding({ kind, view, digest, isCleared }: Finding, address: Address): Uint8Array {
  const numbers = [view.sequence, view.round, payloadCode(kind), Number(isCleared)].map(integerBytes);
  return encodeRlp([address, keyBytes(digest), ...numbers]);
}

/** Returns what was found about this address; a finding about an earlier key of the node does not matter. */
function readFinding(store: Store, address: Address): Finding | undefined {
  const row = store.get(FINDING_KEY);
  if (row === undefined) return undefined;
  const cursor = new RlpCursor(row);
  const end = cursor.enter();
  const whose = cursor.fixedBytes(ADDRESS_BYTES);
  const digest = mapKey(cursor.fixedBytes(32));
  const view = { sequence: cursor.number(), round: cursor.number() };
  const kind = PAYLOAD_KINDS[cursor.number()] ?? "commit";
  const isCleared = cursor.number() === 1;
  cursor.leave(end);
  return equalBytes(whose, address) ? { kind, view, digest, isCleared } : undefined;
}

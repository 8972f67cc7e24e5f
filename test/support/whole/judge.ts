/**
 * Judges what never may happen to simulated nodes, whatever their world does: a fork, a validator that contradicts itself, a
 * published block that is lost, a state that differs from its tries.
 */
import { bareHex, mapKey } from "../../../node/bytes/hex.ts";
import { ChainError } from "../../../node/chain/error.ts";
import { parseMessage } from "../../../node/consensus/bft/signed-message.ts";
import type { ProtocolMessage } from "../../../node/p2p/protocol.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { StateError } from "../../../node/state/error.ts";
import { StoreError } from "../../../node/store/error.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** Thrown when something happened that never may. */
export class WholeFailure extends Error {
  override readonly name = "WholeFailure";
  readonly code = "whole";
}

/** A node under judgement. */
export interface Judged {
  readonly name: string;
  readonly address: Uint8Array;
  /** Newest block that it has published from its disk. */
  published: number;
}

/** Judges the nodes of one run. */
export class Judge {
  readonly #canonical = new Map<number, string>();
  readonly #signed = new Map<string, string>();
  readonly #seen = new WeakSet<Uint8Array>();
  readonly #fail: (message: string) => void;

  /** `fail` is called with each thing that never may happen. */
  constructor(fail: (message: string) => void) {
    this.#fail = fail;
  }

  /** Number of blocks that some node has published. */
  get blocks(): number {
    return this.#canonical.size;
  }

  /** A node has opened its disk: it must have every block that it has published. */
  checkOpened(node: Judged, number: number, hash: Uint8Array): void {
    if (number < node.published)
      this.#fail(`${node.name} had published ${node.published} and opens at ${number}`);
    if (number > 0) this.#checkCanonical(node, number, hash);
  }

  /** A node has published a block: nobody may have another one. */
  checkPublished(node: Judged, number: number, hash: Uint8Array): void {
    node.published = Math.max(node.published, number);
    this.#checkCanonical(node, number, hash);
  }

  #checkCanonical({ name }: Judged, number: number, hash: Uint8Array): void {
    const own = mapKey(hash);
    const known = this.#canonical.get(number) ?? own;
    this.#canonical.set(number, known);
    if (known !== own) this.#fail(`fork at ${number}: ${name} has another block`);
  }

  /** A node sends a message: no validator signs two contents of a kind in one view, whatever happened in between. */
  checkSent({ name, address }: Judged, { code, payload }: ProtocolMessage): void {
    if (code !== messages.consensus.code || this.#seen.has(payload)) return;
    this.#seen.add(payload);
    const { sender, payload: content } = parseMessage(messages.consensus.decode(payload).message);
    if (sender !== mapKey(address)) return;
    const digest = content.kind === "preprepare" ? content.proposal.hash : content.digest;
    const what = `${name} ${content.kind} ${content.view.sequence}/${content.view.round}`;
    const before = this.#signed.get(what) ?? digest;
    this.#signed.set(what, digest);
    if (before !== digest) this.#fail(`${what} signed twice`);
  }

  /**
   * A node has lost its disk, and with it what it signed in the height under way: it listens for a bounded time alone,
   * and one validator in four may be bad.
   */
  forgetSigned({ name }: Judged): void {
    for (const view of this.#signed.keys()) if (view.startsWith(`${name} `)) this.#signed.delete(view);
  }

  /** A node at the end, with its consensus closed: its blocks are everybody's, and its tries are its state. */
  async checkEnd({ name }: Judged, { open, state }: SimulatedNode): Promise<void> {
    const { header } = open.chain.head();
    await state.verify();
    if (bareHex(state.root) !== bareHex(header.stateRoot)) this.#fail(`${name} has another root`);
    for (const [number, hash] of this.#canonical) {
      if (number > header.number) continue;
      const block = open.chain.header(number);
      if (block === undefined || mapKey(block.hash) !== hash) this.#fail(`${name} lacks block ${number}`);
    }
  }
}

/** Returns true for damage that the node cannot mend by itself: of rows that nothing else holds. */
export function isDamageOfChain(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === "corrupt";
  return (
    (error instanceof ChainError && error.code === "bad-block") ||
    (error instanceof StateError && error.code === "corrupt")
  );
}

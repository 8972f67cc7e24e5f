/**
 * What goes out: our own messages at once, and again to those who come later, for nobody else would say them; messages
 * of others when they have waited for a moment, or at once when so many are not connected to us that the same may be
 * true of others.
 */
import type { ConsensusPeers } from "../consensus-peers.ts";
import { Gossip, recipientsOf } from "./gossip.ts";
import type { ProposedBlock } from "./payload.ts";
import { Relay } from "./relay.ts";
import type { RoundState } from "./round-state.ts";
import type { BlockMessage } from "./signed-message.ts";
import { compareViews } from "./view.ts";

/** See the head of this file. */
export class Broadcaster {
  readonly #gossip: Gossip;
  readonly #state: () => RoundState<ProposedBlock> | undefined;
  readonly #relay = new Relay((messages) => this.#sendAll(messages));
  /** What we said in the newest view. */
  #said: readonly BlockMessage[] = [];

  /** `state` says who reads messages when they go out. */
  constructor(peers: ConsensusPeers, state: () => RoundState<ProposedBlock> | undefined) {
    this.#gossip = new Gossip(peers);
    this.#state = state;
  }

  /** Notes that a peer has a message; false when it came before, from whomever. */
  isNew(from: Uint8Array, bytes: Uint8Array): boolean {
    return this.#gossip.isNew(from, bytes);
  }

  /** Sends a message to those whom it concerns and who lack it. */
  send(message: BlockMessage, self: string): void {
    if (message.sender !== self) return this.#pass(message);
    const { view } = message.payload;
    this.#said = [...this.#said.filter((each) => compareViews(each.payload.view, view) === 0), message];
    this.#sendAll([message]);
  }

  /** Sends messages to those whom they concern, even if they had them once. */
  resend(messages: readonly BlockMessage[]): void {
    this.#sendAll(messages, true);
  }

  /** Who has just come gets what we said last. */
  greet(): void {
    this.#gossip.meet();
    this.#sendAll(this.#said);
  }

  /** Another height begins, or the end. */
  forget(): void {
    this.#relay.forget();
  }

  #pass(message: BlockMessage): void {
    const state = this.#state();
    if (state === undefined) return;
    const isApart = this.#gossip.missing(recipientsOf(state)) > state.validators.faulty;
    if (isApart) this.#sendAll([message]);
    else this.#relay.add(message);
  }

  #sendAll(messages: readonly BlockMessage[], again = false): void {
    const state = this.#state();
    if (state === undefined) return;
    const recipients = recipientsOf(state);
    for (const message of messages) this.#gossip.send(message, recipients, again);
  }
}

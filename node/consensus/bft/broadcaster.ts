/**
 * Sends consensus messages. Own messages go out at once, and again to validators that connect later. Messages
 * of others are relayed after a delay, or at once when more recipients are disconnected than may be faulty.
 */
import type { Address } from "../../bytes/brands.ts";
import type { ConsensusPeers } from "../consensus-peers.ts";
import { Gossip, recipientsOf } from "./gossip.ts";
import type { ProposedBlock } from "./payload.ts";
import type { RoundState } from "./round-state.ts";
import type { BlockMessage } from "./signed-message.ts";
import { compareViews } from "./view.ts";

/** Sends the messages of one engine over a `Gossip`. */
export class Broadcaster {
  readonly #gossip: Gossip;
  readonly #state: () => RoundState<ProposedBlock> | undefined;
  readonly #relay = new Relay((messages) => this.#sendAll(messages));
  /** Own messages of the newest view. */
  #ownMessages: readonly BlockMessage[] = [];

  /** Creates a broadcaster; `state` returns the current round state, which gives the recipients. */
  constructor(peers: ConsensusPeers, state: () => RoundState<ProposedBlock> | undefined) {
    this.#gossip = new Gossip(peers);
    this.#state = state;
  }

  /** Records that a peer has a message. Returns false when the message was received before, from any peer. */
  isNew(from: Address, bytes: Uint8Array): boolean {
    return this.#gossip.isNew(from, bytes);
  }

  /** Sends a message to the recipients that have not seen it. */
  send(message: BlockMessage, self: string): void {
    if (message.sender !== self) return this.#pass(message);
    const { view } = message.payload;
    this.#ownMessages = [
      ...this.#ownMessages.filter((each) => compareViews(each.payload.view, view) === 0),
      message,
    ];
    this.#sendAll([message]);
  }

  /** Sends messages to all recipients, also to those that have seen them. */
  resend(messages: readonly BlockMessage[]): void {
    this.#sendAll(messages, true);
  }

  /** Sends the own messages of the newest view to peers that connected since the last call. */
  greet(): void {
    this.#gossip.meet();
    this.#sendAll(this.#ownMessages);
  }

  /** Drops the messages that wait to be relayed. */
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

/**
 * Minimum delay of a relayed message in milliseconds; the maximum is twice that. A round lasts ten seconds.
 */
export const RELAY_MS = 1000;

/**
 * Delays messages of other validators. A sender is normally connected to all validators, so a block is agreed
 * on before a relay is needed. The Go node relays at once, so that each of its validators reads every message
 * once from every other.
 */
export class Relay {
  readonly #pass: (messages: readonly BlockMessage[]) => void;
  #due: readonly BlockMessage[] = [];
  #waiting: BlockMessage[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Creates a relay; `pass` receives the messages whose delay is over. */
  constructor(pass: (messages: readonly BlockMessage[]) => void) {
    this.#pass = pass;
  }

  add(message: BlockMessage): void {
    this.#waiting.push(message);
    this.#timer ??= setTimeout(() => this.#go(), RELAY_MS);
  }

  /** Drops all messages, at the start of a height and at the end. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = [];
    this.#waiting = [];
  }

  #go(): void {
    const due = this.#due;
    this.#due = this.#waiting;
    this.#waiting = [];
    this.#timer = this.#due.length > 0 ? setTimeout(() => this.#go(), RELAY_MS) : undefined;
    if (due.length > 0) this.#pass(due);
  }
}

/**
 * What goes out: our own letters at once, and again to those who come later, for nobody else would say them; letters
 * of others when they have waited for a moment, or at once when so many are not connected to us that the same may be
 * true of others.
 */
import type { ConsensusPeers } from "../consensus-peers.ts";
import { Gossip, readersOf } from "./gossip.ts";
import type { BlockLetter } from "./letters.ts";
import { Relay } from "./relay.ts";
import type { RoundState } from "./round-state.ts";
import type { ProposedBlock } from "./statements.ts";
import { compareViews } from "./view.ts";

/** See the head of this file. */
export class Post {
  readonly #gossip: Gossip;
  readonly #state: () => RoundState<ProposedBlock> | undefined;
  readonly #relay = new Relay((letters) => this.#sendAll(letters));
  /** What we said in the newest view. */
  #said: readonly BlockLetter[] = [];

  /** `state` says who reads letters when they go out. */
  constructor(peers: ConsensusPeers, state: () => RoundState<ProposedBlock> | undefined) {
    this.#gossip = new Gossip(peers);
    this.#state = state;
  }

  /** Notes that a peer has a letter; false when it came before, from whomever. */
  isNew(from: Uint8Array, payload: Uint8Array): boolean {
    return this.#gossip.isNew(from, payload);
  }

  /** Sends a letter to those whom it concerns and who lack it. */
  send(letter: BlockLetter, self: string): void {
    if (letter.sender !== self) return this.#pass(letter);
    const { view } = letter.statement;
    this.#said = [...this.#said.filter((each) => compareViews(each.statement.view, view) === 0), letter];
    this.#sendAll([letter]);
  }

  /** Sends letters to those whom they concern, even if they had them once. */
  remind(letters: readonly BlockLetter[]): void {
    this.#sendAll(letters, true);
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

  #pass(letter: BlockLetter): void {
    const state = this.#state();
    if (state === undefined) return;
    const isApart = this.#gossip.missing(readersOf(state)) > state.electorate.faulty;
    if (isApart) this.#sendAll([letter]);
    else this.#relay.add(letter);
  }

  #sendAll(letters: readonly BlockLetter[], again = false): void {
    const state = this.#state();
    if (state === undefined) return;
    const readers = readersOf(state);
    for (const letter of letters) this.#gossip.send(letter, readers, again);
  }
}

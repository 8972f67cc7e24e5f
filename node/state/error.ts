/**
 * - `state-missing`: no state of that block is kept, or it is not made yet;
 * - `not-ready`: the trie is still catching up, see `State.ready`;
 * - `busy`: a call came out of order: a block is sealed already, or the trie is being written;
 * - `trie-damaged`: a trie node is missing or fails its hash; the state repairs itself, see `State.ready`;
 * - `corrupt`: flat state and recorded root contradict each other: the chain must be imported again.
 */
export type StateErrorCode = "state-missing" | "not-ready" | "busy" | "trie-damaged" | "corrupt";

/** Thrown by this room; `code` is stable, the message names the block, the account or the path. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly code: StateErrorCode;
  constructor(code: StateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** There is no state of a block: kept are those of `oldest` to `newest`. */
export function noState(number: number, oldest: number, newest: number): StateError {
  const kept = `kept are those of blocks ${oldest} to ${newest}`;
  return new StateError("state-missing", `no state of block ${number}: ${kept}`);
}

/** Why a node could not be asked, or what it answered instead. */
import { type Hop, hops } from "../api/hops.ts";

/** A call over the control channel that failed; `code` is the hop at which it did. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: Hop;

  constructor(code: Hop, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** What a condition says. */
  get reason(): (typeof hops)[Hop]["reason"] {
    return hops[this.code].reason;
  }
}

/** Errors of the control channel. */
import { type Hop, hops } from "../api/hops.ts";

/** A failed call; `code` is the hop at which it failed. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: Hop;

  constructor(code: Hop, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Reason of the hop in conditions. */
  get reason(): (typeof hops)[Hop]["reason"] {
    return hops[this.code].reason;
  }
}

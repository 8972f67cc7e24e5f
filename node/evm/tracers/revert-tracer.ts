/** The revert message of a transaction, in the form of the Go node's `revertTracer`. */

import { revertText } from "../revert-reason.ts";
import type { Tracer } from "../tracer.ts";

/** A tracer with its result. */
export interface RevertTracer {
  readonly tracer: Tracer;
  /** Returns the message of the outermost frame; empty when there is none. */
  readonly result: () => string;
}

/** Creates a tracer for one transaction. */
export function createRevertTracer(): RevertTracer {
  let message = "";
  return {
    tracer: {
      exit: ({ depth, output, failure }) => {
        if (depth === 0 && failure?.code === "reverted") message = revertText(output) ?? "";
      },
    },
    result: () => message,
  };
}

/** Why a transaction was reverted: the Go node's `revertTracer`. */

import { revertText } from "../revert-reason.ts";
import type { Tracer } from "../tracer.ts";

/** A tracer and what it has seen. */
export interface RevertTracer {
  readonly tracer: Tracer;
  /** The message of the outermost frame; empty when there is none. */
  readonly result: () => string;
}

/** A fresh tracer for one transaction. */
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

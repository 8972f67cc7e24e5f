/** Tests beside a Go node, which are skipped where none is named. */
import { test } from "@jest/globals";
import { GO_BINARY } from "./go-node.ts";

/** Returns the function that defines a test beside it, and the words for its title where it is skipped. */
export function goTests(): readonly [test: typeof test | typeof test.skip, reason: string] {
  return GO_BINARY === "" ? [test.skip, " (skipped: KNIT_PEER_KCN names no Go node)"] : [test, ""];
}

import type { Chain } from "../../node/chain/chain.ts";
import type { NodeParts } from "../../node/rpc/methods/all.ts";
import { estimateHere } from "../../node/rpc/methods/calls.ts";
import { chainReading } from "../../node/rpc/views/chain-reading.ts";
import { chainLogSource } from "../../node/rpc/views/log-source.ts";

/** What methods that scan or run contracts read where there are no reader threads. */
export function readingParts(
  chain: Chain,
  maxLogs: number,
): Pick<NodeParts, "logs" | "calls" | "estimateGas"> {
  const calls = {
    open: () => chainReading(chain),
    limits: { upperGas: 500_000_000n, gasCap: 0n },
    timeoutMs: 5_000,
  };
  return {
    logs: { open: () => chainLogSource(chain), maxLogs },
    calls,
    estimateGas: async (args) => estimateHere(calls, args),
  };
}

/** Options of contract calls and log searches, for the node and for its reader threads. */
import type { SearchLimits } from "../calls/log-search.ts";
import { rpcProfiles } from "../compat/profiles.ts";
import type { CallMethodDeps } from "../rpc/calls.ts";
import type { JsonRpcOptions } from "./options.ts";

/** Returns the limits of calls: those of the options, and those of the profile. */
export function callOptions({
  profile,
  gasCap,
  evmTimeoutMs: timeoutMs,
  takesLowPrices,
}: JsonRpcOptions): Omit<CallMethodDeps, "open"> {
  const { options, readsPanics, accessListsNeedBaseFee, ignoresWholeStorage, maxGas } = rpcProfiles[profile];
  const { gasLimit: upperGas } = options.blockMembers;
  const limits = {
    upperGas,
    maxEstimate: maxGas,
    gasCap: BigInt(gasCap),
    readsPanics,
    accessListsNeedBaseFee,
    ignoresWholeStorage,
    takesLowPrices,
  };
  return { limits, timeoutMs };
}

/** Returns the limits of log searches. */
export function logLimits({ profile, maxLogs, maxRange }: JsonRpcOptions): SearchLimits {
  return { maxLogs, maxRange, goErrors: rpcProfiles[profile].goLogErrors };
}

/** Options of contract calls, for the node and for its reader threads. */
import { rpcProfiles } from "../compat/profiles.ts";
import type { CallMethodDeps } from "../rpc/calls.ts";
import type { JsonRpcOptions } from "./options.ts";

/** Returns the limits of calls: those of the options, and those of the profile. */
export function callOptions({
  profile,
  gasCap,
  evmTimeoutMs: timeoutMs,
}: JsonRpcOptions): Omit<CallMethodDeps, "open"> {
  const { options, readsPanics, accessListsNeedBaseFee } = rpcProfiles[profile];
  const { gasLimit: upperGas } = options.blockMembers;
  const limits = { upperGas, gasCap: BigInt(gasCap), readsPanics, accessListsNeedBaseFee };
  return { limits, timeoutMs };
}

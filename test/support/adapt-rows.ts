/** Methods as a profile serves them, for tests that have no registry. */
import { type ProfileName, rpcProfiles } from "../../node/compat/profiles.ts";
import type { Method } from "../../node/jsonrpc/method.ts";

/** Adapts methods as the registry does. */
export function adaptRows(profile: ProfileName, rows: readonly Method[]): readonly Method[] {
  return rows.map(rpcProfiles[profile].options.interfaces.adaptMethod);
}

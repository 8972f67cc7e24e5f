/** The differences of a profile that the registry and every interface apply. */
import type { InterfaceProfile } from "../jsonrpc/modules.ts";
import { withoutNewTags } from "./older-tags.ts";
import type { RpcProfile } from "./profiles.ts";

/** Derives them from the profile's row. */
export function interfaceProfile(profile: RpcProfile): InterfaceProfile {
  const { name, chainModule, subscriptionLimit, lacks, line } = profile;
  return {
    name,
    chainModule,
    subscriptionLimit,
    lacksMethod: (method) => line.lacks.has(method) || lacks.has(method),
    adaptMethod: line.knowsSafeTags ? (row) => row : withoutNewTags,
  };
}

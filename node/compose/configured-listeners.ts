/** The listeners that the node's own options ask for. */

import type { RpcProfile } from "../compat/profiles.ts";
import type { ListenerKind, ListenerPlan } from "../transport/listeners.ts";
import type { NodeOptions } from "./options.ts";

/** A plan for each kind that is asked for. */
export type ConfiguredPlans = Readonly<Record<ListenerKind, ListenerPlan | undefined>>;

/** One that names no modules has those of the profile. */
export function configuredPlans(
  { http, ws }: Pick<NodeOptions, "http" | "ws">,
  { defaultModules }: RpcProfile,
): ConfiguredPlans {
  return {
    http: http && { ...http, modules: http.modules ?? defaultModules, origins: http.corsOrigins },
    ws: ws && { ...ws, modules: ws.modules ?? defaultModules, virtualHosts: [] },
  };
}

/** Dependencies of the methods about listeners, where a test has no listeners. */

import { createSubscriptionLimit } from "../../node/jsonrpc/subscriptions.ts";
import { silentLog } from "../../node/observe/log.ts";
import type { AdminListenersDeps } from "../../node/rpc/admin-listeners.ts";

/** No listener runs, and none can be started. */
export const idleListeners: AdminListenersDeps = {
  listeners: {
    address: () => undefined,
    start: () => Promise.reject(new Error("no listeners here")),
    stop: () => false,
  },
  listenerDefaults: { http: { modules: [] }, ws: { modules: [] } },
  subscriptionLimit: createSubscriptionLimit(),
  log: silentLog,
};

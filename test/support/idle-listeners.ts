/** What the methods about listeners stand on, where a test has no listeners. */
import { silentLog } from "../../node/observe/log.ts";
import type { AdminListenersParts } from "../../node/rpc/methods/admin-listeners.ts";
import { createSubscriptionLimit } from "../../node/rpc/subscriptions.ts";

/** No listener runs, and none can be started. */
export const idleListeners: Omit<AdminListenersParts, "profile"> = {
  listeners: {
    address: () => undefined,
    start: () => Promise.reject(new Error("no listeners here")),
    stop: () => false,
  },
  configured: { http: {}, ws: {} },
  subscriptionLimit: createSubscriptionLimit(),
  log: silentLog,
};

import type { Log } from "../observe/log.ts";
import type { Store } from "../store/store.ts";
import type { History } from "./history.ts";

/** What the state needs of the options. */
export interface StateSettings {
  readonly chain: Store;
  readonly log: Log;
  readonly history: History;
  readonly flushInterval: number;
  readonly flushBytes: number;
  readonly cachedAccounts: number;
  readonly preimages: boolean;
}

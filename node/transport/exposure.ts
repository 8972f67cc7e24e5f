/** Tells operators what strangers can reach: privileged modules and unlocked keys on listeners beyond loopback. */
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Exposed } from "./listeners.ts";

/** Modules that control the node or its keys. */
const CONTROL: ReadonlySet<string> = new Set(["admin", "personal"]);
/** Modules whose methods sign with unlocked keys. */
const SIGNING: ReadonlySet<string> = new Set(["chain", "klay", "kaia", "eth", "personal"]);

/** What is watched. */
export interface ExposureParts {
  readonly exposed: () => readonly Exposed[];
  /** How many accounts can sign now without a passphrase. */
  readonly unlocked: () => number;
  /** Methods that use keys answer over IPC alone. */
  readonly keysOverIpcOnly: boolean;
}

/** Warns of one listener that has been opened. */
export function warnOfExposure({ url, modules }: Exposed, parts: ExposureParts, log: Log): void {
  const control = modules.filter((name) => CONTROL.has(name));
  if (control.length > 0) log.warn({ url, modules: control.join(",") }, "others can control this node");
  const accounts = parts.unlocked();
  if (accounts > 0 && canSign(modules, parts))
    log.warn({ url, accounts }, "others can use unlocked accounts");
}

/** Declares the metrics: read when they are scraped. */
export function declareExposureMetrics(metrics: Metrics, parts: ExposureParts): void {
  metrics.gauge({
    name: "knit_rpc_exposed_control_listeners",
    help: "Listeners beyond loopback that serve admin or personal.",
    read: () => parts.exposed().filter(({ modules }) => modules.some((name) => CONTROL.has(name))).length,
  });
  metrics.gauge({
    name: "knit_rpc_exposed_unlocked_accounts",
    help: "Unlocked accounts that a listener beyond loopback can use.",
    read: () => (parts.exposed().some(({ modules }) => canSign(modules, parts)) ? parts.unlocked() : 0),
  });
}

function canSign(modules: readonly string[], { keysOverIpcOnly }: ExposureParts): boolean {
  return !keysOverIpcOnly && modules.some((name) => SIGNING.has(name));
}

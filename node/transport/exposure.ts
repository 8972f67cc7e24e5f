/**
 * Warnings about listeners beyond loopback: privileged modules and unlocked keys that the public can reach.
 */
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Exposed } from "./listeners.ts";

/** Modules that control the node or its keys. */
const CONTROL: ReadonlySet<string> = new Set(["admin", "personal"]);
/** Modules whose methods sign with unlocked keys. */
const SIGNING: ReadonlySet<string> = new Set(["chain", "klay", "kaia", "eth", "personal"]);

/** State that the warnings depend on. */
export interface ExposureDeps {
  readonly listExposed: () => readonly Exposed[];
  /** Returns the number of accounts that can sign without a passphrase. */
  readonly countUnlocked: () => number;
  /** Methods that use keys answer over IPC alone. */
  readonly keysOverIpcOnly: boolean;
}

/** Logs a warning for one open listener. */
export function warnOfExposure({ url, modules }: Exposed, parts: ExposureDeps, log: Log): void {
  const control = modules.filter((name) => CONTROL.has(name));
  if (control.length > 0) log.warn({ url, modules: control.join(",") }, "other hosts can control this node");
  const accounts = parts.countUnlocked();
  if (accounts > 0 && canSign(modules, parts))
    log.warn({ url, accounts }, "other hosts can use unlocked accounts");
}

/** Declares the metrics. Values are read when they are scraped. */
export function declareExposureMetrics(metrics: Metrics, parts: ExposureDeps): void {
  metrics.gauge({
    name: "knit_rpc_exposed_control_listeners",
    help: "Listeners beyond loopback that serve admin or personal.",
    read: () => parts.listExposed().filter(({ modules }) => modules.some((name) => CONTROL.has(name))).length,
  });
  metrics.gauge({
    name: "knit_rpc_exposed_unlocked_accounts",
    help: "Unlocked accounts that a listener beyond loopback can use.",
    read: () =>
      parts.listExposed().some(({ modules }) => canSign(modules, parts)) ? parts.countUnlocked() : 0,
  });
}

function canSign(modules: readonly string[], { keysOverIpcOnly }: ExposureDeps): boolean {
  return !keysOverIpcOnly && modules.some((name) => SIGNING.has(name));
}

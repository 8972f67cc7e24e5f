import { ConfigError } from "./error.ts";
import { type ForkSchedule, forks } from "./forks.ts";

/** Throws `ConfigError` `unsupported-fork` when the chain schedules a fork that this release cannot run. */
export function checkSupported(config: ForkSchedule): void {
  for (const { configKey, unsupported } of forks) {
    const start = config.forks.get(configKey);
    if (start === undefined || unsupported === undefined) continue;
    throw new ConfigError(
      "unsupported-fork",
      `this release cannot run a chain with ${configKey} (here at block ${start}): ${unsupported}`,
    );
  }
}

/** Rate-limited warnings. The next line reports the number of omitted ones. */
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";

const MINUTE_MS = 60_000;

/** Creates a rate-limited function for warnings. */
export function createLimitedLog(log: Log, clock: Clock, lines: number): Log["warn"] {
  let since = Number.NEGATIVE_INFINITY;
  let said = 0;
  let unsaid = 0;
  return (fields, message) => {
    if (clock.now() - since >= MINUTE_MS) {
      since = clock.now();
      said = 0;
    }
    if (said >= lines) {
      unsaid++;
      return;
    }
    said++;
    log.warn(unsaid > 0 ? { ...fields, unsaid } : fields, message);
    unsaid = 0;
  };
}

/** Writes long results in slices of a few milliseconds, so that none of them delays a block. */
import { Slice } from "../runtime/scheduler.ts";

/** Maximum number of parts that are written without a pause. */
const MAX_AT_ONCE = 64;

/**
 * Writes `count` parts in order and composes them. With many parts it yields to the event loop every few
 * milliseconds; the values that `write` reads must not change meanwhile.
 */
export function writeInSlices<T>(
  count: number,
  write: (index: number) => string,
  compose: (parts: readonly string[]) => T,
): T | Promise<T> {
  if (count > MAX_AT_ONCE) return writeSlowly(count, write).then(compose);
  const parts: string[] = [];
  for (let index = 0; index < count; index++) parts.push(write(index));
  return compose(parts);
}

async function writeSlowly(count: number, write: (index: number) => string): Promise<string[]> {
  const parts: string[] = [];
  const slice = new Slice("answer");
  for (let index = 0; index < count; index++) {
    parts.push(write(index));
    const due = slice.yieldIfDue();
    if (due !== undefined) await due; // awaiting each part would cost a turn of the microtask queue
  }
  return parts;
}

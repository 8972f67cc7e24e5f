/** Long answers are written in slices, so that none of them delays a block. */
import { Slice } from "../runtime/scheduler.ts";

/** Below this many parts an answer is written at once. */
const AT_ONCE = 64;

/**
 * Writes `count` parts in order and puts them together. Many parts are written a few milliseconds at a time, with
 * the rest of the node in between; what `write` reads must not change meanwhile.
 */
export function inSlices<T>(
  count: number,
  write: (index: number) => string,
  compose: (parts: readonly string[]) => T,
): T | Promise<T> {
  if (count > AT_ONCE) return slowly(count, write).then(compose);
  const parts: string[] = [];
  for (let index = 0; index < count; index++) parts.push(write(index));
  return compose(parts);
}

async function slowly(count: number, write: (index: number) => string): Promise<string[]> {
  const parts: string[] = [];
  const slice = new Slice("answer");
  for (let index = 0; index < count; index++) {
    parts.push(write(index));
    await slice.yieldIfDue();
  }
  return parts;
}

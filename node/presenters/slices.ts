/** Long answers are written in slices, so that none of them holds up the chain. */

/** Below this many parts an answer is written at once. */
const AT_ONCE = 64;
const SLICE_MS = 4;

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
  let sliceEnd = performance.now() + SLICE_MS;
  for (let index = 0; index < count; index++) {
    parts.push(write(index));
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    sliceEnd = performance.now() + SLICE_MS;
  }
  return parts;
}

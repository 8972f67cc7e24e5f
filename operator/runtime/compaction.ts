/**
 * Returns memory after bursts of work. Creating or reading a thousand Nodes leaves a heap that is a third
 * empty, which the engine would keep.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const LOOK_MS = 1_000;
/** Maximum work between two checks that counts as idle. */
const LITTLE = 10;
/** Work beyond which a compaction is due. */
const MUCH = 200;
/** Idle checks in a row before a compaction. */
const CALM_LOOKS = 10;

/** Checks the amount of work every second, see `createTidier`. Disposing the result ends the checks. */
export function openCompaction(done: () => number): Disposable {
  const timer = setInterval(createTidier(done, compact), LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Creates the check: after much work it compacts the heap once, after ten idle checks. */
export function createTidier(done: () => number, tidy: () => void): () => void {
  let before = done();
  let much = 0;
  let calm = 0;
  return () => {
    const now = done();
    const since = now - before;
    before = now;
    if (since > LITTLE) much += since;
    calm = since > LITTLE ? 0 : calm + 1;
    if (much < MUCH || calm < CALM_LOOKS) return;
    much = 0;
    tidy();
  };
}

/** Collects garbage and compacts the heap. Takes about 100 ms with a thousand Nodes. */
function compact(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: { readonly flavor: string }) => void; // what the flag brings
  collect({ flavor: "last-resort" });
}

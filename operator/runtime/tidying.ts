/**
 * Gives memory back behind much work: a thousand Nodes that are made, or read at a start, leave a heap that is a third
 * empty, which the engine keeps for the next time.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const LOOK_MS = 1_000;
/** So much work between two looks is no more than what there always is. */
const LITTLE = 10;
/** So much beyond that leaves something to tidy. */
const MUCH = 200;
/** Looks in a row with little work, before the rest counts as done. */
const CALM_LOOKS = 10;

/** Looks every second how much has been done, see `createTidier`. Disposing it ends the looking. */
export function openTidying(done: () => number): Disposable {
  const timer = setInterval(createTidier(done, compact), LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Gives what is called at each look: after much work it tidies once, when there was little for ten looks. */
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

/** Frees all that nothing holds, and the gaps between the rest. Takes some 100 ms with a thousand Nodes. */
function compact(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: { readonly flavor: string }) => void; // what the flag brings
  collect({ flavor: "last-resort" });
}

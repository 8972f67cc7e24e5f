/**
 * A gate around the native calls of a thread that may be terminated. A binding that is entered or left while its thread
 * is terminated cannot report the failure of its own calls to the engine: `node-addon-api` then aborts the process. So
 * the owner of the thread closes the gate first. Both sides write their own word before they read the other's.
 */
import { setImmediate } from "node:timers/promises";

const INSIDE = 0;
const CLOSED = 1;

/** Two words that a thread shares with its owner. */
export type CallGate = Int32Array<SharedArrayBuffer>;

/** Creates an open gate. */
export function createCallGate(): CallGate {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

let own: CallGate | undefined;

/** Makes all later native calls of this thread go through a gate. */
export function useCallGate(gate: CallGate): void {
  own = gate;
}

/** Makes a native call. Behind a closed gate the thread waits for its termination. */
export function callNative<T>(call: () => T): T {
  const gate = own;
  if (gate === undefined) return call();
  Atomics.store(gate, INSIDE, 1);
  if (Atomics.load(gate, CLOSED) === 1) {
    Atomics.store(gate, INSIDE, 0);
    Atomics.wait(gate, CLOSED, 1);
  }
  try {
    return call();
  } finally {
    Atomics.store(gate, INSIDE, 0);
  }
}

/** Closes the gate of a thread. Resolves when the thread is in no native call, or has ended. */
export async function closeCallGate(gate: CallGate, hasEnded: () => boolean): Promise<void> {
  Atomics.store(gate, CLOSED, 1);
  while (Atomics.load(gate, INSIDE) === 1 && !hasEnded()) await setImmediate();
}

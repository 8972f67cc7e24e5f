/**
 * Incremental Keccak-256: the hash of all bytes so far can be read at any time, as the MACs of RLPx frames
 * need it. Each instance keeps its own copy of the sponge.
 */
import type { Hash } from "../bytes/brands.ts";
import { absorbInput, finishHash, keccakInput, keccakOutput, keccakState, startHash } from "./keccak.ts";

/** An incremental hash. */
export interface RunningKeccak {
  update(data: Uint8Array): void;
  /** Returns the hash of all bytes so far, 32 new bytes; more may follow. */
  digest(): Hash<ArrayBuffer>;
}

const RATE = 136;
const CHUNK = keccakInput.length - (keccakInput.length % RATE);

/** Creates an incremental hash of no bytes. */
export function createRunningKeccak(): RunningKeccak {
  startHash();
  const state = new Uint8Array(keccakState);
  const tail = new Uint8Array(RATE);
  let held = 0; // bytes in `tail`, fewer than a block
  return {
    update(data) {
      if (held + data.length < RATE) {
        tail.set(data, held);
        held += data.length;
        return;
      }
      keccakState.set(state);
      for (let at = 0; at < data.length; ) {
        const taken = Math.min(data.length - at, CHUNK - held);
        keccakInput.set(tail.subarray(0, held));
        keccakInput.set(data.subarray(at, at + taken), held);
        at += taken;
        const whole = held + taken - ((held + taken) % RATE);
        absorbInput(whole);
        tail.set(keccakInput.subarray(whole, held + taken));
        held = held + taken - whole;
      }
      state.set(keccakState);
    },
    digest() {
      keccakState.set(state);
      keccakInput.set(tail.subarray(0, held));
      finishHash(held);
      return new Uint8Array(keccakOutput);
    },
  };
}

/** Mutations of inputs: bytes, numbers of known edges, pieces of other inputs, and the structure of RLP. */
import { concatBytes } from "../../../node/bytes/compare.ts";
import { mutateRlp, type Pick } from "./mutate-rlp.ts";

type RandomFraction = () => number;

/** Maximum bytes of an input. */
const MAX_INPUT = 64 * 1024;
const EDGES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xff];

type Mutation = (input: Uint8Array, other: Uint8Array, pick: Pick) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  (input, _other, pick) => put(input, pick(input.length), [pick(256)]),
  (input, _other, pick) => put(input, pick(input.length), [EDGES[pick(EDGES.length)] ?? 0]),
  (input, _other, pick) => {
    const at = pick(input.length);
    return put(input, at, [(input[at] ?? 0) ^ (1 << pick(8))]);
  },
  (input, _other, pick) => {
    const at = pick(input.length);
    return put(input, at, [(input[at] ?? 0) + (pick(2) === 0 ? 1 : 255)]);
  },
  (input, _other, pick) => input.slice(0, pick(input.length)),
  (input, _other, pick) => cut(input, pick(input.length), pick(32)),
  (input, _other, pick) => insert(input, pick(input.length + 1), randomBytes(pick, 1 + pick(32))),
  (input, _other, pick) => {
    const from = pick(input.length);
    return insert(input, pick(input.length + 1), input.subarray(from, from + 1 + pick(64)));
  },
  (input, other, pick) => {
    const from = pick(other.length);
    return insert(input, pick(input.length + 1), other.subarray(from, from + 1 + pick(128)));
  },
  (input, other, pick) =>
    concatBytes(input.subarray(0, pick(input.length)), other.subarray(pick(other.length))),
  (input, _other, pick) => put(input, pick(input.length), new Uint8Array(1 + pick(9)).fill(pick(2) * 255)),
  (input, _other, pick) => mutateRlp(input, pick) ?? input,
];

/** Returns a changed copy of `input`: one to four mutations, with pieces of `other`. */
export function mutate(input: Uint8Array, other: Uint8Array, random: RandomFraction): Uint8Array {
  const pick: Pick = (count) => Math.floor(random() * Math.max(1, count));
  let out = input;
  for (let times = 1 + pick(4); times > 0; times--) {
    out = MUTATIONS[pick(MUTATIONS.length)]?.(out, other, pick) ?? out;
  }
  return out.slice(0, MAX_INPUT);
}

function put(input: Uint8Array, at: number, bytes: ArrayLike<number>): Uint8Array {
  const out = input.slice();
  out.set(Array.from(bytes).slice(0, Math.max(0, out.length - at)), Math.min(at, out.length));
  return out;
}

function cut(input: Uint8Array, at: number, length: number): Uint8Array {
  return concatBytes(input.subarray(0, at), input.subarray(at + length));
}

function insert(input: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  return concatBytes(input.subarray(0, at), bytes, input.subarray(at));
}

function randomBytes(pick: Pick, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => pick(256));
}

/**
 * The cases of the oracle of transaction bytes by seed and number: signed transactions of all types, most of them
 * mutated: bytes and bits, the items of their lists, V, R and S, type bytes, lengths that RLP forbids. The same seed and
 * number are the same case in every run.
 */
import { concatBytes } from "../../../node/bytes/compare.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, integerBytes } from "../../../node/bytes/integer.ts";
import {
  decodeRlp,
  decodeRlpTree,
  encodeRlp,
  encodeRlpList,
  type RlpInput,
} from "../../../node/bytes/rlp.ts";
import { TRANSACTION_FORKS } from "../transaction-differences.ts";
import type { BytesCase } from "./bytes-case.ts";
import { Draw } from "./draw.ts";
import { CODES, signedTransaction } from "./transaction-cases.ts";

const GOLDEN = 0x9e3779b1;
/** Chain ids below 10 leave no second V to a fee payer; the V of later ones have one, two and more bytes. */
const CHAIN_IDS = [1, 9, 10, 14, 46, 47, 100, 110, 1001, 8217, 9001, 2 ** 31, 2 ** 40];
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Kinds of mutations in the order of their numbers. */
export const MUTATIONS = [
  "none",
  "bytes",
  "item",
  "signature",
  "item",
  "signature",
  "code",
  "length",
] as const;

/** Returns the mutation of case `number` of any seed. */
export function mutationOf(number: number): (typeof MUTATIONS)[number] {
  return MUTATIONS[number % MUTATIONS.length] ?? "none";
}

/** Returns the code of the type that case `number` of any seed begins with. */
export function codeOf(number: number): number {
  return CODES[Math.floor(number / MUTATIONS.length) % CODES.length] ?? 0;
}

/** Returns case `number` of a seed. */
export function bytesCase(seed: number, number: number): BytesCase {
  const draw = new Draw((seed + Math.imul(number + 1, GOLDEN)) >>> 0);
  const chainId = draw.pick(CHAIN_IDS);
  const code = codeOf(number);
  const nonce = draw.pick([0n, 1n, 127n, 128n, (1n << 64n) - 1n]);
  const fork = draw.pick(TRANSACTION_FORKS);
  const { raw } = signedTransaction(draw, { fork, code, from: 1, nonce, chainId: BigInt(chainId) });
  const [prefix, tree] = partsOf(raw, code);
  const bytes = mutate(draw, mutationOf(number), {
    code,
    prefix,
    tree: withSidecar(draw, code, tree),
    chainId,
  });
  return { bytes: toHex(bytes), chainId };
}

interface Parts {
  readonly code: number;
  readonly prefix: Uint8Array;
  readonly tree: RlpInput;
  readonly chainId: number;
}

function partsOf(raw: Uint8Array, code: number): readonly [prefix: Uint8Array, tree: RlpInput] {
  const length = code === 0 ? 0 : code < 0x7800 ? 1 : 2;
  return [raw.subarray(0, length), decodeRlpTree(decodeRlp(raw.subarray(length)))];
}

/** Some blob transactions have a sidecar of an old or a new form, of no blobs. */
function withSidecar(draw: Draw, code: number, tree: RlpInput): RlpInput {
  if (code !== 0x7803 || draw.chance(0.6)) return tree;
  const version = draw.pick([
    [],
    [],
    [Uint8Array.of(1)],
    [Uint8Array.of(1)],
    [new Uint8Array(0)],
    [Uint8Array.of(2)],
  ]);
  const lists = Array.from({ length: draw.pick([3, 3, 3, 2, 4]) }, (_, index) =>
    index > 0 && draw.chance(0.3) ? [new Uint8Array(draw.pick([48, 48, 47]))] : [],
  );
  return [tree, ...version, ...lists];
}

function mutate(
  draw: Draw,
  kind: (typeof MUTATIONS)[number],
  { code, prefix, tree, chainId }: Parts,
): Uint8Array {
  const whole = (changed: RlpInput): Uint8Array => concatBytes(prefix, encodeRlp(changed));
  if (kind === "none") return whole(tree);
  if (kind === "bytes") return mutateBytes(draw, whole(tree));
  if (kind === "item") return whole(changeItem(draw, tree, (item) => otherItem(draw, item)));
  if (kind === "signature") return whole(changeSignature(draw, tree, chainId));
  if (kind === "code") return concatBytes(otherPrefix(draw, code), encodeRlp(tree));
  return concatBytes(prefix, encodeLoosely(draw, tree));
}

/** Changes some bytes, and now and then cuts, repeats or fills. */
function mutateBytes(draw: Draw, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (let left = draw.below(3); left >= 0; left--) {
    const place = draw.below(draw.chance(0.5) ? copy.length : Math.min(8, copy.length));
    copy[place] = draw.chance(0.5) ? (copy[place] ?? 0) ^ (1 << draw.below(8)) : draw.below(256);
  }
  const at = draw.below(copy.length);
  const kind = draw.below(8);
  if (kind === 0) return copy.subarray(0, at);
  if (kind === 1) return concatBytes(copy.subarray(0, at), copy.subarray(Math.max(0, at - 5)));
  if (kind === 2) return concatBytes(copy, draw.bytes(1 + draw.below(3)));
  return copy;
}

/** Replaces one item, at any depth. */
function changeItem(draw: Draw, tree: RlpInput, change: (item: RlpInput) => readonly RlpInput[]): RlpInput {
  if (tree instanceof Uint8Array || tree.length === 0) return change(tree)[0] ?? tree;
  const at = draw.below(tree.length);
  const item = tree[at] ?? tree;
  const isDeep = !(item instanceof Uint8Array) && draw.chance(0.8);
  return tree.toSpliced(at, 1, ...(isDeep ? [changeItem(draw, item, change)] : change(item)));
}

/** Returns other items in the place of one. */
function otherItem(draw: Draw, item: RlpInput): readonly RlpInput[] {
  const kind = draw.below(14);
  if (kind === 0) return [];
  if (kind === 1) return [item, item];
  if (kind === 2) return [[item]];
  if (kind === 3) return [[]];
  if (kind === 4) return [new Uint8Array(0)];
  if (kind === 5) return [Uint8Array.of(draw.pick([0, 1, 2, 0x7f, 0x80, 0xff]))];
  if (!(item instanceof Uint8Array)) return kind < 9 ? item : [item.toReversed()];
  return [otherBytes(draw, item, kind)];
}

function otherBytes(draw: Draw, item: Uint8Array, kind: number): Uint8Array {
  if (kind === 6) return concatBytes(Uint8Array.of(0), item);
  if (kind === 7) return item.subarray(1);
  if (kind === 8) return item.subarray(0, -1);
  if (kind === 9) return concatBytes(item, draw.bytes(1));
  if (kind === 10) return integerBytes(draw.word());
  return draw.bytes(draw.pick([1, 4, 8, 9, 19, 20, 21, 31, 32, 33, 64, 65]));
}

/** Changes V, R or S of one signature: the last three items of a list without lists, at any depth. */
function changeSignature(draw: Draw, tree: RlpInput, chainId: number): RlpInput {
  if (tree instanceof Uint8Array) return tree;
  const lists = tree.flatMap((item, at) => (item instanceof Uint8Array || item.length === 0 ? [] : [at]));
  const deep = draw.chance(0.9) ? lists.at(draw.chance(0.7) ? -1 : 0) : undefined;
  const [inner] = tree.slice(deep);
  if (deep !== undefined && (tree.length - deep < 4 || tree.length < 4) && inner !== undefined)
    return tree.toSpliced(deep, 1, changeSignature(draw, inner, chainId));
  const part = 1 + draw.below(3);
  const at = tree.length - part;
  const item = tree[at];
  if (!(item instanceof Uint8Array)) return tree;
  return tree.toSpliced(at, 1, part === 3 ? otherV(draw, chainId) : otherScalar(draw, item));
}

function otherV(draw: Draw, chainId: number): Uint8Array {
  const twice = 2n * BigInt(chainId);
  const near = [8n, 8n + 27n, 8n + 28n, 8n - 27n, 8n - 28n, 8n + 29n, 8n - 29n].map(
    (distance) => twice + distance,
  );
  const small = [0n, 1n, 2n, 26n, 27n, 28n, 29n, 34n, 35n, 36n, 255n, 256n];
  const v = draw.pick([...near, ...near, ...small, draw.word(), 1n << 256n, (1n << 264n) - 1n]);
  return v < 0n ? integerBytes(-v) : integerBytes(v);
}

function otherScalar(draw: Draw, scalar: Uint8Array): Uint8Array {
  const half = ORDER >> 1n;
  const edges = [
    0n,
    1n,
    half - 1n,
    half,
    half + 1n,
    ORDER - 1n,
    ORDER,
    ORDER + 1n,
    (1n << 256n) - 1n,
    1n << 256n,
  ];
  const own = bytesToBigint(scalar);
  return integerBytes(draw.chance(0.4) ? (((ORDER - own) % ORDER) + ORDER) % ORDER : draw.pick(edges));
}

/** Type bytes of another type, of none, or in another form. */
function otherPrefix(draw: Draw, own: number): Uint8Array {
  const foreign = draw.pick([draw.pick(CODES), draw.below(256), 0x7800 + draw.below(16), 0x7880]);
  const bytes = integerBytes(BigInt(draw.chance(0.5) ? foreign : own));
  if (draw.chance(0.4)) return bytes;
  const string = draw.pick([bytes, bytes, Uint8Array.of(0, ...bytes), Uint8Array.of(draw.below(256))]);
  const envelope = draw.pick([[], [], [0x78]]);
  return draw.chance(0.1) ? Uint8Array.of(0) : Uint8Array.of(...envelope, 0x80 + string.length, ...string);
}

/** Encodes a tree with one header, of any item, that is longer than it need be or has a false length. */
function encodeLoosely(draw: Draw, tree: RlpInput): Uint8Array {
  if (tree instanceof Uint8Array || tree.length === 0 || draw.chance(0.15))
    return looseItem(draw, encodeRlp(tree));
  const at = draw.below(tree.length);
  const items = tree.map((item, index) => (index === at ? encodeLoosely(draw, item) : encodeRlp(item)));
  return encodeRlpList(items);
}

function looseItem(draw: Draw, encoded: Uint8Array): Uint8Array {
  const first = encoded[0] ?? 0;
  if (first < 0x80) return concatBytes(Uint8Array.of(0x81), encoded);
  const base = first < 0xc0 ? 0x80 : 0xc0;
  const long = first - base - 55;
  const payload = encoded.subarray(long > 0 ? 1 + long : 1);
  const kind = draw.below(4);
  const size = integerBytes(BigInt(Math.max(0, payload.length + (kind === 0 ? draw.pick([1, -1, 200]) : 0))));
  if (kind < 2) return concatBytes(Uint8Array.of(base + 55 + Math.max(1, size.length)), size, payload);
  if (kind === 2) return concatBytes(Uint8Array.of(base + 56 + size.length, 0), size, payload);
  return concatBytes(Uint8Array.of(first ^ 0x40), encoded.subarray(1));
}

/** Tests of the roots over transactions and receipts. */
import { createMPT } from "@ethereumjs/mpt";
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { EMPTY_HASH, keccak256 } from "../../../node/crypto/keccak.ts";
import { EMPTY_TRIE_ROOT, listRoot, listRootSteps } from "../../../node/model/list-root.ts";
import { Random } from "./random.ts";

async function oracle(items: readonly Uint8Array[]): Promise<string> {
  const trie = await createMPT();
  for (const [index, item] of items.entries()) await trie.put(encodeRlp(integerBytes(index)), item);
  return toHex(trie.root());
}

function pair(left: Uint8Array, right: Uint8Array): Uint8Array {
  return keccak256(concatBytes(left, right));
}

test.each([1, 2, 15, 16, 17, 55, 127, 128, 129, 130, 255, 256, 257, 600])(
  "the trie over %i items of random lengths is that of @ethereumjs/mpt",
  async (count) => {
    const random = new Random(count);
    const items = Array.from({ length: count }, () =>
      random.bytes(random.pick([1, 5, 31, 32, 33, 110, 300])),
    );
    expect(toHex(listRoot(0, items))).toBe(await oracle(items));
  },
);

test("short items are kept inside their parents as in @ethereumjs/mpt", async () => {
  const items = Array.from({ length: 300 }, (_, i) => Uint8Array.of(i & 0x7f));
  expect(toHex(listRoot(0, items))).toBe(await oracle(items));
});

test("the pairwise root repeats an odd last leaf", () => {
  const [a, b, c] = [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)];
  const [ha, hb, hc] = [keccak256(a), keccak256(b), keccak256(c)];
  expect(listRoot(1, [a])).toEqual(ha);
  expect(listRoot(1, [a, b])).toEqual(pair(ha, hb));
  expect(listRoot(1, [a, b, c])).toEqual(pair(pair(ha, hb), pair(hc, hc)));
});

test("the concatenating root hashes all items as one", () => {
  expect(listRoot(2, [Uint8Array.of(1, 2), Uint8Array.of(3)])).toEqual(keccak256(Uint8Array.of(1, 2, 3)));
});

test("empty lists have the root of their way; an unknown way is the trie", () => {
  expect(EMPTY_TRIE_ROOT).toEqual(
    fromHex("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"),
  );
  expect([0, 1, 2, 3].map((impl) => toHex(listRoot(impl, [])))).toEqual(
    [EMPTY_TRIE_ROOT, EMPTY_HASH, EMPTY_HASH, EMPTY_TRIE_ROOT].map(toHex),
  );
});

test.each([
  [0, "0x99c6245694c1245c0ad30f6db5b0ebf482f3a74623a9a4ab05c67ea0a254efac"],
  [1, "0xf156d5db615e191cfd77ed4a0a1a2b96a5eaad7408baf0e4c1b204a06062bcc4"],
  [2, "0xa4a2fe07dade8b2447f24b1b495f56c9e016bba5034033dbaec1056a93bc5ef2"],
])("the root of way %i over 70,000 items is made in steps of at most a few hundred hashes", (way, root) => {
  const items = Array.from({ length: 70_000 }, (_, i) =>
    Uint8Array.of(i, i >> 8, i >> 16, ...new Uint8Array(40)),
  );
  let steps = 1;
  const making = listRootSteps(way, items);
  let step = making.next();
  for (; step.done !== true; step = making.next()) steps++;
  expect(toHex(step.value)).toBe(root);
  expect(steps).toBeGreaterThan(70_000 / 100);
});

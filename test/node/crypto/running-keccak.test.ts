/** Tests of incremental Keccak-256. */
import { expect, test } from "@jest/globals";
import { keccak256 as oracle } from "ethereum-cryptography/keccak.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { createRunningKeccak } from "../../../node/crypto/running-keccak.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

test("the hash so far is that of all pieces, whatever their sizes, and reading it changes nothing", () => {
  const random = seededRandom(1);
  const data = randomBytes(random, 140_000);
  const sizes = [0, 1, 16, 100, 135, 136, 137, 271, 272, 273, 1000, 65_536, 65_416, 70_000, 140_000];
  for (let run = 0; run < 5; run++) {
    const hash = createRunningKeccak();
    let all: Uint8Array = new Uint8Array(0);
    for (let step = 0; step < 8; step++) {
      const piece = data.subarray(0, sizes[Math.floor(random() * sizes.length)] ?? 0);
      hash.update(piece);
      all = concatBytes(all, piece);
      if (random() < 0.5) expect(bareHex(hash.digest())).toBe(bareHex(oracle(all)));
    }
    expect(bareHex(hash.digest())).toBe(bareHex(oracle(all)));
    expect(bareHex(hash.digest())).toBe(bareHex(oracle(all)));
  }
});

test("two running hashes do not disturb each other", () => {
  const [first, second] = [createRunningKeccak(), createRunningKeccak()];
  for (let step = 0; step < 40; step++) {
    first.update(Uint8Array.of(step, 1, 2, 3, 4, 5, 6));
    second.update(Uint8Array.of(step));
  }
  const all = Array.from({ length: 40 }, (_, step) => [step, 1, 2, 3, 4, 5, 6]).flat();
  expect(bareHex(first.digest())).toBe(bareHex(oracle(Uint8Array.from(all))));
  expect(bareHex(second.digest())).toBe(bareHex(oracle(Uint8Array.from({ length: 40 }, (_, step) => step))));
});

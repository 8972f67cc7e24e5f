/** One signer per address, in whatever order members come. */
import { expect, test } from "@jest/globals";
import { type Signer, signerTrouble } from "../../../operator/plan/signer.ts";
import { seededRandom } from "../../support/random.ts";

const member = (key: string, createdAt: number, isRunning: boolean): Signer => ({
  key,
  kind: "node",
  createdAt,
  isRunning,
});

test("who runs comes first, then who is older, then by name", () => {
  const [old, young] = [member("demo/a", 1, false), member("demo/b", 2, false)];
  expect(signerTrouble(old, [young], "0xaa")).toBeUndefined();
  expect(signerTrouble(young, [old], "0xaa")?.message).toContain(
    "the Node of demo/a also has the key of 0xaa",
  );
  expect(signerTrouble(old, [{ ...young, isRunning: true }], "0xaa")?.reason).toBe("KeyInUse");
  expect(signerTrouble(member("demo/b", 1, false), [old], "0xaa")?.pod).toBe("ends");
});

test("a pod that nobody explains is waited for, and ends nobody that runs already", () => {
  const pod: Signer = { ...member("demo/gone-0", 1, true), kind: "pod", machine: "the machine m" };
  expect(signerTrouble(member("demo/a", 2, false), [pod], "0xaa")?.message).toContain(
    "If the machine m has failed for good: kubectl -n demo delete pod gone-0 --force",
  );
  expect(signerTrouble(member("demo/a", 2, true), [pod], "0xaa")).toBeUndefined();
});

test("of any members with one key exactly one may start", () => {
  const random = seededRandom(7);
  for (let round = 0; round < 500; round++) {
    const members = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, index) =>
      member(`demo/${index}`, Math.floor(random() * 3), random() < 0.5),
    );
    const free = members.filter(
      (own) =>
        signerTrouble(
          own,
          members.filter((each) => each !== own),
          "0xaa",
        ) === undefined,
    );
    expect(free).toHaveLength(1);
  }
});

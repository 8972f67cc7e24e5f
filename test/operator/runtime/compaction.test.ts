/** Tests of the return of memory after bursts of work. */
import { expect, test } from "@jest/globals";
import { createTidier } from "../../../operator/runtime/compaction.ts";

/** Looks so often, so much being done between two looks; gives how often it was tidied up to then. */
function looking() {
  let done = 0;
  let tidied = 0;
  const look = createTidier(
    () => done,
    () => tidied++,
  );
  return (between: number, looks: number): number => {
    for (let i = 0; i < looks; i++) {
      done += between;
      look();
    }
    return tidied;
  };
}

test("memory is tidied once, when little was done for ten looks after much was", () => {
  const look = looking();
  expect(look(100, 2)).toBe(0);
  expect(look(0, 9)).toBe(0);
  expect(look(11, 1)).toBe(0);
  expect(look(10, 9)).toBe(0);
  expect(look(10, 1)).toBe(1);
  expect(look(10, 100)).toBe(1);
  expect(look(500, 3)).toBe(1);
  expect(look(0, 10)).toBe(2);
});

test("what there always is to do is no reason, nor is a little more now and then", () => {
  const look = looking();
  expect(look(10, 1_000)).toBe(0);
  look(190, 1);
  expect(look(0, 100)).toBe(0);
});

/** Tests of progress bars and lines. */
import { expect, test } from "@jest/globals";
import { openProgress, type Progress, progressLine } from "../../../node/observe/progress.ts";

const HALF = {
  label: "import",
  done: 1550,
  total: 3100,
  unit: "blocks",
  speed: { done: 1550, elapsedMs: 5_000, also: { done: 60_000, unit: "tx" } },
};

function watch(isTTY: boolean, total: number | undefined, alsoUnit = "tx") {
  const written: string[] = [];
  const clock = { time: 1_000, now: () => clock.time };
  const stream = { isTTY, columns: 40, write: (text: string) => void written.push(text) };
  const progress: Progress = openProgress({
    label: "import",
    total,
    unit: "blocks",
    alsoUnit,
    stream,
    clock,
  });
  return { written, clock, progress };
}

test("a line shows bar, share, counts, speed and what is left", () => {
  expect(progressLine(HALF)).toBe(
    "import [##########----------]  50% 1,550/3,100 blocks, 310 blocks/s, 12,000 tx/s, 5s left",
  );
});

test("a line of finished work has a full bar and nothing left", () => {
  expect(progressLine({ ...HALF, done: 3100, speed: { done: 3100, elapsedMs: 5_000 } })).toBe(
    "import [####################] 100% 3,100/3,100 blocks, 620 blocks/s",
  );
});

test("without a total there is no bar, at the beginning no speed", () => {
  expect(progressLine({ ...HALF, total: undefined })).toBe("import 1,550 blocks, 310 blocks/s, 12,000 tx/s");
  expect(progressLine({ ...HALF, done: 0, speed: { done: 0, elapsedMs: 0 } })).toBe(
    "import [--------------------]   0% 0/3,100 blocks",
  );
  const slow = { done: 5, elapsedMs: 10_000 };
  expect(progressLine({ ...HALF, done: 5, total: 100, speed: slow })).toContain("0.5 blocks/s, 3m 10s left");
});

test("more than the estimated total does not overflow the bar", () => {
  expect(progressLine({ ...HALF, done: 4000 })).toContain("[####################] 100% 4,000/3,100");
});

test("a terminal's line is redrawn in place, cut to its width, at most every 100 ms, and ended once", () => {
  const { written, clock, progress } = watch(true, 100);
  progress.update(1);
  expect(written).toEqual([]);
  clock.time += 100;
  progress.update(10);
  progress.update(11);
  expect(written).toHaveLength(1);
  const escape = String.fromCharCode(27);
  expect(written[0]).toBe(`\rimport [##------------------]  10% 10/1${escape}[K`);
  progress[Symbol.dispose]();
  expect(written.slice(1).join("")).toMatch(/^\rimport \[##-+\] {2}11% .*\n$/);
});

test("elsewhere a line is written every five seconds and at the end", () => {
  const { written, clock, progress } = watch(false, undefined);
  for (let done = 1; done <= 12; done++) {
    clock.time += 1_000;
    progress.update(done);
  }
  expect(written).toEqual(["import 5 blocks, 1 blocks/s\n", "import 10 blocks, 1 blocks/s\n"]);
  progress[Symbol.dispose]();
  expect(written[2]).toBe("import 12 blocks, 1 blocks/s\n");
});

test("work that never began draws nothing, and a total may be corrected on the way", () => {
  const idle = watch(false, 10);
  idle.progress[Symbol.dispose]();
  expect(idle.written).toEqual([]);
  const { written, clock, progress } = watch(false, 10);
  clock.time += 5_000;
  progress.update(10, 40);
  expect(written[0]).toContain(" 25% 10/40 blocks");
});

test("speed and time left are those of the last seconds, at the end those of the whole", () => {
  const { written, clock, progress } = watch(false, 2_000);
  clock.time += 5_000;
  progress.update(1_000); // known blocks, skipped
  for (let second = 5; second <= 60; second += 5) {
    clock.time += 5_000;
    progress.update(1_000 + second * 2, 2_000, second * 100);
  }
  expect(written.at(-1)).toMatch(/ 1,120\/2,000 blocks, 2 blocks\/s, 100 tx\/s, 7m 20s left\n$/);
  progress[Symbol.dispose]();
  expect(written.at(-1)).toMatch(/ 17 blocks\/s, 92 tx\/s, 52s left\n$/);
});

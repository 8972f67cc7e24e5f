/** Tests of the gate of work with passphrases. */
import { expect, test } from "@jest/globals";
import { createGate } from "../../../node/accounts/gate.ts";

test("runs so many at once, the rest in order, and refuses above its line", async () => {
  const gate = createGate({ atOnce: 2, waiting: 2 });
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const job = (id: number) => () =>
    new Promise<number>((end) => {
      started.push(id);
      ends.push(() => end(id));
    });
  const jobs = [0, 1, 2, 3].map((id) => gate.run(job(id)));
  await expect(gate.run(job(4))).rejects.toMatchObject({ code: "busy" });
  expect(started).toEqual([0, 1]);
  ends[1]?.();
  expect(await jobs[1]).toBe(1);
  expect(started).toEqual([0, 1, 2]);
  for (const i of [0, 2]) ends[i]?.();
  await Promise.all([jobs[0], jobs[2]]);
  ends[3]?.();
  expect(await Promise.all(jobs)).toEqual([0, 1, 2, 3]);
});

test("a job that fails hands its place on", async () => {
  const gate = createGate({ atOnce: 1, waiting: 5 });
  const failed = gate.run(() => Promise.reject(new Error("no")));
  const next = gate.run(async () => "next");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
  expect(await gate.run(async () => "later")).toBe("later");
});

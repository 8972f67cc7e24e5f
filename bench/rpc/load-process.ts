/** The load tool's own process: takes one load after another from the program that started it, and answers each. */

import { type GroupResult, openGroup, type RunningGroup } from "./lanes.ts";
import type { LoadReply, LoadRequest } from "./load.ts";

process.on("message", (request: LoadRequest) => {
  void answer(request).then((reply) => process.send?.(reply));
});

async function answer(request: LoadRequest): Promise<LoadReply> {
  try {
    return await run(request);
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function run(request: LoadRequest): Promise<LoadReply> {
  const running: RunningGroup[] = [];
  try {
    for (const group of request.groups) running.push(await openGroup(group));
    const broken = Promise.race(
      running.map(({ done }) => done.then(() => new Promise<never>(() => undefined))),
    );
    await Promise.race([pause(request.warmupMs), broken]);
    for (const group of running) group.begin();
    const startedAt = performance.now();
    await Promise.race([end(running, request), broken]);
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, groups: running.map((group): GroupResult => group.result()) };
  } finally {
    for (const group of running) group.close();
  }
}

/** The end of the first group that has one, else of the time; of the wanted answers where they are counted. */
async function end(
  running: readonly RunningGroup[],
  { groups, measureMs, count }: Pick<LoadRequest, "groups" | "measureMs" | "count">,
): Promise<void> {
  const finite = running.find((_, index) => groups[index]?.once === true);
  if (finite !== undefined) return finite.done;
  if (count === undefined) return pause(measureMs);
  while (running.reduce((sum, { answers }) => sum + answers, 0) < count) await pause(20);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

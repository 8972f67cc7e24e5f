/** The election: one holder at a time, on a clock and a Lease of the test's own. */
import { expect, test } from "@jest/globals";
import { type Draft } from "../../../operator/api/resource.ts";
import type { KubeClient } from "../../../operator/kube/client.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { becomeLeader, type Leadership } from "../../../operator/runtime/leader.ts";

/** A Lease with versions, and time that passes when everybody waits. */
class Scene {
  now = 1_000_000;
  lease: Draft | undefined;
  version = 0;
  cut = new Set<string>();
  readonly #waits: { at: number; wake: () => void }[] = [];

  client(identity: string): KubeClient {
    const reach = (): void => {
      if (this.cut.has(identity)) throw new KubeError("unreachable", "cut off");
    };
    const store = (draft: Draft): Promise<unknown> => {
      this.version++;
      this.lease = { ...draft, metadata: { ...draft.metadata, resourceVersion: String(this.version) } };
      return Promise.resolve(this.lease);
    };
    return {
      get: async () => {
        reach();
        return this.lease;
      },
      create: async (draft: Draft) => {
        reach();
        if (this.lease !== undefined) throw new KubeError("already-exists", "there");
        return store(draft);
      },
      replace: async (draft: Draft) => {
        reach();
        if (draft.metadata.resourceVersion !== String(this.version)) throw new KubeError("conflict", "old");
        return store(draft);
      },
    } as unknown as KubeClient; // the election uses no more of it
  }

  readonly pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      this.#waits.push({ at: this.now + milliseconds, wake: resolve });
    });

  /** Lets time pass, step by step. */
  async pass(milliseconds: number): Promise<void> {
    for (const end = this.now + milliseconds; this.now < end; ) {
      this.now += 500;
      for (const wait of this.#waits.filter(({ at }) => at <= this.now)) {
        this.#waits.splice(this.#waits.indexOf(wait), 1);
        wait.wake();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  candidate(identity: string): { leading: Promise<Leadership>; isLeading: () => boolean } {
    let holds = false;
    const leading = becomeLeader({
      client: this.client(identity),
      place: { namespace: "n", name: "l" },
      identity,
      clock: { now: () => this.now },
      log: silentLog,
      pause: this.pause,
      signal: new AbortController().signal,
    });
    void leading.then((leadership) => {
      holds = true;
      void leadership.lost.then(() => {
        holds = false;
      });
    });
    return { leading, isLeading: () => holds };
  }
}

test("the first one leads, the second waits as long as the first renews, and follows at once when it goes", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(1_000);
  const second = scene.candidate("second");
  await scene.pass(120_000);
  expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);
  await (await first.leading)[Symbol.asyncDispose]();
  await scene.pass(5_000);
  expect(second.isLeading()).toBe(true);
});

test("a leader that is cut off stops before another begins", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(1_000);
  const second = scene.candidate("second");
  await scene.pass(10_000);
  scene.cut.add("first");
  for (let step = 0; step < 120 && !second.isLeading(); step++) {
    await scene.pass(500);
    expect(first.isLeading() && second.isLeading()).toBe(false);
  }
  expect([first.isLeading(), second.isLeading()]).toEqual([false, true]);
});

test("of two that begin together one leads", async () => {
  const scene = new Scene();
  const all = ["a", "b", "c"].map((name) => scene.candidate(name));
  await scene.pass(60_000);
  expect(all.filter(({ isLeading }) => isLeading())).toHaveLength(1);
});

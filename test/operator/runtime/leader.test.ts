/** The election: one holder at a time, on a clock and a Lease of the test's own. */
import { expect, test } from "@jest/globals";
import type { KubeClient } from "../../../operator/kube/client.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { becomeLeader, type LeaderOptions, type Leadership } from "../../../operator/runtime/leader.ts";
import type { AnyDraft } from "../../support/a-draft.ts";

/** A Lease with versions, and time that passes when everybody waits. */
class Scene {
  now = 1_000_000;
  lease: AnyDraft | undefined;
  version = 0;
  cut = new Set<string>();
  /** Duration of a renewal. */
  slow = 0;
  /** Milliseconds by which a candidate's clock is wrong. */
  readonly skew = new Map<string, number>();
  readonly #waits: { at: number; wake: () => void }[] = [];

  client(identity: string): KubeClient {
    const reach = (): void => {
      if (this.cut.has(identity)) throw new KubeError("unreachable", "cut off");
    };
    const store = (draft: AnyDraft): Promise<unknown> => {
      this.version++;
      this.lease = { ...draft, metadata: { ...draft.metadata, resourceVersion: String(this.version) } };
      return Promise.resolve(this.lease);
    };
    return {
      get: async () => {
        reach();
        return this.lease;
      },
      create: async (draft: AnyDraft) => {
        reach();
        if (this.lease !== undefined) throw new KubeError("already-exists", "there");
        return store(draft);
      },
      replace: async (draft: AnyDraft) => {
        reach();
        if (this.slow > 0) await this.pause(this.slow, new AbortController().signal);
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

  candidate(identity: string, more: Pick<LeaderOptions, "onFailure" | "onHeld" | "onReach"> = {}): Candidate {
    let leadership: Leadership | undefined;
    const leading = becomeLeader({
      client: this.client(identity),
      place: { namespace: "n", name: "l" },
      identity,
      clock: { now: () => this.now + (this.skew.get(identity) ?? 0) },
      monotonicMs: () => this.now,
      log: silentLog,
      pause: this.pause,
      signal: new AbortController().signal,
      ...more,
    });
    void leading.then(
      (held) => {
        leadership = held;
      },
      () => undefined,
    );
    return { leading, isLeading: () => leadership?.holds() ?? false };
  }

  /** Lets time pass while one of two candidates is cut off; they never lead both. */
  async passUntilTaken(first: Candidate, second: Candidate): Promise<void> {
    for (let step = 0; step < 400 && !second.isLeading(); step++) {
      await this.pass(500);
      expect(first.isLeading() && second.isLeading()).toBe(false);
    }
    expect([first.isLeading(), second.isLeading()]).toEqual([false, true]);
  }
}

interface Candidate {
  readonly leading: Promise<Leadership>;
  readonly isLeading: () => boolean;
}

const specOf = (scene: Scene) => (scene.lease?.["spec"] ?? {}) as Record<string, unknown>;

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

test.each([0, -3_600_000, 3_600_000])(
  "a leader that is cut off stops before another begins, whose clock is %i ms off",
  async (skew) => {
    const scene = new Scene();
    const first = scene.candidate("first");
    await scene.pass(1_000);
    scene.skew.set("second", skew);
    const second = scene.candidate("second");
    await scene.pass(60_000);
    expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);
    scene.cut.add("first");
    await scene.passUntilTaken(first, second);
    expect(await (await first.leading).lost).toMatchObject({ message: "the lease was lost" });
  },
);

test("a candidate whose clock jumps ahead takes nothing that is renewed", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(1_000);
  const second = scene.candidate("second");
  await scene.pass(4_000);
  scene.skew.set("second", 86_400_000);
  await scene.pass(60_000);
  expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);
});

test("a leader whose clock jumped ahead, as after sleep, does not trust its lease", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(6_000);
  scene.skew.set("first", 15_000);
  expect(first.isLeading()).toBe(false);
});

test("a leader that was frozen knows it at its first step, before anything was asked", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(6_000);
  const { version } = scene;
  scene.now += 14_000;
  expect(first.isLeading()).toBe(false);
  await scene.pass(20_000);
  expect(first.isLeading()).toBe(false);
  expect(await (await first.leading).lost).toBeInstanceOf(Error);
  await (await first.leading)[Symbol.asyncDispose]();
  expect(scene.version).toBe(version); // neither renewed nor given back: it may be another's
});

test("the time counts from before a renewal was sent, not from its answer", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(1_000);
  scene.slow = 10_000;
  await scene.pass(5_000); // a renewal is on its way
  scene.cut.add("first");
  await scene.pass(10_000); // it is answered
  expect(first.isLeading()).toBe(true);
  await scene.pass(5_000);
  expect(first.isLeading()).toBe(false);
});

test("a short failure costs nothing: the renewal is tried again at once", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(6_000);
  scene.cut.add("first");
  await scene.pass(10_000);
  scene.cut.delete("first");
  await scene.pass(60_000);
  expect(first.isLeading()).toBe(true);
});

test("a holder and a candidate tell within a renewal that the API server is away, and that it is back", async () => {
  const scene = new Scene();
  const reached: Record<string, boolean> = {};
  const candidate = (identity: string) =>
    scene.candidate(identity, {
      onReach: (isReached) => {
        reached[identity] = isReached;
      },
    });
  const first = candidate("first");
  await scene.pass(1_000);
  candidate("second");
  await scene.pass(3_000);
  expect(reached).toEqual({ first: true, second: true });
  for (const identity of ["first", "second"]) scene.cut.add(identity);
  await scene.pass(6_000);
  expect(reached).toEqual({ first: false, second: false });
  scene.cut.clear();
  await scene.pass(6_000);
  expect([reached, first.isLeading()]).toEqual([{ first: true, second: true }, true]);
});

test("a lease that another took is lost at the next renewal", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(1_000);
  scene.version++;
  scene.lease = {
    ...(scene.lease as AnyDraft), // there since the first leads
    metadata: { namespace: "n", name: "l", resourceVersion: String(scene.version) },
    spec: { holderIdentity: "thief", leaseDurationSeconds: 20 },
  };
  await scene.pass(6_000);
  expect(first.isLeading()).toBe(false);
  expect(specOf(scene)["holderIdentity"]).toBe("thief");
});

test("a holder that announced a longer time is given it, within two minutes", async () => {
  const scene = new Scene();
  for (const [reported, taken] of [
    [60, 60],
    [9_999, 120],
    [1, 20],
  ] as const) {
    scene.version++;
    scene.lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "n", name: "l", resourceVersion: String(scene.version) },
      spec: { holderIdentity: "gone", leaseDurationSeconds: reported },
    };
    const next = scene.candidate(`next-${reported}`);
    await scene.pass((taken - 1) * 1_000);
    expect(next.isLeading()).toBe(false);
    await scene.pass(5_000);
    expect(next.isLeading()).toBe(true);
    await (await next.leading)[Symbol.asyncDispose]();
  }
});

test("the Lease tells who took it when and how often, and keeps what others wrote in it", async () => {
  const scene = new Scene();
  const first = scene.candidate("first");
  await scene.pass(1_000);
  expect(specOf(scene)).toMatchObject({ holderIdentity: "first", leaseTransitions: 0 });
  const { acquireTime, renewTime } = specOf(scene);
  expect([acquireTime, renewTime]).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    acquireTime,
  ]);
  scene.version++;
  const { lease } = scene;
  if (lease === undefined) throw new Error("there is a lease");
  const annotations = { note: "mine" };
  scene.lease = {
    ...lease,
    metadata: { ...lease.metadata, annotations, resourceVersion: String(scene.version) },
  };
  await scene.pass(20_000);
  expect(first.isLeading()).toBe(true);
  expect(specOf(scene)).toMatchObject({ acquireTime, leaseTransitions: 0 });
  expect(specOf(scene)["renewTime"]).not.toBe(renewTime);
  expect(scene.lease.metadata.annotations).toEqual(annotations);
  await (await first.leading)[Symbol.asyncDispose]();
  const second = scene.candidate("second");
  await scene.pass(3_000);
  expect(second.isLeading()).toBe(true);
  expect(specOf(scene)).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
});

test("of two that begin together one leads", async () => {
  const scene = new Scene();
  const all = ["a", "b", "c"].map((name) => scene.candidate(name));
  await scene.pass(60_000);
  expect(all.filter(({ isLeading }) => isLeading())).toHaveLength(1);
});

test("a candidate is told who holds the Lease, and what failed, which ends its wait when it throws", async () => {
  const scene = new Scene();
  const holders: string[] = [];
  scene.candidate("first");
  await scene.pass(1_000);
  const second = scene.candidate("second", {
    onHeld: (holder) => void holders.push(holder),
    onFailure: (error) => {
      throw error;
    },
  });
  await scene.pass(3_000);
  expect(holders.length).toBeGreaterThan(0);
  expect(new Set(holders)).toEqual(new Set(["first"]));
  scene.cut.add("second");
  const ended = expect(second.leading).rejects.toThrow("cut off");
  await scene.pass(5_000);
  await ended;
});

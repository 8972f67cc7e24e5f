/** The applier writes when something differs, and only then. */
import { expect, test } from "@jest/globals";
import { readMeta } from "../../../operator/api/resource.ts";
import type { CachedObject } from "../../../operator/kube/cached-object.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import { Applier } from "../../../operator/reconcile/applier.ts";
import type { AnyDraft } from "../../support/a-draft.ts";

const DRAFT: AnyDraft = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "n", name: "a" },
  spec: { port: 1 },
};

const withSpec = (spec: object): AnyDraft => ({ ...DRAFT, spec });

/** A server that adds fields of its own and counts versions. */
class FakeServer {
  version = 10;
  writes = 0;
  refuse: KubeError | undefined;
  merged: unknown;
  object: Record<string, unknown> | undefined;

  async apply(draft: AnyDraft): Promise<unknown> {
    if (this.refuse !== undefined) {
      const error = this.refuse;
      this.refuse = undefined;
      throw error;
    }
    this.writes++;
    this.version++;
    const managedFields = [{ manager: "knit-operator", time: this.version }];
    const metadata = {
      ...draft.metadata,
      uid: "u",
      resourceVersion: String(this.version),
      generation: this.version,
      managedFields,
    };
    this.object = { ...draft, metadata, spec: { ...(draft["spec"] as object), filledIn: true }, status: {} };
    return this.object;
  }

  async merge(_kind: unknown, _place: unknown, patch: unknown): Promise<unknown> {
    if (this.object === undefined) throw new KubeError("not-found", "a");
    this.merged = patch;
    return {};
  }

  async get(): Promise<unknown> {
    return this.object;
  }

  seen(changes: object = {}): CachedObject {
    const object = { ...this.object, ...changes };
    return { meta: readMeta(object), object };
  }
}

function aScene(): { server: FakeServer; applier: Applier } {
  const server = new FakeServer();
  return { server, applier: new Applier(server) };
}

test("an object that was deleted before anybody saw it is made again", async () => {
  const server = new FakeServer();
  let now = 0;
  const applier = new Applier(server, { now: () => now });
  await applier.apply(DRAFT, undefined);
  now = 30_000;
  expect(await applier.apply(DRAFT, undefined)).toBe(false); // it is there, and the watch is late
  server.object = undefined;
  now = 59_999;
  expect(await applier.apply(DRAFT, undefined)).toBe(false);
  now = 60_000;
  expect(await applier.apply(DRAFT, undefined)).toBe(true);
  expect(server.object).toMatchObject({ spec: { port: 1 } });
});

test("an object is written once, then left alone: seen, not seen yet, or seen as it was before", async () => {
  const { server, applier } = aScene();
  expect(await applier.apply(DRAFT, undefined)).toBe(true);
  const old = server.seen({
    metadata: { ...(server.object?.["metadata"] as object), resourceVersion: "3" },
    spec: {},
  });
  for (const seen of [undefined, server.seen(), old]) expect(await applier.apply(DRAFT, seen)).toBe(false);
  expect(server.writes).toBe(1);
});

test("what the server counts and the status are no reason to write; what somebody sets is", async () => {
  const { server, applier } = aScene();
  await applier.apply(DRAFT, undefined);
  const metadata = server.object?.["metadata"] as object;
  const newer = { ...metadata, resourceVersion: "99", generation: 7, managedFields: [] };
  expect(await applier.apply(DRAFT, server.seen({ metadata: newer, status: { ready: 1 } }))).toBe(false);
  const changed = { ...newer, resourceVersion: "100" };
  expect(await applier.apply(DRAFT, server.seen({ metadata: changed, spec: { port: 2 } }))).toBe(true);
  const labelled = { ...newer, resourceVersion: "101", labels: { a: "b" } };
  expect(await applier.apply(DRAFT, server.seen({ metadata: labelled }))).toBe(true);
});

test("a StatefulSet is as it was written until it is seen so or newer", async () => {
  const { server, applier } = aScene();
  const ask = (seen: CachedObject | undefined) => applier.latest("StatefulSet", "n/a", seen);
  expect(ask(undefined)).toBeUndefined();
  await applier.apply({ ...DRAFT, apiVersion: "apps/v1", kind: "StatefulSet" }, undefined);
  const { metadata } = server.object as { metadata: object };
  const [older, newer] = ["10", "12"].map((resourceVersion) =>
    server.seen({ metadata: { ...metadata, resourceVersion }, spec: { port: Number(resourceVersion) } }),
  );
  for (const seen of [undefined, older])
    expect(ask(seen)).toMatchObject({ spec: { port: 1, filledIn: true } });
  for (const seen of [newer, older]) expect(ask(seen)).toBe(seen?.object);
});

test("another draft is written, and so is one whose object is gone", async () => {
  const { server, applier } = aScene();
  await applier.apply(DRAFT, undefined);
  expect(await applier.apply(withSpec({ port: 2 }), server.seen())).toBe(true);
  applier.forget("Service", server.seen());
  server.object = undefined;
  expect(await applier.apply(withSpec({ port: 2 }), undefined)).toBe(true);
  expect(server.writes).toBe(3);
});

test("the end of an object that was there before the last write is no news", async () => {
  const { server, applier } = aScene();
  await applier.apply(DRAFT, undefined);
  applier.forget(
    "Service",
    server.seen({ metadata: { ...(server.object?.["metadata"] as object), resourceVersion: "4" } }),
  );
  expect(await applier.apply(DRAFT, undefined)).toBe(false);
});

test("an object that the operator never wrote is left alone", async () => {
  const { server, applier } = aScene();
  await server.apply(DRAFT);
  server.object = {
    ...server.object,
    metadata: { ...(server.object?.["metadata"] as object), managedFields: [{ manager: "kubectl" }] },
  };
  await expect(applier.apply(DRAFT, undefined)).rejects.toMatchObject({ code: "not-ours" });
  await expect(applier.apply(DRAFT, server.seen())).rejects.toMatchObject({ code: "not-ours" });
  expect(server.writes).toBe(1);
});

test("a copy of an object that people put back is the operator's, and so is a claim of the name", async () => {
  const { server, applier } = aScene();
  await server.apply(DRAFT);
  const labels = { "app.kubernetes.io/managed-by": "knit-operator" };
  const byOthers = { ...(server.object?.["metadata"] as object), managedFields: [{ manager: "kubectl" }] };
  server.object = { ...server.object, metadata: { ...byOthers, labels } };
  expect(await applier.apply(DRAFT, server.seen())).toBe(true);
  server.object = { ...server.object, metadata: byOthers };
  const claim = { ...DRAFT, apiVersion: "v1", kind: "PersistentVolumeClaim" };
  expect(await applier.apply(claim, server.seen())).toBe(true);
});

test("an object that another's items make invalid has its lists replaced first", async () => {
  const { server, applier } = aScene();
  await applier.apply(DRAFT, undefined);
  server.refuse = new KubeError("invalid", "two ports of one name");
  expect(await applier.apply(withSpec({ port: 2 }), server.seen())).toBe(true);
  expect(server.merged).toMatchObject({ metadata: DRAFT.metadata, spec: { port: 2 } });
  server.refuse = new KubeError("forbidden", "no");
  await expect(applier.apply(withSpec({ port: 3 }), server.seen())).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("an object that is invalid from the first is told so, not that it is not there", async () => {
  const { server, applier } = aScene();
  server.refuse = new KubeError("invalid", "no such port");
  await expect(applier.apply(DRAFT, undefined)).rejects.toMatchObject({ code: "invalid" });
});

test("an applier that starts anew writes nothing that is as it was, listed or watched", async () => {
  const { server, applier } = aScene();
  await applier.apply(DRAFT, undefined);
  const next = new Applier(server);
  expect(await next.apply(DRAFT, server.seen({ apiVersion: undefined, kind: undefined }))).toBe(false);
  const watched = { ...(server.object?.["metadata"] as object), resourceVersion: "90" };
  expect(await next.apply(DRAFT, server.seen({ metadata: watched }))).toBe(false);
  const { metadata, spec } = server.object as { metadata: object; spec: object };
  const changed = server.seen({
    spec: { ...spec, port: 2 },
    metadata: { ...metadata, resourceVersion: "99" },
  });
  expect(await next.apply(DRAFT, changed)).toBe(true);
});

test("it writes what was changed meanwhile, what it would write otherwise, and what another took over", async () => {
  const { server, applier } = aScene();
  await applier.apply(DRAFT, undefined);
  const { metadata, spec } = server.object as { metadata: object; spec: object };
  expect(await new Applier(server).apply(DRAFT, server.seen({ spec: { ...spec, port: 2 } }))).toBe(true);
  expect(await new Applier(server).apply(withSpec({}), server.seen())).toBe(true);
  const taken = server.seen({ metadata: { ...metadata, managedFields: [{ manager: "kubectl" }] } });
  await expect(new Applier(server).apply(withSpec({}), taken)).rejects.toMatchObject({
    code: "not-ours",
  });
});

test("an object carries the operator that wrote it", async () => {
  const server = new FakeServer();
  await new Applier(server, undefined, "ops/knit-operator").apply(DRAFT, undefined);
  expect(server.object).toMatchObject({
    metadata: { annotations: { "knit.dev/operator": "ops/knit-operator" } },
  });
});

/** The client: what it sends, and what it makes of refusals. */

import type { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import { openKubeClient } from "../../../operator/kube/client.ts";
import { errorOfAnswer, isRace } from "../../../operator/kube/error.ts";
import { kindOf, kinds } from "../../../operator/kube/resources.ts";
import { openApiServer } from "../../support/api-server.ts";
import { until } from "../../support/until.ts";

const PLACE = { namespace: "demo", name: "a" };
const DRAFT = { apiVersion: "v1", kind: "Service", metadata: PLACE, spec: {} };

test("applies with a field manager and force, the status on its own path", async () => {
  await using api = await openApiServer(() => ({ status: 200, body: DRAFT }));
  await api.client.apply(DRAFT);
  await api.client.applyStatus({ ...DRAFT, apiVersion: "knit.dev/v1alpha1", kind: "Node", status: {} });
  const [object, status] = api.heard;
  expect([object?.method, object?.path]).toEqual(["PATCH", "/base/api/v1/namespaces/demo/services/a"]);
  expect(Object.fromEntries(object?.query ?? [])).toEqual({ fieldManager: "tester", force: "true" });
  expect(object?.headers).toMatchObject({
    "content-type": "application/apply-patch+yaml",
    authorization: "Bearer t",
    "user-agent": "test",
  });
  expect(object?.body).toEqual(DRAFT);
  expect(status?.path).toBe("/base/apis/knit.dev/v1alpha1/namespaces/demo/nodes/a/status");
});

test("creates, replaces and merges where each belongs", async () => {
  await using api = await openApiServer(() => ({ status: 200, body: DRAFT }));
  await api.client.create(DRAFT);
  await api.client.replace(DRAFT);
  await api.client.merge(kinds.service, PLACE, { metadata: { annotations: { a: null } } });
  expect(
    api.heard.map(({ method, path, headers }) => `${method} ${path} ${headers["content-type"]}`),
  ).toEqual([
    "POST /base/api/v1/namespaces/demo/services application/json",
    "PUT /base/api/v1/namespaces/demo/services/a application/json",
    "PATCH /base/api/v1/namespaces/demo/services/a application/merge-patch+json",
  ]);
});

test("deletes the object that was meant, and lets others be", async () => {
  const answers = [200, 404, 409];
  await using api = await openApiServer(() => ({ status: answers.shift() ?? 500, body: {} }));
  for (let round = 0; round < 3; round++) await api.client.remove(kinds.service, PLACE, "u");
  expect(api.heard[0]).toMatchObject({
    method: "DELETE",
    path: "/base/api/v1/namespaces/demo/services/a",
    body: { kind: "DeleteOptions", preconditions: { uid: "u" } },
  });
  await expect(api.client.remove(kinds.service, PLACE, "u")).rejects.toMatchObject({ code: "server" });
});

test("knows whether the cluster has a kind", async () => {
  const answers = [
    { status: 404, body: {} },
    { status: 200, body: { resources: [{ name: "podmonitors" }, null] } },
    { status: 200, body: { resources: [{ name: "servicemonitors" }] } },
  ];
  await using api = await openApiServer(() => answers.shift() ?? { status: 403, body: {} });
  const served = () => api.client.serves(kinds.serviceMonitor);
  expect([await served(), await served(), await served()]).toEqual([false, false, true]);
  expect(api.heard[0]?.path).toBe("/base/apis/monitoring.coreos.com/v1");
  await expect(served()).rejects.toMatchObject({ code: "forbidden" });
});

test("however many requests there are at once, they share one pool of connections", async () => {
  await using api = await openApiServer(() => ({ status: 200, body: DRAFT }));
  await Promise.all(Array.from({ length: 100 }, () => api.client.get(kinds.service, PLACE)));
  expect(api.heard).toHaveLength(100);
  expect(api.connections()).toBeLessThanOrEqual(24);
});

test("an object that is not there is undefined, all else that goes wrong is an error", async () => {
  let status = 404;
  await using api = await openApiServer(() => ({ status, body: { message: "no", reason: "Any" } }));
  expect(await api.client.get(kinds.pod, PLACE)).toBeUndefined();
  status = 403;
  await expect(api.client.get(kinds.pod, PLACE)).rejects.toMatchObject({ code: "forbidden", message: "no" });
});

test.each([
  [401, {}, "unauthorized"],
  [409, { reason: "AlreadyExists" }, "already-exists"],
  [409, { reason: "Conflict" }, "conflict"],
  [410, {}, "gone"],
  [500, { reason: "Expired" }, "gone"],
  [422, {}, "invalid"],
  [429, {}, "too-many-requests"],
  [503, "text", "server"],
  [418, undefined, "other"],
  [403, { reason: "Forbidden" }, "forbidden"],
  [403, { details: { causes: [{ reason: "NamespaceTerminating" }] } }, "terminating"],
])("status %i with %j is %s", (status, body, code) => {
  expect(errorOfAnswer(status, body)).toMatchObject({ code });
});

test("what comes of two that write at once is no failure, all else is", () => {
  const codes = [404, 409, 403, 410, 422, 429, 500].filter((status) => isRace(errorOfAnswer(status, {})));
  expect(codes).toEqual([404, 409]);
  expect(isRace(new Error("conflict"))).toBe(false);
});

test("a wait that the server asks for is kept within a minute, and a message within bounds", () => {
  expect(errorOfAnswer(429, {}, "7").retryAfterMs).toBe(7_000);
  expect(errorOfAnswer(429, {}, "999999").retryAfterMs).toBe(60_000);
  expect(errorOfAnswer(429, {}, "soon").retryAfterMs).toBeUndefined();
  expect(errorOfAnswer(400, { message: "x".repeat(9_999) }).message).toHaveLength(1_000);
});

test("a server that is not there, and an answer that breaks off, are unreachable", async () => {
  const api = await openApiServer((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{");
    response.destroy();
    return undefined;
  });
  await expect(api.client.get(kinds.pod, PLACE)).rejects.toMatchObject({ code: "unreachable" });
  await api[Symbol.asyncDispose]();
  await expect(api.client.get(kinds.pod, PLACE)).rejects.toMatchObject({ code: "unreachable" });
});

test.each([
  ["that never begins", "get"],
  ["that drips", "get"],
  ["of a watch that falls silent", "watch"],
])("an answer %s is given up", async (how, what) => {
  await using api = await openApiServer(
    (_request, response) => {
      if (how === "that never begins") return undefined;
      response.writeHead(200);
      response.write("{");
      if (how !== "that drips") return undefined;
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
      return undefined;
    },
    { limits: { requestMs: what === "get" ? 200 : 20_000, silenceMs: 200 } },
  );
  const selection = { kind: kinds.pod, namespace: undefined };
  const asking =
    what === "get"
      ? api.client.get(kinds.pod, PLACE)
      : api.client.watch(selection, "1", new AbortController().signal).next();
  await expect(asking).rejects.toMatchObject({ code: "unreachable" });
});

test("a watch may last longer than a request, and ends when nobody wants it any more", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  await using api = await openApiServer(
    (_request, response) => {
      response.writeHead(200);
      const beat = setInterval(() => response.write("{}\n"), 50);
      response.on("close", () => {
        clearInterval(beat);
        resolve();
      });
      return undefined;
    },
    { limits: { requestMs: 200 } },
  );
  const unwanted = new AbortController();
  const began = performance.now();
  const watching = (async () => {
    for await (const _event of api.client.watch(
      { kind: kinds.pod, namespace: undefined },
      "1",
      unwanted.signal,
    )) {
      if (performance.now() - began > 400) unwanted.abort(new Error("enough"));
    }
  })();
  await expect(watching).rejects.toThrow("enough");
  await closed;
});

test("watches, one for each kind and namespace, take no connection of requests", async () => {
  await using api = await openApiServer(
    ({ query }, response) => {
      if (!query.has("watch")) return { status: 200, body: DRAFT };
      response.writeHead(200).flushHeaders();
      return undefined;
    },
    { limits: { connections: 1 } },
  );
  const unwanted = new AbortController();
  const watches = ["a", "b", "c"].map((namespace) =>
    api.client.watch({ kind: kinds.pod, namespace }, "1", unwanted.signal).next(),
  );
  await until(() => api.heard.filter(({ query }) => query.has("watch")).length === watches.length);
  await expect(api.client.get(kinds.service, PLACE)).resolves.toEqual(DRAFT);
  unwanted.abort(new Error("enough"));
  for (const { status } of await Promise.allSettled(watches)) expect(status).toBe("rejected");
});

test("whoever waits for a connection waits no longer than for an answer", async () => {
  await using api = await openApiServer(() => undefined, { limits: { connections: 1, requestMs: 200 } });
  const all = Array.from({ length: 3 }, () => api.client.get(kinds.pod, PLACE));
  for (const each of await Promise.allSettled(all)) expect(each.status).toBe("rejected");
  expect(api.heard.length).toBeLessThanOrEqual(2);
});

test("what may not be written is not, even when it was allowed as it was asked for; reading goes on", async () => {
  let leads = true;
  const held: ServerResponse[] = [];
  await using api = await openApiServer(
    ({ path }, response) => {
      if (path.endsWith("/held")) held.push(response);
      else return { status: 200, body: DRAFT };
      return undefined;
    },
    { mayWrite: () => leads, limits: { connections: 1 } },
  );
  await api.client.apply(DRAFT);
  const before = api.client.get(kinds.service, { ...PLACE, name: "held" });
  await until(() => held.length === 1);
  const refused = api.client.apply(DRAFT); // waits for the connection
  leads = false;
  held[0]?.end("{}");
  await before;
  await expect(refused).rejects.toMatchObject({ code: "not-leading" });
  expect(await api.client.get(kinds.service, PLACE)).toEqual(DRAFT);
  expect(api.heard.map(({ method }) => method)).toEqual(["PATCH", "GET", "GET"]);
});

test("a token that is refused is told to whoever keeps it", async () => {
  let refused = 0;
  await using api = await openApiServer(() => ({ status: 401, body: {} }));
  const access = { ...api.access, reportRefusal: () => void refused++ };
  await using client = openKubeClient({ access, userAgent: "test", fieldManager: "tester" });
  await expect(client.get(kinds.pod, PLACE)).rejects.toMatchObject({ code: "unauthorized" });
  expect(refused).toBe(1);
});

test("an answer that is not JSON is an error and never the absence of an object", async () => {
  await using api = await openApiServer((_request, response) => void response.end("<html>"));
  await expect(api.client.get(kinds.secret, PLACE)).rejects.toMatchObject({ code: "bad-answer" });
});

test("an answer without end is given up", async () => {
  await using api = await openApiServer((_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(1_000_000)));
      response.once("drain", more);
    };
    more();
    return undefined;
  });
  await expect(api.client.get(kinds.pod, PLACE)).rejects.toMatchObject({ code: "too-large" });
});

test("a list that is none is an error", async () => {
  await using api = await openApiServer(() => ({ status: 200, body: { items: {} } }));
  const selection = { kind: kinds.pod, namespace: undefined };
  await expect(api.client.page(selection, undefined, new AbortController().signal)).rejects.toMatchObject({
    code: "server",
  });
});

test("a kind that nobody handles is a mistake in the program", () => {
  expect(() => kindOf({ apiVersion: "v1", kind: "Node" })).toThrow(RangeError);
  expect(kindOf({ apiVersion: "v1", kind: "Pod" })).toBe(kinds.pod);
});

/** The client: what it sends, and what it makes of refusals. */
import { expect, test } from "@jest/globals";
import { errorOfAnswer } from "../../../operator/kube/error.ts";
import { kindOf, kinds } from "../../../operator/kube/resources.ts";
import { openApiServer } from "../../support/api-server.ts";

const PLACE = { namespace: "demo", name: "a" };
const DRAFT = { apiVersion: "v1", kind: "Service", metadata: PLACE, spec: {} };

test("applies with a field manager and force, the status on its own path", async () => {
  await using api = await openApiServer(() => ({ status: 200, body: DRAFT }));
  await api.client.apply(DRAFT);
  await api.client.applyStatus({ ...DRAFT, apiVersion: "knit.dev/v1alpha1", kind: "Node" });
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
])("status %i with %j is %s", (status, body, code) => {
  expect(errorOfAnswer(status, body)).toMatchObject({ code });
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

/** The watch of namespaces in which alone an operator has rights. */
import { expect, test } from "@jest/globals";
import { readMeta } from "../../../operator/api/resource.ts";
import { watchNamespaceEnds } from "../../../operator/compose/namespace-ends.ts";
import type { CachedObject } from "../../../operator/kube/cached-object.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { openApiServer } from "../../support/api-server.ts";
import { until } from "../../support/until.ts";

const PRESENT = { type: "ADDED", object: { metadata: { name: "demo" } } };
const ENDING = { type: "MODIFIED", object: { metadata: { name: "demo", deletionTimestamp: "2026-01-01" } } };
const GONE = { ...ENDING, type: "DELETED" };
const BOOKMARK = { type: "BOOKMARK", object: { metadata: { resourceVersion: "7" } } };
const FAILED = { type: "ERROR", object: { code: 500 } };

const node = {
  meta: readMeta({ metadata: { name: "core", namespace: "demo", uid: "u", resourceVersion: "1" } }),
  object: {},
} as unknown as CachedObject; // the watch reads the names alone

/** Answers each watch with the next of these; the last one stays open. */
async function follow(...answers: readonly (readonly object[] | 403)[]) {
  const left = [...answers];
  const api = await openApiServer((_request, response) => {
    const next = left.shift() ?? [];
    if (next === 403) return { status: 403, body: { message: "no rights" } };
    response.writeHead(200);
    response.flushHeaders();
    for (const event of next) response.write(`${JSON.stringify(event)}\n`);
    if (left.length > 0) response.end();
    return undefined;
  });
  const seen: unknown[] = [];
  const watches = watchNamespaceEnds({
    client: api.client,
    watchNamespaces: ["demo"],
    cache: { list: () => [node], recordEnding: (...record) => void seen.push(record) },
    nodeQueue: { addUrgent: (key) => void seen.push(key) },
    log: silentLog,
    pause: async () => undefined,
  });
  const dispose = async (): Promise<void> => {
    await watches[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  };
  return { seen, heard: api.heard, [Symbol.asyncDispose]: dispose };
}

test("the Nodes of a namespace are reconciled when its deletion begins; a later one of its name has none", async () => {
  await using on = await follow([PRESENT, BOOKMARK, ENDING, FAILED, GONE]);
  await until(() => on.seen.length === 4);
  expect(on.seen).toEqual([["demo", false], ["demo", true], "demo/core", ["demo", false]]);
  expect(on.heard.map(({ path }) => path)).toEqual(["/base/api/v1/watch/namespaces/demo"]);
});

test("the deletion goes on after a watch that ended, and without rights nothing is known of it", async () => {
  await using on = await follow([ENDING], 403, []);
  await until(() => on.heard.length === 3);
  expect(on.seen).toEqual([["demo", true], "demo/core", ["demo", false]]);
});

/** The informers of an operator of some namespaces, one of which cannot be read, or no longer. */
import type { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import { startInformers } from "../../../operator/compose/informers.ts";
import { type Log, silentLog } from "../../../operator/observe/log.ts";
import { Applier } from "../../../operator/reconcile/applier.ts";
import { ClusterCache } from "../../../operator/reconcile/cluster-cache.ts";
import { ReconcileMemory } from "../../../operator/reconcile/memory.ts";
import { WorkQueue } from "../../../operator/runtime/queue.ts";
import {
  type ApiServer,
  type HeardRequest,
  openApiServer,
  type ScriptedAnswer,
} from "../../support/api-server.ts";
import { until } from "../../support/until.ts";

const meta = (namespace: string, name: string) => ({ namespace, name, uid: name, resourceVersion: "1" });

/** A Node and a Network in each namespace, and nothing else. */
function itemsAt(path: string): readonly object[] {
  const [, namespace = "", kind = ""] = /namespaces\/([a-z]+)\/([a-z]+)$/.exec(path) ?? [];
  if (kind === "nodes")
    return [{ metadata: meta(namespace, "core"), spec: { type: "core", network: { name: "net" } } }];
  const genesis = { public: "kairos" };
  return kind === "networks" ? [{ metadata: meta(namespace, "net"), spec: { genesis } }] : [];
}

/** Answers lists and watches; kinds that the cluster may lack are not served. */
function answer({ path, query }: HeardRequest, response: ServerResponse): ScriptedAnswer | undefined {
  if (/^\/base\/apis\/[^/]+\/v1$/.test(path)) return { status: 404, body: {} };
  if (!query.has("watch"))
    return { status: 200, body: { metadata: { resourceVersion: "1" }, items: itemsAt(path) } };
  response.writeHead(200);
  response.flushHeaders();
  return undefined;
}

const REFUSAL = { status: 403, body: { message: "no rights" } };
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const clock = { now: Date.now };

/** Starts the informers of the namespaces `here` and `gone`. */
async function start({ client }: ApiServer, resources: AsyncDisposableStack) {
  const named: unknown[] = [];
  const log: Log = { ...silentLog, error: (fields) => void named.push(fields) };
  const memory = new ReconcileMemory();
  const cache = new ClusterCache({ log, addresses: memory.addresses });
  const worked: string[] = [];
  const queue = (of: string) =>
    new WorkQueue({
      work: async (key) => void worked.push(`${of} ${key}`),
      onFailure: () => undefined,
      concurrency: 1,
      clock,
      chance: () => 0,
    });
  const [nodeQueue, networkQueue] = [resources.use(queue("node")), resources.use(queue("network"))];
  await startInformers({
    client,
    watchNamespaces: ["here", "gone"],
    selector: "a=b",
    log,
    pause: soon,
    signal: new AbortController().signal,
    resources,
    cache,
    memory,
    applier: new Applier(client),
    nodeQueue,
    networkQueue,
  });
  return { cache, named, worked };
}

test("a namespace that cannot be read holds up no other, is named, and is begun with once it is there", async () => {
  let isThere = false;
  await using api = await openApiServer((request, response) =>
    !isThere && request.path.includes("/namespaces/gone/") ? REFUSAL : answer(request, response),
  );
  await using resources = new AsyncDisposableStack();
  const { cache, named, worked } = await start(api, resources);
  await until(() => worked.includes("network here/net"));
  expect(named).toEqual([{ namespace: "gone", error: "no rights" }]);
  expect([cache.isSynced("here"), cache.isSynced("gone")]).toEqual([true, false]);
  expect(cache.missingNamespaces).toEqual(["gone"]);
  isThere = true;
  await until(() => worked.includes("network gone/net"));
  expect(worked).toContain("node gone/core");
  expect([cache.isSynced("gone"), cache.missingNamespaces]).toEqual([true, []]);
});

test("a namespace in which the operator loses its rights is named too, until it can be read again", async () => {
  let isThere = true;
  const watches: ServerResponse[] = [];
  await using api = await openApiServer((request, response) => {
    if (!request.path.includes("/namespaces/gone/")) return answer(request, response);
    if (!isThere) return REFUSAL;
    if (request.query.has("watch")) watches.push(response);
    return answer(request, response);
  });
  await using resources = new AsyncDisposableStack();
  const { cache, named, worked } = await start(api, resources);
  await until(() => worked.includes("network gone/net"));
  expect(cache.missingNamespaces).toEqual([]);
  isThere = false;
  for (const watch of watches) watch.end();
  await until(() => cache.missingNamespaces.includes("gone"));
  expect(named).toEqual([{ namespace: "gone", error: "no rights" }]);
  isThere = true;
  await until(() => cache.missingNamespaces.length === 0);
});

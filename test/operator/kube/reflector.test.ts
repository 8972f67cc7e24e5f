/** The reflector against scripted servers: it never loses a change, whatever becomes of its watches. */
import type { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import type { CachedObject } from "../../../operator/kube/cached-object.ts";
import type { KubeClient } from "../../../operator/kube/client.ts";
import { openReflector, type Reflector } from "../../../operator/kube/reflector.ts";
import { kinds } from "../../../operator/kube/resources.ts";
import { type Log, silentLog } from "../../../operator/observe/log.ts";
import { openApiServer } from "../../support/api-server.ts";
import { until } from "../../support/until.ts";

const object = (name: string, version: number) => ({
  metadata: { name, namespace: "n", uid: name, resourceVersion: String(version) },
});
const event = (type: string, what: object): string => `${JSON.stringify({ type, object: what })}\n`;
const list = (version: number, items: readonly object[], next?: string) => ({
  status: 200,
  body: { metadata: { resourceVersion: String(version), continue: next }, items },
});

interface More {
  readonly maxObjects?: number;
  readonly log?: Log;
  /** Hears of every wait. */
  readonly waits?: number[];
}

function reflect(client: KubeClient, changes: string[], { waits, ...more }: More = {}): Reflector {
  const reported = (now: CachedObject | undefined, before: CachedObject | undefined): void => {
    const word = now === undefined ? "gone" : before === undefined ? "new" : "changed";
    changes.push(`${word} ${(now ?? before)?.meta.name} ${now?.meta.resourceVersion ?? ""}`.trim());
  };
  return openReflector({
    client,
    selection: { kind: kinds.pod, namespace: undefined, labelSelector: "a=b" },
    onChange: reported,
    log: silentLog,
    pause: (milliseconds) => {
      waits?.push(milliseconds);
      return new Promise((resolve) => setTimeout(resolve, 1));
    },
    ...more,
  });
}

/** Keeps a watch open after these events. */
function stream(response: ServerResponse, ...events: string[]): undefined {
  response.writeHead(200);
  response.write(events.join(""));
}

test("a list of pages becomes objects, and a watch from the last page changes them", async () => {
  const changes: string[] = [];
  await using api = await openApiServer(({ query }, response) => {
    if (query.has("watch")) {
      return stream(
        response,
        event("MODIFIED", object("a", 11)),
        event("DELETED", object("b", 12)),
        event("ADDED", object("c", 13)),
      );
    }
    return query.get("continue") === "more" ? list(10, [object("b", 2)]) : list(9, [object("a", 1)], "more");
  });
  await using reflector = reflect(api.client, changes);
  await reflector.synced;
  await until(() => changes.length === 5);
  expect(changes).toEqual(["new a 1", "new b 2", "changed a 11", "gone b", "new c 13"]);
  expect([...reflector.list()].map(({ meta }) => meta.name)).toEqual(["a", "c"]);
  expect(reflector.get("n/c")?.meta.resourceVersion).toBe("13");
  const [watch] = api.heard.filter(({ query }) => query.has("watch"));
  expect([watch?.query.get("resourceVersion"), watch?.query.get("labelSelector")]).toEqual(["10", "a=b"]);
});

test("a watch that ends is taken up behind its last event or bookmark, without a new list", async () => {
  const changes: string[] = [];
  let watches = 0;
  await using api = await openApiServer(({ query }, response) => {
    if (!query.has("watch")) return list(1, []);
    watches++;
    if (watches === 1) response.end(event("ADDED", object("a", 5)));
    else if (watches === 2) response.end(event("BOOKMARK", { metadata: { resourceVersion: "8" } }));
    else return stream(response);
    return undefined;
  });
  await using _reflector = reflect(api.client, changes);
  await until(() => watches === 3);
  expect(api.heard.map(({ query }) => query.get("resourceVersion"))).toEqual([null, "1", "5", "8"]);
});

test.each(["as an event", "as a status"])(
  "a watch that is too old (%s) becomes a list, and its differences changes",
  async (how) => {
    const changes: string[] = [];
    let lists = 0;
    let watches = 0;
    await using api = await openApiServer(({ query }, response) => {
      if (!query.has("watch")) {
        lists++;
        return lists === 1
          ? list(1, [object("a", 1), object("b", 1), object("c", 1)])
          : list(20, [object("a", 1), object("b", 15), object("d", 16)]);
      }
      watches++;
      if (watches > 1) return stream(response);
      if (how === "as a status") return { status: 410, body: { reason: "Expired" } };
      response.end(event("ERROR", { kind: "Status", code: 410, reason: "Expired" }));
      return undefined;
    });
    await using _reflector = reflect(api.client, changes);
    await until(() => watches === 2);
    expect(changes).toEqual(["new a 1", "new b 1", "new c 1", "gone c", "changed b 15", "new d 16"]);
  },
);

test("failures are waited out, and nothing that cannot be read stops the rest", async () => {
  const changes: string[] = [];
  let requests = 0;
  await using api = await openApiServer(({ query }, response) => {
    requests++;
    if (requests <= 2) return { status: 503, body: {} };
    if (!query.has("watch")) return list(1, [{}, { metadata: { name: 1 } }, object("a", 1)]);
    return stream(
      response,
      event("ADDED", {}),
      event("STRANGE", object("x", 2)),
      "\n",
      event("ADDED", object("b", 3)),
    );
  });
  await using reflector = reflect(api.client, changes);
  await until(() => changes.length === 2);
  expect(changes).toEqual(["new a 1", "new b 3"]);
  await reflector.synced;
});

test.each([
  ["is cut in the middle of a line", '{"type":"ADDED","object":{"meta', "resumed"],
  ["is reset", undefined, "resumed"],
  ["tells a line that is not JSON", '{"type":"ADDED",\n', "listed"],
  ["tells a line without end", `"${"x".repeat(9_000_000)}`, "listed"],
])("a watch that %s loses no change and tells none twice", async (_name, harm, how) => {
  const changes: string[] = [];
  let watches = 0;
  let lists = 0;
  await using api = await openApiServer(({ query }, response) => {
    if (!query.has("watch")) {
      lists++;
      return lists === 1 ? list(1, []) : list(6, [object("a", 5), object("b", 6)]);
    }
    watches++;
    if (watches > 1) {
      const missed = query.get("resourceVersion") === "5" ? [event("ADDED", object("b", 6))] : [];
      return stream(response, ...missed, event("MODIFIED", object("a", 7)));
    }
    response.writeHead(200);
    response.write(event("ADDED", object("a", 5)), () => {
      if (harm === undefined) response.destroy();
      else response.end(harm);
    });
    return undefined;
  });
  await using _reflector = reflect(api.client, changes);
  await until(() => changes.length === 3);
  expect(changes).toEqual(["new a 5", "new b 6", "changed a 7"]);
  expect(lists).toBe(how === "resumed" ? 1 : 2);
});

test.each(["ends every watch at once", "refuses every watch", "cannot read any version"])(
  "a server that %s is asked ever more rarely",
  async (how) => {
    const waits: number[] = [];
    await using api = await openApiServer(({ query }, response) => {
      if (!query.has("watch")) return list(1, []);
      if (how === "refuses every watch") return { status: 503, body: {} };
      if (how === "cannot read any version") return { status: 410, body: {} };
      response.end();
      return undefined;
    });
    await using _reflector = reflect(api.client, [], { waits });
    await until(() => waits.length >= 9);
    waits.slice(1, 9).forEach((wait, index) => {
      const middle = Math.min(30_000, 1_000 * 2 ** index);
      expect(wait).toBeGreaterThanOrEqual(middle * 0.75);
      expect(wait).toBeLessThanOrEqual(middle * 1.25);
    });
  },
);

test("a wait that the server asks for is kept, and not by all to the same moment", async () => {
  const waits: number[] = [];
  await using api = await openApiServer(() => ({
    status: 429,
    body: {},
    headers: { "retry-after": "20" },
  }));
  await using _reflector = reflect(api.client, [], { waits });
  await until(() => waits.length >= 4);
  for (const wait of waits) expect(wait).toBeGreaterThan(20_000);
  expect(new Set(waits).size).toBe(waits.length);
});

test("more objects than there is room for are not kept, which the log says", async () => {
  const changes: string[] = [];
  const said: unknown[] = [];
  const log: Log = { ...silentLog, error: (fields) => void said.push(fields) };
  let watching = false;
  await using api = await openApiServer(({ query }, response) => {
    if (!query.has("watch")) return list(1, [object("a", 1), object("b", 1), object("c", 1)]);
    watching = true;
    return stream(response, event("ADDED", object("d", 2)), event("MODIFIED", object("a", 3)));
  });
  await using reflector = reflect(api.client, changes, { maxObjects: 2, log });
  await until(() => watching && changes.length === 3);
  expect(changes).toEqual(["new a 1", "new b 1", "changed a 3"]);
  expect([...reflector.list()]).toHaveLength(2);
  expect(said).toEqual([{ kind: "Pod", ignored: 1 }, { key: "n/d" }]);
});

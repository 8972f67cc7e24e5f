/** `kubectl knit` against a real HTTP server: the requests that it sends, and the texts that people read. */
import { mkdtemp, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { runPlugin } from "../../../operator/kubectl/plugin.ts";
import { type ApiServer, openApiServer, type Script } from "../../support/api-server.ts";

const urlOf = (digit: string) => `kni://${digit.repeat(128)}@host-${digit}:32323?discport=0`;
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const metadata = (name: string) => ({ name, namespace: "demo", uid: name, resourceVersion: "1" });

const NETWORK = {
  metadata: metadata("net"),
  spec: { genesis: { configMap: { name: "g" } } },
  status: {
    nodes: 3,
    readyNodes: 2,
    height: 42,
    conditions: [
      condition("Ready", "False", "NodesNotReady", "proxy-m1"),
      condition("GenesisReady", "True", "GenesisFound", "g"),
    ],
  },
};

const CORE = {
  metadata: metadata("core"),
  spec: { type: "core", network: { name: "net" } },
  status: {
    phase: "Running",
    members: [
      {
        name: "core",
        ready: true,
        height: 42,
        peers: 1,
        validator: true,
        version: "Knit/1",
        disk: { usedBytes: 25, capacityBytes: 100 },
        url: urlOf("a"),
        mesh: [urlOf("b"), urlOf("f")],
        peersWanted: 2,
        peersMissing: 1,
      },
    ],
    conditions: [condition("Ready", "True", "Ready", "1 of 1 replicas are ready")],
  },
};

const PROXY = {
  metadata: metadata("proxy"),
  spec: { type: "proxy", network: { name: "net" }, replicas: 2 },
  status: {
    phase: "Degraded",
    members: [
      { name: "proxy", ready: true, height: 42, url: urlOf("b") },
      { name: "proxy-m1", ready: false, reason: "NodeSilent" },
    ],
    outdated: [{ member: "proxy", reason: "ReleaseChanged", message: "spec.containers[node].image" }],
    conditions: [
      condition("Ready", "False", "NodeSilent", "proxy-m1 does not answer"),
      condition("Available", "False", "NoneReady", "0 of 2 replicas are ready"),
      condition("Degraded", "False", "AsExpected", "none"),
      condition("BackedUp", "True", "Recent", "the newest backup is of today"),
    ],
  },
};

const NODES = "/base/apis/knit.dev/v1alpha1/namespaces/demo/nodes";
const listOf = (items: readonly object[]) => ({
  status: 200,
  body: { items, metadata: { resourceVersion: "1" } },
});

/** Answers lists by their last word; patches with the object. */
const answers: Script = ({ method, path }, response) => {
  if (method === "PATCH") return { status: 200, body: CORE };
  if (path.endsWith("/log")) {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(`line of ${path.split("/").at(-2)}\nkey ${"7a".repeat(32)}\n`);
    return undefined;
  }
  const lists: Readonly<Record<string, readonly object[]>> = { nodes: [CORE, PROXY], networks: [NETWORK] };
  return listOf(lists[path.split("/").at(-1) ?? ""] ?? []);
};

let api: ApiServer;
let printed: string;
let script: Script;

beforeEach(async () => {
  printed = "";
  script = answers;
  api = await openApiServer((request, response) => script(request, response));
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

async function run(...words: readonly string[]): Promise<string> {
  const { client } = api;
  await runPlugin(words, {
    connect: async () => ({ client, namespace: "demo", [Symbol.asyncDispose]: async () => undefined }),
    print: (text) => {
      printed += text;
    },
    version: "9.9.9",
    now: () => Date.parse("2026-01-01T00:00:00Z"),
    signal: new AbortController().signal,
  });
  return printed;
}

test("status is a tree with the reason of everything that is not at rest", async () => {
  expect(await run("status")).toBe(`demo/net  2 of 3 replicas ready, block 42
  ! Ready: NodesNotReady: proxy-m1
├─ core  core, Running
│  └─ core  ready, block 42, 1 peer, validator, disk 25 %, Knit/1
└─ proxy  proxy, Degraded
   ├─ proxy  ready, block 42
   └─ proxy-m1  not ready (NodeSilent)
   ! Ready: NodeSilent: proxy-m1 does not answer
   ~ proxy is outdated: ReleaseChanged: spec.containers[node].image
`);
});

test("peers are named by replica, those outside by their host", async () => {
  expect((await run("peers", "core")).split("\n")).toEqual([
    "REPLICA    CONNECTED  REQUIRED  REQUIRED PEERS",
    "demo/core  1          1 of 2    proxy host-f:32323",
    "",
  ]);
});

test("the namespace is that of the context, the named one, or all", async () => {
  for (const words of [["graph"], ["graph", "-n", "other"], ["graph", "-A"]]) await run(...words);
  expect(api.heard.map(({ path }) => path)).toEqual([
    NODES,
    NODES.replace("demo", "other"),
    "/base/apis/knit.dev/v1alpha1/nodes",
  ]);
  expect(printed).toContain("flowchart LR");
});

const annotation = (name: string, value: string | null) => ({
  metadata: { annotations: { [name]: value } },
});

const patches = () =>
  api.heard.filter(({ method }) => method === "PATCH").map(({ path, body }) => [path, body]);

describe("a request", () => {
  test.each([
    ["migrate", "knit.dev/run", "migrate"],
    ["save-cache", "knit.dev/run", "save-cache"],
    ["checkpoint", "knit.dev/run", "checkpoint"],
    ["restart", "knit.dev/run", "restart"],
    ["pause", "knit.dev/paused", "true"],
    ["resume", "knit.dev/paused", null],
  ])("%s is the annotation that the operator follows", async (command, name, value) => {
    await run(command, "core");
    expect(patches()).toEqual([[`${NODES}/core`, annotation(name, value)]]);
    expect(printed).toMatch(/^core: \S+/);
  });

  test("of a Network is one for each of its Nodes", async () => {
    await run("restart", "--network", "net");
    expect(patches().map(([path]) => path)).toEqual([`${NODES}/core`, `${NODES}/proxy`]);
  });

  test.each<[readonly string[], string]>([
    [["restart"], "name Nodes, or a Network by --network"],
    [["restart", "core", "--network", "net"], "name Nodes, or a Network by --network"],
    [["restart", "-A", "core"], "this command takes one namespace"],
    [["restart", "queen"], "there is no Node queen"],
    [["restart", "proxy-m1"], "proxy-m1 is a replica, and this is for a whole Node: name proxy"],
    [["restart", "--network", "other"], "the Network other has no Nodes"],
    [["dance"], "dance is not a command"],
    [["logs", "core", "--tail", "many"], "--tail must be a number of lines up to 100000"],
    [["status", "--deep"], "Unknown option '--deep'"],
  ])("%j is refused, and nothing is written", async (words, message) => {
    await expect(run(...words)).rejects.toThrow(message);
    expect(patches()).toEqual([]);
  });
});

test("logs are those of the replica's pod", async () => {
  expect(await run("logs", "proxy-m1", "-c", "gateway", "--tail", "5", "-p")).toContain("line of proxy-m1-0");
  const [{ path, query } = { path: "", query: new URLSearchParams() }] = api.heard;
  expect([path, String(query)]).toEqual([
    "/base/api/v1/namespaces/demo/pods/proxy-m1-0/log",
    "container=gateway&tailLines=5&previous=true",
  ]);
});

describe("a report", () => {
  const KEY = "7a".repeat(32);
  const POD = {
    metadata: {
      ...metadata("core-0"),
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": KEY },
    },
    spec: { containers: [{ name: "node", env: [{ name: "TOKEN_FILE", value: "hidden" }] }] },
  };

  test("has objects and logs without secrets, and never asks for one", async () => {
    script = (request, response) =>
      request.path.endsWith("/pods") ? listOf([POD]) : answers(request, response);
    const report = JSON.parse(await run("report", "-o", "-")) as {
      objects: Record<string, unknown[]>;
      logs: Record<string, string[]>;
    };
    expect(Object.keys(report.objects)).toContain("statefulsets");
    expect(report.objects["nodes"]).toHaveLength(2);
    expect(report.logs["core-0/node"]).toEqual(["line of core-0", "key (removed)"]);
    expect(printed).not.toContain(KEY);
    expect(printed).not.toContain("hidden");
    expect(api.heard.filter(({ path }) => path.includes("secrets"))).toEqual([]);
  });

  test("says what could not be read, and is a file for its owner alone", async () => {
    script = (request, response) =>
      request.path.endsWith("/events")
        ? { status: 403, body: { message: "events is forbidden" } }
        : answers(request, response);
    const file = join(await mkdtemp(join(tmpdir(), "knit-report-")), "report.json");
    await run("report", "-o", file);
    const { objects } = JSON.parse(await readFile(file, "utf8")) as { objects: Record<string, unknown> };
    expect(objects["events"]).toEqual({ error: "events is forbidden" });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

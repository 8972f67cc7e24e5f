/** The status page: networks as pictures, conditions that need somebody, and names that try to be markup. */
import { request } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { readNetwork, readNode } from "../../../operator/api/resource.ts";
import { openListener } from "../../../operator/observe/health.ts";
import { statusPage } from "../../../operator/reconcile/status-page.ts";

const HOSTILE = `<script>alert("1")</script>&'`;
const urlOf = (digit: string) => `kni://${digit.repeat(128)}@host:32323?discport=0`;
const meta = (name: string) => ({ name, namespace: "demo", uid: name, resourceVersion: "1" });
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const aNode = (name: string, type: string, members: readonly object[], conditions: readonly object[] = []) =>
  readNode({
    metadata: meta(name),
    spec: { type, network: { name: "net" } },
    status: { members, conditions },
  });

const nodes = [
  aNode("core", "core", [{ name: "core", ready: true, height: 42, url: urlOf("a"), mesh: [urlOf("b")] }]),
  aNode(
    "endpoint",
    "endpoint",
    [
      { name: "endpoint", ready: true, height: 42, url: urlOf("b"), mesh: [urlOf("a"), urlOf("c")] },
      { name: "endpoint-m1", ready: false, reason: "NodeSilent", url: urlOf("c"), mesh: [urlOf("b")] },
    ],
    [
      condition("Ready", "False", "NodesNotReady", `endpoint-m1 says ${HOSTILE}`),
      condition("Degraded", "False", "Healthy", "this is as it should be"),
    ],
  ),
];
const network = readNetwork({
  metadata: meta("net"),
  spec: { genesis: { configMap: { name: "g" } } },
  status: { height: 42, conditions: [condition("Ready", "True", "Ready", "all nodes are ready")] },
});

describe("the page", () => {
  test("has a box for each replica, a line for each pair of peers, and the conditions that are wrong", () => {
    const page = statusPage({ nodes, networks: [network] });
    expect(page.match(/<rect /g)).toHaveLength(3);
    expect(page.match(/<path /g)).toHaveLength(2);
    expect(page.match(/<g class="unready">/g)).toHaveLength(1);
    expect(page).toContain(">block 42, Ready: all nodes are ready<".replace(", ", "; "));
    expect(page).toContain("NodesNotReady");
    expect(page).not.toContain("as it should be");
  });

  test("shows texts as they are, and none as markup", () => {
    const page = statusPage({ nodes, networks: [network] });
    expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;");
    expect(page).not.toContain("<script");
  });

  test("draws a bounded number of replicas, and says so", () => {
    const many = Array.from({ length: 30 }, (_, i) =>
      aNode(
        `p${i}`,
        "proxy",
        Array.from({ length: 10 }, (_each, m) => ({ name: `p${i}-m${m}`, ready: true })),
      ),
    );
    const page = statusPage({ nodes: many, networks: [network] });
    expect(page.match(/<rect /g)).toHaveLength(200);
    expect(page).toContain("the first 200 of 300 replicas");
  });

  test("says that there is nothing, or that another process leads", () => {
    expect(statusPage({ nodes: [], networks: [] })).toContain("no Networks and no Nodes");
    expect(statusPage(undefined)).toContain("waits to lead");
  });
});

test("the listener answers its own host names alone, so that a page of another name reads nothing", async () => {
  await using listener = await openListener({
    host: "127.0.0.1",
    port: 0,
    routes: { "/": () => [200, "text/html", "page"] },
    hosts: ["localhost", "127.0.0.1"],
  });
  const statusOf = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(
        { host: "127.0.0.1", port: listener.port, headers: { host }, agent: false },
        ({ statusCode }) => resolve(statusCode),
      );
      asked.on("error", reject);
      asked.end();
    });
  expect(
    await Promise.all(["localhost:8081", "127.0.0.1", "evil.example", "localhost.evil"].map(statusOf)),
  ).toEqual([200, 200, 404, 404]);
});

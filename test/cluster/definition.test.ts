/** The CustomResourceDefinition as a real API server takes it: what it accepts, refuses and fills in. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Cluster, openCluster, whyNoCluster } from "./support/cluster.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
const network = { name: "n" };

about(`the definition${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await openCluster();
    await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
    await cluster.kubectl([
      "wait",
      "--for=condition=Established",
      "crd/nodes.knit.dev",
      "crd/networks.knit.dev",
      "--timeout=30s",
    ]);
  }, 900_000);

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  const apply = (spec: object, name: string, ...flags: string[]) => {
    const node = {
      apiVersion: "knit.dev/v1alpha1",
      kind: "Node",
      metadata: { name, namespace: "default" },
      spec,
    };
    return cluster.tryKubectl(["apply", ...flags, "-f", "-"], JSON.stringify(node));
  };

  test.each([
    ["the smallest spec", { type: "proxy", network: { name: "n" } }],
    ["a genesis of its own", { type: "core", network: { name: "n", genesis: { configMap: { name: "g" } } } }],
    [
      "admin when it is privileged",
      { type: "proxy", network: { name: "n" }, api: { privileged: true, http: { modules: ["admin"] } } },
    ],
  ])("the API server takes %s", async (_name, spec) => {
    expect(await apply(spec, "judged", "--dry-run=server")).toMatchObject({ code: 0 });
  });

  test.each([
    ["an unknown type", { type: "king", network }, "Unsupported value"],
    ["an unknown field", { type: "proxy", network, colour: "red" }, "unknown field"],
    ["no network", { type: "proxy" }, "Required value"],
    ["a genesis that is nowhere", { type: "core", network: { name: "n", genesis: {} } }, "Required value"],
    [
      "admin without privileged",
      { type: "proxy", network, api: { http: { modules: ["net", "admin"] } } },
      "admin, personal, debug need privileged",
    ],
    [
      "one port for two",
      { type: "proxy", network, api: { http: { port: 9000 }, ws: { port: 9000 } } },
      "ports of their own",
    ],
    ["a size that is none", { type: "proxy", network, storage: { size: "big" } }, "must be a quantity"],
    ["a peer that is no URL", { type: "proxy", network, peers: { urls: ["enode://x"] } }, "should match"],
  ])("the API server refuses %s", async (_name, spec, reason) => {
    const { code, stderr } = await apply(spec, "judged", "--dry-run=server");
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  test("a name that would take another Node's Service is refused", async () => {
    const { stderr } = await apply({ type: "proxy", network }, "core-peer");
    expect(stderr).toContain("a name cannot end in -peer, -members");
  });

  test("a Node has its defaults, its short name and its columns", async () => {
    expect(await apply({ type: "proxy", network }, "plain")).toMatchObject({ code: 0 });
    const { spec } = await cluster.get<{ spec: object }>("kn", "plain");
    expect(spec).toMatchObject({ p2p: { port: 32_323 }, storage: { size: "10Gi" }, whenDeleted: "Retain" });
    const columns = await cluster.kubectl(["get", "kn", "plain"]);
    expect(columns).toMatch(/^NAME +TYPE +READY +HEIGHT +PEERS +PHASE +AGE\n/);
  });

  test.each([
    ["its type", { type: "endpoint" }, "a node's type cannot be changed"],
    ["its network", { network: { name: "other" } }, "a node's network cannot be changed"],
    ["its volume's size downwards", { storage: { size: "5Gi" } }, "a volume cannot shrink"],
    ["its volume's class", { storage: { className: "fast" } }, "a volume's class cannot be changed"],
  ])("a Node cannot change %s", async (_name, spec, reason) => {
    const patch = JSON.stringify({ spec });
    const { stderr } = await cluster.tryKubectl(["patch", "kn", "plain", "--type=merge", "-p", patch]);
    expect(stderr).toContain(reason);
  });
});

/** The definitions as a real API server takes them: what each rule accepts and refuses, and what is filled in. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { definitions } from "../../operator/api/definition.ts";
import { managedSettings } from "../../operator/api/managed-settings.ts";
import { missingFields } from "../../operator/compose/definition-check.ts";
import { type Cluster, establishDefinitions, openCluster, whyNoCluster } from "./support/cluster.ts";
import { exposureRules } from "./support/exposure-rules.ts";
import { type Row, templateRules } from "./support/template-rules.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
const network = { name: "n" };
const PROXY = { type: "proxy", network };
const CORE = { type: "core", network };
const NETWORK = { genesis: { configMap: { name: "g" } } };
const MADE = { chainId: 7, validators: ["a"] };
const FORKED = { genesis: { create: { ...MADE, forks: { osaka: 100 } } } };

const nodeRules: readonly Row[] = [
  ["a core node has one replica", { ...PROXY, replicas: 3 }, { ...CORE, replicas: 2 }],
  [
    "a named node key is for one replica",
    { ...PROXY, nodeKeySecret: { name: "k" } },
    { ...PROXY, nodeKeySecret: { name: "k" }, replicas: 2 },
  ],
  [
    "name either configMap or public",
    { ...PROXY, network: { ...network, genesis: { public: "kairos" } } },
    { ...PROXY, network: { ...network, genesis: {} } },
  ],
  [
    "must be an address such as 203.0.113.7",
    { ...PROXY, p2p: { externalAddress: "203.0.113.7" } },
    { ...PROXY, p2p: { externalAddress: "node.example" } },
  ],
  [
    "only a core node earns rewards",
    { ...CORE, rewardAddress: `0x${"1".repeat(40)}` },
    { ...PROXY, rewardAddress: `0x${"1".repeat(40)}` },
  ],
  [
    "http and ws need ports of their own",
    { ...PROXY, api: { http: { port: 9000 } } },
    { ...PROXY, api: { http: { port: 9000 }, ws: { port: 9000 } } },
  ],
  [
    "admin, personal, debug need privileged: true",
    { ...PROXY, api: { privileged: true, http: { modules: ["net", "admin"] } } },
    { ...PROXY, api: { http: { modules: ["net", "admin"] } } },
  ],
  [
    "must be a quantity above 0, such as 10Gi",
    { ...PROXY, storage: { size: "1.5Ti" }, resources: { limits: { cpu: "250m" } } },
    { ...PROXY, storage: { size: "big" } },
  ],
  [
    "must be a quantity above 0, such as 10Gi",
    { ...PROXY, gateway: { resources: { limits: { memory: "64Mi" } } } },
    { ...PROXY, resources: { limits: { cpu: "0" } } },
  ],
  [
    "must be a quantity above 0, such as 10Gi",
    { ...PROXY, resources: { limits: { cpu: 2 } }, settings: { verbosity: 4 } },
    { ...PROXY, resources: { limits: { cpu: 0 } } },
  ],
  [
    "limits.cpu cannot be below requests.cpu",
    { ...PROXY, resources: { requests: { cpu: "500m" }, limits: { cpu: 1 } } },
    { ...PROXY, resources: { requests: { cpu: 1 }, limits: { cpu: "500m" } } },
  ],
  [
    "limits.memory cannot be below requests.memory",
    { ...PROXY, resources: { requests: { memory: "1Gi" }, limits: { memory: "1Gi" } } },
    { ...PROXY, gateway: { resources: { requests: { memory: "1Gi" }, limits: { memory: "1G" } } } },
  ],
  [
    "a volume cannot be below 256Mi: the node stops writing blocks with little free space",
    { ...PROXY, storage: { size: "256Mi" } },
    { ...PROXY, storage: { size: "40Mi" } },
  ],
  [
    `cannot contain a setting that the operator manages: ${managedSettings.join(", ")}`,
    { ...PROXY, settings: { identity: "mine" } },
    { ...PROXY, settings: { datadir: "/elsewhere" } },
  ],
  [
    "must be a schedule with dates that exist: no month has this day",
    { ...PROXY, maintenance: { trieCache: { schedule: "0 3 29 2 *" } } },
    { ...PROXY, maintenance: { trieCache: { schedule: "0 3 30 2 *" } } },
  ],
  [
    "must be five fields of cron, numbers only, such as 30 3 * * 0",
    { ...PROXY, maintenance: { trieCache: { schedule: "30 3 * * 0" } } },
    { ...PROXY, maintenance: { trieCache: { schedule: "daily" } } },
  ],
  [
    "must be a time of day in UTC, such as 03:30",
    { ...PROXY, maintenance: { windows: [{ from: "03:30", hours: 1 }] } },
    { ...PROXY, maintenance: { windows: [{ from: "24:00", hours: 1 }] } },
  ],
  [
    "must be a node URL: kni://, 128 hex digits, @HOST:PORT",
    { ...PROXY, peers: { urls: [`kni://${"ab".repeat(64)}@h.example:32323?discport=0`] } },
    { ...PROXY, peers: { urls: ["enode://x"] } },
  ],
  [
    "must be a name of lower-case letters, digits and inner hyphens",
    { ...PROXY, peers: { namespaces: ["other"] } },
    { ...PROXY, peers: { namespaces: ["Other"] } },
  ],
  [
    "must be a name of lower-case letters, digits and inner hyphens and dots",
    { ...CORE, nodeKeySecret: { name: "a.b" } },
    { ...CORE, nodeKeySecret: { name: "A" } },
  ],
  [
    "must be a key of letters, digits, hyphens, dots and underscores",
    { ...CORE, nodeKeySecret: { name: "a", key: "b_c" } },
    { ...CORE, nodeKeySecret: { name: "a", key: "b/c" } },
  ],
  [
    "must be an address: 0x and 40 hex digits",
    { ...CORE, rewardAddress: `0x${"a".repeat(40)}` },
    { ...CORE, rewardAddress: "0x12" },
  ],
  ["must be the name of an image, without spaces", { ...PROXY, image: "a:1" }, { ...PROXY, image: "a b" }],
  [
    "must be a host name without a port, or *",
    { ...PROXY, api: { hosts: ["*"] } },
    { ...PROXY, api: { hosts: ["a:1"] } },
  ],
  [
    "must be a name of letters, digits, hyphens, dots, slashes and underscores",
    { ...PROXY, scheduling: { priorityClassName: "high" } },
    { ...PROXY, scheduling: { priorityClassName: "h h" } },
  ],
  [
    "a volume's limit cannot be below its size",
    { ...PROXY, storage: { size: "10Gi", autoGrow: { limit: "10Gi" } } },
    { ...PROXY, storage: { size: "10Gi", autoGrow: { limit: "9Gi" } } },
  ],
];

const networkRules: readonly Row[] = [
  [
    "must be a name of lower-case letters, digits and inner hyphens that begins with a letter",
    { ...NETWORK, nodes: [{ name: "core-1", type: "core" }] },
    { ...NETWORK, nodes: [{ name: "1core", type: "core" }] },
  ],
  [
    "name one of configMap, create and public",
    { genesis: { public: "kairos" } },
    { genesis: { public: "kairos", create: MADE } },
  ],
  [
    "a public network has an id of its own",
    { genesis: { public: "mainnet" } },
    { genesis: { public: "mainnet" }, networkId: 7 },
  ],
  ["name one of configMap, create and public", NETWORK, { genesis: {} }],
  [
    "name one of configMap, create and public",
    { genesis: { create: MADE } },
    { genesis: { ...NETWORK.genesis, create: MADE } },
  ],
  [
    "must be an amount in peb, decimal digits only",
    { genesis: { create: { ...MADE, governance: { mintingAmount: "1" } } } },
    { genesis: { create: { ...MADE, governance: { mintingAmount: "0x1" } } } },
  ],
  [
    "must be three shares in percent, such as 34/54/12",
    { genesis: { create: { ...MADE, governance: { ratio: "0/0/100" } } } },
    { genesis: { create: { ...MADE, governance: { ratio: "all" } } } },
  ],
  [
    "shares must add up to 100",
    { genesis: { create: { ...MADE, governance: { ratio: "34/54/12" } } } },
    { genesis: { create: { ...MADE, governance: { ratio: "34/54/13" } } } },
  ],
];

/** Immutable fields: message, first value and a value that is refused. */
const nodeChanges: readonly Row[] = [
  ["a node's type cannot be changed", PROXY, { type: "endpoint" }],
  ["a node's network cannot be changed", PROXY, { network: { name: "other" } }],
  [
    "a volume cannot shrink: spec.storage.size cannot be below status.members[].disk.claimBytes",
    { ...PROXY, storage: { size: "10Gi" } },
    { storage: { size: "5Gi" } },
  ],
  ["a volume's class cannot be changed", PROXY, { storage: { storageClassName: "fast" } }],
  [
    "a volume's class cannot be changed",
    { ...PROXY, storage: { className: "slow" } },
    { storage: { className: null, storageClassName: "fast" } },
  ],
  [
    "a volume's class cannot be changed",
    { ...PROXY, storage: { className: "slow" } },
    { storage: { className: null } },
  ],
];

const networkChanges: readonly Row[] = [
  ["a network's genesis cannot be changed", NETWORK, { genesis: { configMap: { name: "h" } } }],
  ["a network's id cannot be changed", NETWORK, { networkId: 8 }],
  [
    "the block of osaka can only be moved to a later block",
    FORKED,
    { genesis: { create: { forks: { osaka: 99 } } } },
  ],
  ["the block of osaka can only be moved to a later block", FORKED, { genesis: { create: { forks: null } } }],
  [
    "a network's genesis cannot be changed, except for forks",
    FORKED,
    { genesis: { create: { chainId: 8 } } },
  ],
  ["a volume's class cannot be changed", NETWORK, { defaults: { storageClassName: "fast" } }],
  ["a volume's class cannot be changed", NETWORK, { defaults: { storage: { storageClassName: "fast" } } }],
];

about(`the definition${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await openCluster();
    await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
    await establishDefinitions(cluster);
  }, 900_000);

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  const apply = (kind: string, spec: object, name: string, ...flags: string[]) => {
    const resource = {
      apiVersion: "knit.dev/v1alpha1",
      kind,
      metadata: { name, namespace: "default" },
      spec,
    };
    return cluster.tryKubectl(["apply", ...flags, "-f", "-"], JSON.stringify(resource));
  };

  const rows = [
    ...[...nodeRules, ...templateRules, ...exposureRules].map((row) => ["Node", ...row] as const),
    ...networkRules.map((row) => ["Network", ...row] as const),
  ];

  test.each(rows)("%s: %s", async (kind, message, good, bad) => {
    expect(await apply(kind, good, "judged", "--dry-run=server")).toMatchObject({ code: 0 });
    const { code, stderr } = await apply(kind, bad, "judged", "--dry-run=server");
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test.each([
    ...nodeChanges.map((row) => ["Node", "kn", ...row] as const),
    ...networkChanges.map((row) => ["Network", "knet", ...row] as const),
  ])("%s (%s), once it is there: %s", async (kind, short, message, first, change) => {
    expect(await apply(kind, first, "fixed")).toMatchObject({ code: 0 });
    const patch = (spec: object) =>
      cluster.tryKubectl(["patch", short, "fixed", "--type=merge", "-p", JSON.stringify({ spec })]);
    expect((await patch(change)).stderr).toContain(message);
    expect(await patch(first)).toMatchObject({ code: 0 });
    await cluster.kubectl(["delete", short, "fixed"]);
  });

  test("a size that no claim could grow to is taken back to what they have, and no further", async () => {
    expect(await apply("Node", { ...PROXY, replicas: 2, storage: { size: "10Gi" } }, "grown")).toMatchObject({
      code: 0,
    });
    const patch = (part: object, ...flags: string[]) =>
      cluster.tryKubectl(["patch", "kn", "grown", "--type=merge", ...flags, "-p", JSON.stringify(part)]);
    const disks = (...sizes: (number | undefined)[]) => {
      const members = sizes.map((claimBytes, index) => ({
        name: `m${index}`,
        ready: true,
        disk: claimBytes === undefined ? {} : { claimBytes },
      }));
      return patch({ status: { members } }, "--subresource=status");
    };
    const resize = async (size: string): Promise<number> =>
      (await patch({ spec: { storage: { size } } })).code;
    const gi = 2 ** 30;
    await resize("20Gi");
    await disks(10 * gi, undefined);
    expect(await resize("10Gi")).toBe(1);
    await disks(10 * gi, 12 * gi);
    expect([await resize("10Gi"), await resize("12Gi"), await resize("11Gi")]).toEqual([1, 0, 1]);
    await cluster.kubectl(["delete", "kn", "grown"]);
  });

  test("kubectl scale changes the replicas of an endpoint, and not those of a core node", async () => {
    expect(await apply("Node", { ...PROXY, type: "endpoint" }, "scaled")).toMatchObject({ code: 0 });
    expect(await apply("Node", CORE, "single")).toMatchObject({ code: 0 });
    await cluster.kubectl(["scale", "kn/scaled", "--replicas=3"]);
    expect(await cluster.kubectl(["get", "kn", "scaled", "-o", "jsonpath={.spec.replicas}"])).toBe("3");
    const refused = await cluster.tryKubectl(["scale", "kn/single", "--replicas=2"]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("a core node has one replica"),
    ]);
    const status = { replicas: 2, selector: "knit.dev/node=scaled" };
    const part = JSON.stringify({ status });
    await cluster.kubectl(["patch", "kn", "scaled", "--type=merge", "--subresource=status", "-p", part]);
    const path = "/apis/knit.dev/v1alpha1/namespaces/default/nodes/scaled/scale";
    const scale: unknown = JSON.parse(await cluster.kubectl(["get", "--raw", path]));
    expect(scale).toMatchObject({ spec: { replicas: 3 }, status });
    await cluster.kubectl(["delete", "kn", "scaled", "single"]);
  });

  test("a class has its former name exchanged for the present one", async () => {
    const classes = [
      ["Node", "kn", PROXY, (storage: object) => ({ storage })],
      ["Network", "knet", NETWORK, (storage: object) => ({ defaults: { storage } })],
    ] as const;
    for (const [kind, short, spec, at] of classes) {
      const former = kind === "Node" ? at({ className: "slow" }) : { defaults: { storageClassName: "slow" } };
      expect(await apply(kind, { ...spec, ...former }, "renamed")).toMatchObject({ code: 0 });
      const now = at({ className: null, storageClassName: "slow" });
      const gone = kind === "Node" ? {} : { storageClassName: null };
      const patch = kind === "Node" ? now : { defaults: { storage: { storageClassName: "slow" }, ...gone } };
      await cluster.kubectl([
        "patch",
        short,
        "renamed",
        "--type=merge",
        "-p",
        JSON.stringify({ spec: patch }),
      ]);
      await cluster.kubectl(["delete", short, "renamed"]);
    }
  });

  test("the API server serves every field, so that the operator finds nothing missing", async () => {
    const document = await cluster.kubectl(["get", "--raw", "/openapi/v3/apis/knit.dev/v1alpha1"]);
    expect(missingFields(JSON.parse(document))).toEqual([]);
  });

  test("every rule of the definitions is one of these", () => {
    const messages = new Set(
      [
        ...nodeRules,
        ...templateRules,
        ...exposureRules,
        ...networkRules,
        ...nodeChanges,
        ...networkChanges,
      ].map(([text]) => text),
    );
    const rules = JSON.stringify(definitions).matchAll(/"rule":".*?","message":"(.*?)"/g);
    const named = [...rules]
      .map(([, message = ""]) => message)
      .filter((text) => !text.startsWith("a name cannot"));
    expect(named.filter((message) => !messages.has(message))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  test.each([
    ["an unknown type", { type: "king", network }, "Unsupported value"],
    ["an unknown field", { ...PROXY, colour: "red" }, "unknown field"],
    [
      "a misspelt field of the template of its Service",
      { ...PROXY, serviceTemplate: { typ: "x" } },
      "unknown field",
    ],
    ["no network", { type: "proxy" }, "Required value"],
    ["more replicas than names are kept for", { ...PROXY, replicas: 33 }, "less than or equal to 32"],
  ])("the API server refuses a Node with %s", async (_name, spec, reason) => {
    const { code, stderr } = await apply("Node", spec, "judged", "--dry-run=server");
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  test.each(["core-peer", "core-members", "core-external", "core-m1", "a.b", "1a"])(
    "the name %s, which would be another object's, is refused",
    async (name) => {
      expect(await apply("Node", PROXY, name, "--dry-run=server")).toMatchObject({ code: 1 });
    },
  );

  test("names that only look so are taken, and a Node is no Node of Kubernetes", async () => {
    for (const name of ["core-1", "m1", "peer", "core-m1a"])
      expect(await apply("Node", PROXY, name, "--dry-run=server")).toMatchObject({ code: 0 });
    expect(await cluster.kubectl(["get", "nodes"])).not.toContain("plain");
  });

  test("a Node has its defaults, its short name and its columns", async () => {
    expect(await apply("Node", PROXY, "plain")).toMatchObject({ code: 0 });
    const { spec } = await cluster.get<{ spec: object }>("kn", "plain");
    expect(spec).toMatchObject({
      replicas: 1,
      p2p: { port: 32_323, external: "None" },
      storage: { size: "10Gi" },
      maintenance: { trieCache: { onShutdown: true } },
      whenDeleted: "Retain",
    });
    const columns = await cluster.kubectl(["get", "kn", "plain"]);
    expect(columns).toMatch(/^NAME +TYPE +READY +HEIGHT +PEERS +REPLICAS +PHASE +AGE\n/);
  });

  test("a Network has its defaults, its short name and its columns", async () => {
    expect(await apply("Network", { genesis: { create: MADE } }, "plain")).toMatchObject({ code: 0 });
    const { spec } = await cluster.get<{ spec: object }>("knet", "plain");
    expect(spec).toMatchObject({
      genesis: { create: { consensus: { policy: "RoundRobin" }, governance: { mode: "single" } } },
      defaults: { settings: {} },
    });
    const columns = await cluster.kubectl(["get", "knet", "plain"]);
    expect(columns).toMatch(/^NAME +READY +NODES +READYNODES +HEIGHT +REASON +AGE\n/);
  });

  test("applying twice changes nothing", async () => {
    for (const kind of ["Node", "Network"]) {
      const spec = kind === "Node" ? PROXY : { genesis: { create: MADE } };
      const again = await apply(kind, spec, "plain", "--server-side", "--force-conflicts");
      const third = await apply(
        kind,
        spec,
        "plain",
        "--server-side",
        "-o",
        "jsonpath={.metadata.generation}",
      );
      expect([again.code, third.stdout]).toEqual([0, "1"]);
    }
  });

  test("kubectl waits for the condition Ready, and for a column's word", async () => {
    const condition = {
      type: "Ready",
      status: "True",
      reason: "Ready",
      message: "",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const status = JSON.stringify({ status: { phase: "Running", conditions: [condition] } });
    const patch = ["patch", "kn", "plain", "--subresource=status", "--type=merge", "-p", status];
    expect(await cluster.tryKubectl(patch)).toMatchObject({ code: 0 });
    const wait = ["wait", "--for=condition=Ready", "kn/plain", "--timeout=5s"];
    expect(await cluster.kubectl(wait)).toContain("condition met");
  });
});

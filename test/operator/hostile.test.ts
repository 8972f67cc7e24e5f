/**
 * Tests random damage to everything that comes from outside: it is read, or refused with an error of ours, and never
 * ends the program.
 */
import { expect, test } from "@jest/globals";
import { ApiError } from "../../operator/api/error.ts";
import { readNetwork, readNode } from "../../operator/api/resource.ts";
import { genesisFile } from "../../operator/build/genesis.ts";
import { membersOf } from "../../operator/build/names.ts";
import { withNetworkDefaults } from "../../operator/build/network-defaults.ts";
import { networkPolicy } from "../../operator/build/network-policy.ts";
import { settingsText } from "../../operator/build/settings.ts";
import { podTemplate, statefulSet } from "../../operator/build/stateful-set.ts";
import { inputDigest, lastAppliedTemplate, templateDigest } from "../../operator/build/template.ts";
import {
  readHeight,
  readMigration,
  readNodeInfo,
  readPeerIds,
  readReport,
  readSyncing,
} from "../../operator/control/answers.ts";
import { ControlError } from "../../operator/control/error.ts";
import { readCall } from "../../operator/control/methods.ts";
import { readClaim } from "../../operator/reconcile/claim-view.ts";
import { externalUrl } from "../../operator/reconcile/external-url.ts";
import { projectPod, readPod } from "../../operator/reconcile/pod-view.ts";
import { configText, secretText } from "../../operator/reconcile/secret-text.ts";
import { seededRandom } from "../support/random.ts";

const ROUNDS = 10 * Number(process.env["KNIT_MUTATIONS"] ?? 300);
const ID = "ab".repeat(64);

/** A random whole number below a limit. */
type Below = (limit: number) => number;

function below(seed: number): Below {
  const random = seededRandom(seed);
  return (limit) => Math.floor(random() * limit);
}

const JUNK: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  1e308,
  "",
  "x".repeat(5_000),
  "\u0000\n\"'${}",
  "__proto__",
  [],
  {},
  [null],
  [[[[]]]],
  { __proto__: null, toString: 1 },
  { length: 1e9 },
];

/** A copy with one place replaced, removed or moved. */
function spoil(value: unknown, random: Below): unknown {
  const { length } = JUNK;
  const isLeaf = typeof value !== "object" || value === null || Object.keys(value).length === 0;
  if (isLeaf || random(4) === 0) return JUNK[random(length)];
  const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  const members = copy as Record<string, unknown>;
  const keys = Object.keys(members);
  const key = keys[random(keys.length)] ?? "";
  if (random(8) > 0) members[key] = spoil(members[key], random);
  else if (Array.isArray(copy))
    copy.splice(Number(key), 1); // what is read is JSON, whose lists have no holes
  else delete members[key];
  return copy;
}

const NODE = {
  metadata: {
    name: "a",
    namespace: "n",
    uid: "u",
    resourceVersion: "1",
    generation: 1,
    labels: { a: "b" },
    annotations: { c: "d" },
  },
  spec: {
    type: "proxy",
    replicas: 2,
    network: { name: "n", genesis: { configMap: { name: "g" } } },
    networkPolicy: { clients: ["a"] },
    scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "k" }], spread: "Required" },
    api: { http: { modules: ["eth"] }, hosts: ["x"] },
    peers: { types: ["core"], urls: [`kni://${ID}@h:1`] },
    resources: { requests: { cpu: "1" } },
    settings: { verbosity: "4" },
  },
  status: {
    height: 1,
    members: [{ name: "a", ready: true, mesh: [`kni://${ID}@h:1`] }],
    conditions: [],
    maintenance: { operation: "migrate" },
  },
};
const POD = {
  metadata: { name: "p", uid: "u", resourceVersion: "1" },
  status: {
    phase: "Pending",
    podIP: "10.0.0.1",
    conditions: [
      { type: "Ready", status: "False" },
      { type: "PodScheduled", status: "False", message: "m" },
    ],
    containerStatuses: [
      { name: "c", state: { waiting: { reason: "r", message: "m" } } },
      {
        name: "d",
        lastState: { terminated: { reason: "r", exitCode: 1, finishedAt: "2026-01-01T00:00:00Z" } },
      },
    ],
  },
};

const CLAIM = {
  spec: { resources: { requests: { storage: "10Gi" } } },
  status: {
    phase: "Bound",
    capacity: { storage: "1e9" },
    conditions: [{ type: "NodeResizeError", status: "True", message: "m" }],
    allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
  },
};

function readAndUse(value: unknown): unknown {
  const node = readNode(value);
  const [member = { node, name: "m" }] = membersOf(node);
  const parts = {
    nodeImage: "a",
    gatewayImage: "b",
    digest: inputDigest(member, undefined),
    address: undefined,
  };
  return [
    settingsText(member),
    statefulSet(member, podTemplate(member, parts)),
    networkPolicy(node, { operatorNamespace: "ops" }),
  ];
}

const NETWORK = {
  ...NODE,
  spec: {
    genesis: {
      create: {
        chainId: 7,
        validators: ["a", "b"],
        balances: [{ address: `0x${"1".repeat(40)}`, peb: "1" }],
      },
    },
    defaults: { image: "i:1", resources: { limits: { memory: "1Gi" } }, settings: { a: "b" } },
  },
};

function readAndFill(value: unknown): unknown {
  const network = readNetwork(value);
  const { create } = network.spec.genesis;
  return [
    withNetworkDefaults(readNode(NODE), network),
    create && genesisFile(create, [`0x${"2".repeat(40)}`], 0),
  ];
}

const SERVICE = {
  spec: { ports: [{ nodePort: 30_000 }] },
  status: { loadBalancer: { ingress: [{ ip: "1.2.3.4", hostname: "a.b" }] } },
};

function readExternal(value: unknown): unknown {
  const identity = { id: ID, address: "0x" };
  return ["NodePort", "LoadBalancer"].map((external) => {
    const node = readNode({ ...NODE, spec: { ...NODE.spec, p2p: { external } } });
    const meta = { ...node.meta };
    return externalUrl(
      { node, name: "m" },
      identity,
      { cache: { find: () => ({ meta, object: value ?? {} }) } },
      "1.2.3.4",
    );
  });
}

const READERS: readonly (readonly [string, unknown, (value: unknown) => unknown])[] = [
  ["a Node", NODE, readAndUse],
  ["a Network", NETWORK, readAndFill],
  ["a Service", SERVICE, readExternal],
  [
    "a StatefulSet",
    {
      metadata: {
        annotations: { "knit.dev/template": '{"metadata":{"annotations":{"knit.dev/settings":"d"}}}' },
      },
    },
    (value) => templateDigest(lastAppliedTemplate(value)),
  ],
  ["a pod", POD, (value) => readPod(projectPod(value).object)],
  ["a claim", CLAIM, (value) => readClaim(value ?? {})],
  ["a Secret", { data: { a: "eA==" } }, (value) => [secretText(value, "a"), configText(value, "a")]],
  ["admin_nodeInfo", { id: ID, name: "n", protocols: { istanbul: {} } }, readNodeInfo],
  ["admin_peers", [{ id: ID }, { id: ID }], readPeerIds],
  ["chain_blockNumber", "0x10", readHeight],
  [
    "gateway_report",
    { id: ID, peers: [ID], height: 1, syncing: false, disk: { sizeBytes: 2, freeBytes: 1 } },
    readReport,
  ],
  ["chain_syncing", { currentBlock: "0x1" }, readSyncing],
  ["admin_stateMigrationStatus", { isMigration: true, progress: 1, err: "null" }, readMigration],
  [
    "a call",
    { method: "admin_addPeer", params: [`kni://${ID}@h:1`] },
    (value) => readCall(Buffer.from(JSON.stringify(value) ?? "")),
  ],
];

test.each(READERS)("%s", (name, whole, read) => {
  const random = below(name.length);
  expect(() => read(whole)).not.toThrow();
  for (let round = 0; round < ROUNDS; round++) {
    let spoilt = whole;
    for (let i = 0; i <= random(3); i++) spoilt = spoil(spoilt, random);
    try {
      read(spoilt);
    } catch (error) {
      const isOurs = error instanceof ApiError || error instanceof ControlError;
      if (!isOurs) throw new Error(`${String(error)}: ${JSON.stringify(spoilt)}`, { cause: error });
    }
  }
});

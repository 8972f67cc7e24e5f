/** What comes from outside, spoilt at random: it is read, or refused with an error of ours, and never ends the program. */
import { expect, test } from "@jest/globals";
import { ApiError } from "../../operator/api/error.ts";
import { readNode } from "../../operator/api/resource.ts";
import { settingsText } from "../../operator/build/settings.ts";
import { statefulSet } from "../../operator/build/stateful-set.ts";
import {
  readDiskUsage,
  readHeight,
  readMigration,
  readNodeInfo,
  readPeerIds,
  readSyncing,
} from "../../operator/control/answers.ts";
import { ControlError } from "../../operator/control/error.ts";
import { readCall } from "../../operator/control/methods.ts";
import { readPod } from "../../operator/reconcile/pod-view.ts";
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
  if (random(8) === 0) delete members[key];
  else members[key] = spoil(members[key], random);
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
    type: "core",
    network: {
      name: "n",
      genesis: { create: { chainId: 7, balances: [{ address: `0x${"1".repeat(40)}`, peb: "1" }] } },
    },
    api: { http: { modules: ["eth"] }, hosts: ["x"] },
    peers: { types: ["core"], urls: [`kni://${ID}@h:1`] },
    resources: { requests: { cpu: "1" } },
    settings: { verbosity: "4" },
  },
  status: { height: 1, mesh: [`kni://${ID}@h:1`], conditions: [], maintenance: { operation: "migrate" } },
};
const POD = {
  status: {
    phase: "Pending",
    podIP: "10.0.0.1",
    conditions: [
      { type: "Ready", status: "False" },
      { type: "PodScheduled", status: "False", message: "m" },
    ],
    containerStatuses: [{ name: "c", state: { waiting: { reason: "r", message: "m" } } }],
  },
};

function readAndUse(value: unknown): unknown {
  const node = readNode(value);
  return [settingsText(node), statefulSet(node, { nodeImage: "a", gatewayImage: "b", digest: "c" })];
}

const READERS: readonly (readonly [string, unknown, (value: unknown) => unknown])[] = [
  ["a Node", NODE, readAndUse],
  ["a pod", POD, (value) => readPod(value ?? {})],
  ["a Secret", { data: { a: "eA==" } }, (value) => [secretText(value, "a"), configText(value, "a")]],
  ["admin_nodeInfo", { id: ID, name: "n", protocols: { istanbul: {} } }, readNodeInfo],
  ["admin_peers", [{ id: ID }, { id: ID }], readPeerIds],
  ["chain_blockNumber", "0x10", readHeight],
  ["gateway_diskUsage", { sizeBytes: 2, freeBytes: 1 }, readDiskUsage],
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

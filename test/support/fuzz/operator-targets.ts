/** Targets of fuzzing: what the operator and its gateways read of nodes, of each other and of the API server. */
import { ApiError } from "../../../operator/api/error.ts";
import { readNetwork, readNode } from "../../../operator/api/resource.ts";
import {
  readBackup,
  readBoolean,
  readHeight,
  readLastMigration,
  readMigration,
  readNodeInfo,
  readPeerIds,
  readReasons,
  readReport,
  readRoom,
  readSaving,
  readSyncing,
  readValidators,
} from "../../../operator/control/answers.ts";
import { resultOf } from "../../../operator/control/channel.ts";
import { ControlError } from "../../../operator/control/error.ts";
import { controlMethods, readCall } from "../../../operator/control/methods.ts";
import { IpcError, type NodeAnswer, parseAnswer } from "../../../operator/gateway/ipc.ts";
import { reportOf } from "../../../operator/gateway/report.ts";
import { createObjectPacker } from "../../../operator/kube/cached-object.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import { jsonLines } from "../../../operator/kube/lines.ts";
import { nextTick, parseCron } from "../../../operator/plan/cron.ts";
import { formatBytes, parseBytes } from "../../../operator/plan/quantity.ts";
import { parseRequest } from "../../../operator/plan/requests.ts";
import { readClaim } from "../../../operator/reconcile/claim-view.ts";
import { projectPod, readPod } from "../../../operator/reconcile/pod-view.ts";
import { assertSameJson, type FuzzTarget, jsonOf, jsonTexts, piecesOf, textOf } from "./target.ts";

const COVERS = "/operator/";
const ID = "ab".repeat(64);
const ADDRESS = `0x${"11".repeat(20)}`;
const INFO = {
  id: ID,
  name: "n",
  protocols: { istanbul: { genesis: `0x${"22".repeat(32)}`, config: { aCompatibleBlock: 1 } } },
};
const REPORT = {
  id: ID,
  version: "v",
  peers: [ID],
  height: 1,
  syncing: false,
  council: [ADDRESS],
  disk: { sizeBytes: 2, freeBytes: 1 },
  reasons: ["no-peers"],
};
const METADATA = {
  name: "a",
  namespace: "n",
  uid: "u",
  resourceVersion: "1",
  generation: 1,
  labels: { a: "b" },
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const NODE = {
  metadata: METADATA,
  spec: {
    type: "proxy",
    replicas: 2,
    network: { name: "n", genesis: { configMap: { name: "g" } } },
    peers: { types: ["core"], urls: [`kni://${ID}@h:1`] },
    resources: { requests: { cpu: 1 } },
    settings: { verbosity: "4" },
  },
  status: { height: 1, members: [{ name: "a", ready: true }], conditions: [] },
};
const NETWORK = {
  metadata: METADATA,
  spec: {
    genesis: { create: { chainId: 7, validators: ["a"], balances: [{ address: ADDRESS, peb: "1" }] } },
  },
  status: {},
};

/** The targets, one row each. */
export const operatorTargets: readonly FuzzTarget[] = [
  {
    name: "gateway-request",
    covers: COVERS,
    refuses: [],
    seeds: () => [
      ...jsonTexts(
        { method: "admin_peers" },
        { method: "admin_addPeer", params: [`kni://${ID}@[::1]:1?ntype=cn`] },
      ),
      ...jsonTexts({ method: "governance_vote", params: ["governance.addvalidator", ADDRESS] }),
    ],
    run(input) {
      const call = readCall(input);
      if ("code" in call) return;
      if (!Object.hasOwn(controlMethods, call.method)) throw new Error(`${call.method} is not on the list`);
      assertSameJson(call, readCall(Buffer.from(JSON.stringify(call))));
    },
  },
  {
    name: "node-answer",
    covers: COVERS,
    refuses: [ControlError],
    seeds: () =>
      jsonTexts({ id: 1, result: [] }, { id: 1, error: { code: -32000, message: "m", data: "silent" } }),
    run(input) {
      const answer = parseAnswer(input);
      const text = answer?.text ?? textOf(input);
      resultOf({ status: answer === undefined ? 502 : 200, text }, "admin_peers");
      if (answer?.isError === true) throw new Error("an error has a result");
    },
  },
  ...answerTargets(),
  {
    name: "gateway-report",
    covers: COVERS,
    refuses: [IpcError],
    seeds: () => jsonTexts([INFO, [{ id: ID }], "0x1", false, [ADDRESS]]),
    async run(input) {
      const results = jsonOf(input);
      const left = Array.isArray(results) ? [...(results as unknown[])] : [];
      const node = async (): Promise<NodeAnswer> => ({
        text: JSON.stringify({ id: 1, result: left.shift() ?? null }),
        isError: false,
      });
      const { text } = await reportOf({ node, disk: notMeasured, reasons: notMeasured });
      readReport((JSON.parse(text) as { readonly result: unknown }).result);
    },
  },
  {
    name: "kube-node",
    covers: COVERS,
    refuses: [ApiError],
    seeds: () => jsonTexts(NODE),
    run(input) {
      const value = jsonOf(input);
      const node = readNode(value);
      assertSameJson(node, readNode({ metadata: metadataOf(value), ...node }));
    },
  },
  {
    name: "kube-network",
    covers: COVERS,
    refuses: [ApiError],
    seeds: () => jsonTexts(NETWORK),
    run(input) {
      const value = jsonOf(input);
      const network = readNetwork(value);
      assertSameJson(network, readNetwork({ metadata: metadataOf(value), ...network }));
    },
  },
  {
    name: "kube-object",
    covers: COVERS,
    refuses: [ApiError],
    seeds: () =>
      jsonTexts(NODE, { ...NETWORK, metadata: { ...METADATA, managedFields: [{ manager: "m" }] } }),
    run(input) {
      const pack = createObjectPacker();
      const { object } = pack(jsonOf(input));
      assertSameJson(object, pack(object).object);
    },
  },
  {
    name: "kube-pod",
    covers: COVERS,
    refuses: [ApiError],
    seeds: () =>
      jsonTexts({
        metadata: METADATA,
        status: {
          podIP: "10.0.0.1",
          conditions: [{ type: "PodScheduled", status: "False", message: "m" }],
          containerStatuses: [{ name: "node", state: { waiting: { reason: "r", message: "m" } } }],
          initContainerStatuses: [{ name: "d", lastState: { terminated: { reason: "r", exitCode: 1 } } }],
        },
      }),
    run: (input) => void readPod(projectPod(jsonOf(input)).object),
  },
  {
    name: "kube-claim",
    covers: COVERS,
    refuses: [],
    seeds: () =>
      jsonTexts({
        spec: { volumeName: "v", resources: { requests: { storage: "10Gi" } } },
        status: {
          phase: "Bound",
          capacity: { storage: "1e9" },
          conditions: [{ type: "aResizeError", status: "True" }],
        },
      }),
    run(input) {
      const value = jsonOf(input);
      if (typeof value === "object" && value !== null) readClaim(value);
    },
  },
  {
    name: "kube-events",
    covers: COVERS,
    refuses: [KubeError],
    seeds: () => [Buffer.from(`${JSON.stringify({ type: "ADDED", object: NODE })}\n\n{"type":"BOOKMARK"}\n`)],
    async run(input) {
      const whole = await eventsOf([Buffer.from(input)]);
      assertSameJson(whole, await eventsOf(piecesOf(input, 60)));
    },
  },
  {
    name: "schedule",
    covers: COVERS,
    refuses: [],
    seeds: () => [Buffer.from("*/5 3-7,9 1 * 0"), Buffer.from("0 0 29 2 *"), Buffer.from("7/15 * 31 2 7")],
    run(input) {
      const cron = parseCron(textOf(input));
      const tick = cron === undefined ? undefined : nextTick(cron, 0);
      if (tick !== undefined && !(tick > 0)) throw new Error(`the next time is ${tick}`);
    },
  },
  {
    name: "quantity",
    covers: COVERS,
    refuses: [],
    seeds: () => ["10Gi", "1.5Ti", "1e9", "500M", "3n"].map((text) => Buffer.from(text)),
    run(input) {
      const bytes = parseBytes(textOf(input));
      if (bytes === undefined) return;
      if (!(bytes >= 0) || !Number.isFinite(bytes)) throw new Error(`a quantity of ${bytes} bytes`);
      if (Number.isSafeInteger(bytes)) assertSameJson(bytes, parseBytes(formatBytes(bytes)));
    },
  },
  {
    name: "annotation",
    covers: COVERS,
    refuses: [],
    seeds: () => ["migrate", "backup:core-m1", "a:b:c"].map((text) => Buffer.from(text)),
    run: (input) => void parseRequest(textOf(input)),
  },
];

/** Results of a node's methods: whatever is read of them is read without another error. */
function answerTargets(): FuzzTarget[] {
  const rows: readonly (readonly [name: string, read: (value: unknown) => unknown, ...seeds: unknown[]])[] = [
    ["node-info", readNodeInfo, INFO],
    ["peer-ids", readPeerIds, [{ id: ID }]],
    ["height", readHeight, "0x1f"],
    ["syncing", readSyncing, false, { currentBlock: "0x1" }],
    ["validators", readValidators, [ADDRESS]],
    ["boolean-result", readBoolean, true],
    [
      "migration-status",
      readMigration,
      { isMigration: true, progress: 1.5, err: "null", migrationBlockNumber: 7 },
    ],
    ["last-migration", readLastMigration, null, { err: "e", migrationBlockNumber: 7 }],
    ["migration-room", readRoom, { free: 1, needed: 2 }],
    ["saving-status", readSaving, { isSaving: false, bytes: 7, err: null }],
    [
      "backup-status",
      readBackup,
      {
        isRunning: true,
        step: "send",
        done: 1,
        total: 2,
        err: null,
        last: { checkpoint: "c", archive: "a", block: 1, bytes: 2, sentBytes: 1, isVerified: true },
      },
    ],
    ["readiness", readReasons, ["no-peers"]],
  ];
  const targets = rows.map(
    ([name, read, ...seeds]): FuzzTarget => ({
      name,
      covers: COVERS,
      refuses: [ControlError],
      seeds: () => jsonTexts(...seeds),
      run: (input) => void read(jsonOf(input)),
    }),
  );
  const report: FuzzTarget = {
    name: "node-report",
    covers: COVERS,
    refuses: [ControlError],
    seeds: () => jsonTexts(REPORT),
    run(input) {
      const read = readReport(jsonOf(input));
      assertSameJson(read, readReport(JSON.parse(JSON.stringify(read))));
    },
  };
  return [...targets, report];
}

/** Returns the metadata of an object as it came. */
function metadataOf(value: unknown): unknown {
  return (value as { readonly metadata?: unknown }).metadata; // a reader has accepted the object
}

async function eventsOf(chunks: readonly Buffer[]): Promise<unknown[]> {
  const events: unknown[] = [];
  const stream = async function* () {
    yield* chunks;
  };
  for await (const event of jsonLines(stream(), 2 ** 20)) events.push(event);
  return events;
}

async function notMeasured(): Promise<undefined> {
  return undefined;
}

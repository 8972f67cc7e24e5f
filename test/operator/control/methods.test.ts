/** The control channel's allow-list and answers, met with what nobody should send. */
import { describe, expect, test } from "@jest/globals";
import {
  readBackup,
  readBoolean,
  readHeight,
  readLastMigration,
  readMigration,
  readNodeInfo,
  readPeerIds,
  readReport,
  readRoom,
  readSaving,
  readSyncing,
} from "../../../operator/control/answers.ts";
import { controlMethods, readCall } from "../../../operator/control/methods.ts";

const ID = "ab".repeat(64);
const URL = `kni://${ID}@core-peer.demo.svc:32323?discport=0&ntype=cn`;
const REPORT = {
  id: ID,
  version: "Knit",
  peers: [ID],
  height: 7,
  syncing: false,
  council: [`0x${"cd".repeat(20)}`],
  disk: { sizeBytes: 10, freeBytes: 4 },
};
const ADDRESS = `0x${"ab".repeat(20)}`;
const MADE = { checkpoint: "c", archive: "a", block: 7, bytes: 9, sentBytes: 1, isVerified: true };
const ADD = "governance.addvalidator";
const PARAMETERS = {
  none: [],
  "node-url": [URL],
  "council-vote": [ADD, ADDRESS],
};
const bytes = (text: string): Uint8Array => Buffer.from(text);
const call = (method: unknown, params?: unknown): Uint8Array =>
  bytes(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));

describe("a call", () => {
  test("of every method on the list is passed on, and of its parameters no more than it takes", () => {
    for (const [method, { takes }] of Object.entries(controlMethods)) {
      const params = PARAMETERS[takes];
      expect(readCall(call(method, params))).toEqual({ method, params });
      expect(readCall(call(method, [...params, "more"]))).toMatchObject({ code: -32_602 });
    }
    expect(readCall(call("admin_peers"))).toEqual({ method: "admin_peers", params: [] });
  });

  test.each([
    [`kni://${ID}@10.0.0.1:32323`, true],
    [`kni://${ID}@[fe80::1]:32323?discport=0&subport=32324&ntype=pn`, true],
    [`kni://${ID}@core-peer.demo.svc.:1`, true],
    [`kni://${ID}@[fe80::1:32323`, false],
    [`kni://${ID}@[::zz]:32323`, false],
    [`kni://${ID}@a]b:32323`, false],
    [`kni://${ID}@a:b:32323`, false],
    [`kni://${ID}@"a":32323`, false],
    [`kni://${ID}@a..b:32323`, false],
    [`kni://${ID}@-a:32323`, false],
    [`kni://${ID}@a%2fb:32323`, false],
    [`kni://${ID}@ä:32323`, false],
    [`kni://${ID}@a\u0000:32323`, false],
    [`kni://${ID}@a:0`, false],
    [`kni://${ID}@a:65536`, false],
    [`kni://${ID}@a:32323?`, false],
    [`kni://${ID}@a:32323?x=1`, false],
    [`kni://${ID}@a:32323?discport=0${"&discport=0".repeat(8)}`, false],
    [`kni://${ID}@a:32323?ntype=cn\n`, false],
    [`kni://${ID.slice(2)}@a:32323`, false],
    [`enode://${ID}@a:32323`, false],
  ])("with the node URL %j is passed on: %j", (url, isPassed) => {
    expect("method" in readCall(call("admin_addPeer", [url]))).toBe(isPassed);
  });

  test.each([
    "personal_listAccounts",
    "admin_datadir",
    "admin_startHTTP",
    "debug_setHead",
    "toString",
    "__proto__",
    "constructor",
    "",
  ])("of %j is refused", (method) => {
    expect(readCall(call(method, []))).toMatchObject({ code: -32_601 });
  });

  test.each([
    ["not JSON", bytes("{"), -32_700],
    ["not UTF-8", Buffer.concat([call("admin_peers"), Buffer.of(0xff)]), -32_700],
    ["two of them", bytes("{}{}"), -32_700],
    ["nested as deep as there is room", bytes("[".repeat(4_096)), -32_700],
    ["a batch", bytes("[]"), -32_600],
    ["null", bytes("null"), -32_600],
    ["a string", bytes('"x"'), -32_600],
    ["a method that is no text", call({}), -32_600],
    ["parameters by name", call("admin_addPeer", { url: URL }), -32_602],
    ["a URL of another kind", call("admin_addPeer", ["http://x"]), -32_602],
    ["a URL with a line break", call("admin_addPeer", [`${URL}\n`]), -32_602],
    ["a URL that is endless", call("admin_addPeer", [`${URL}&x=${"1".repeat(300)}`]), -32_602],
    ["a vote for a parameter", call("governance_vote", ["governance.unitprice", ADDRESS]), -32_602],
    ["a vote about two validators", call("governance_vote", [ADD, `${ADDRESS},${ADDRESS}`]), -32_602],
    ["a vote whose address is no text", call("governance_vote", [ADD, [ADDRESS]]), -32_602],
    ["a parameter that is no text", call("admin_removePeer", [[URL]]), -32_602],
  ])("that is %s is refused", (_name, text, code) => {
    expect(readCall(text)).toMatchObject({ code });
  });
});

describe("an answer", () => {
  test("is read when it is as it should be", () => {
    expect(readNodeInfo({ id: ID.toUpperCase(), name: "Knit/v1" })).toEqual({ id: ID, version: "Knit/v1" });
    expect(readNodeInfo({ id: ID, name: "x".repeat(1_000) }).version).toHaveLength(250);
    expect(readPeerIds([{ id: ID }])).toEqual(new Set([ID]));
    expect(readHeight("0x10")).toBe(16);
    expect([readSyncing(false), readSyncing({ currentBlock: "0x1" })]).toEqual([false, true]);
    expect(readBoolean(true)).toBe(true);
    expect(readReport(REPORT)).toEqual({ ...REPORT, genesis: undefined });
    expect(readReport({ ...REPORT, disk: undefined }).disk).toBeUndefined();
    const migration = { isMigration: true, progress: 12.5, err: "null", migrationBlockNumber: 7 };
    expect(readMigration(migration)).toEqual({
      running: true,
      block: 7,
      percent: 12.5,
      error: undefined,
    });
    expect(readMigration({ isMigration: false, progress: Number.NaN, err: "disk" })).toEqual({
      running: false,
      block: 0,
      percent: 0,
      error: "disk",
    });
    expect(readMigration({ isMigration: false, err: { code: 1 } }).error).toBe('{"code":1}');
    expect(readLastMigration(null)).toBeUndefined();
    expect(readLastMigration({ err: "null", migrationBlockNumber: 7 })).toEqual({
      block: 7,
      error: undefined,
    });
    expect(readRoom({ free: 1, needed: 2 })).toEqual({ freeBytes: 1, neededBytes: 2 });
    expect(
      readBackup({ isRunning: true, step: "sending", done: 1, total: 4, err: null, last: MADE }),
    ).toEqual({
      running: true,
      step: "sending",
      percent: 25,
      error: undefined,
      last: { checkpoint: "c", archive: "a", height: 7, bytes: 9, sentBytes: 1, verified: true },
    });
    const idle = { isRunning: false, step: "<b>", done: 9, total: 0, err: "full" };
    expect(readBackup(idle)).toMatchObject({ step: undefined, percent: 0, error: "full", last: undefined });
    expect(readSaving({ isSaving: false, bytes: 9, err: "null" })).toEqual({
      running: false,
      bytes: 9,
      error: undefined,
    });
  });

  test.each([
    ["admin_nodeInfo", readNodeInfo, [undefined, null, [], {}, { id: "ab" }, { id: 1 }]],
    [
      "admin_peers",
      readPeerIds,
      [{}, null, [null], [{ id: "x" }], Array.from({ length: 5_000 }, () => ({ id: ID }))],
    ],
    ["chain_blockNumber", readHeight, ["", "0x", "10", 16, `0x${"f".repeat(14)}`, "0x-1", null]],
    ["chain_syncing", readSyncing, [true, null, "no", []]],
    ["admin_addPeer", readBoolean, [null, "true", 1]],
    ["admin_stateMigrationStatus", readMigration, [null, {}, { isMigration: "yes" }, []]],
    [
      "admin_stateMigrationLast",
      readLastMigration,
      [undefined, {}, [], { migrationBlockNumber: -1 }, { migrationBlockNumber: "7" }],
    ],
    ["admin_stateMigrationRoom", readRoom, [null, {}, { free: 1 }, { free: 1, needed: Number.NaN }]],
    [
      "admin_backupStatus",
      readBackup,
      [
        null,
        {},
        { isRunning: true, done: 0 },
        { isRunning: false, done: 0, total: 0, last: {} },
        { isRunning: false, done: 0, total: 0, last: { ...MADE, block: 1.5 } },
        { isRunning: false, done: 0, total: 0, last: { ...MADE, bytes: -1 } },
        { isRunning: false, done: 0, total: 0, last: { ...MADE, isVerified: 1 } },
      ],
    ],
    ["admin_saveTrieNodeStatus", readSaving, [null, {}, { isSaving: true }, { isSaving: 1, bytes: 1 }]],
    [
      "gateway_report",
      readReport,
      [
        null,
        { ...REPORT, id: "ab" },
        { ...REPORT, peers: ["x"] },
        { ...REPORT, peers: {} },
        { ...REPORT, height: 0.5 },
        { ...REPORT, height: "0x1" },
        { ...REPORT, syncing: "no" },
        { ...REPORT, council: [] },
        { ...REPORT, council: ["0x1"] },
        { ...REPORT, council: Array.from({ length: 1_001 }, () => ADDRESS) },
        { ...REPORT, disk: null },
        { ...REPORT, disk: { sizeBytes: 1, freeBytes: 2 } },
        { ...REPORT, disk: { sizeBytes: "1", freeBytes: 0 } },
      ],
    ],
  ] as const)(
    "to %s that is not is an error of the channel",
    (_method, read: (value: unknown) => unknown, answers) => {
      for (const answer of answers)
        expect(() => read(answer)).toThrow(expect.objectContaining({ code: "bad-answer" }));
    },
  );
});

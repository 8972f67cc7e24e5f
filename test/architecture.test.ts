/** The rules that keep the program in one piece, proved on every file, and shown to catch what breaks them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import {
  cycles,
  floorOffences,
  librariesUsed,
  libraryOffences,
  type Module,
  machinePathOffences,
  oddityOffences,
  type Plan,
  parseModule,
  type Source,
} from "./support/architecture.ts";

/** The node's rooms: a room imports only from lower floors, never sideways or up, types included. */
const NODE: Plan = {
  program: "node",
  floors: {
    bytes: 0,
    runtime: 0,
    crypto: 1,
    config: 1,
    options: 1,
    observe: 2,
    model: 2,
    store: 3,
    accounts: 3,
    p2p: 3,
    state: 4,
    evm: 5,
    governance: 6,
    execution: 7,
    chain: 8,
    auction: 9,
    txpool: 9,
    consensus: 10,
    gasless: 10,
    protocol: 11,
    checkpoint: 11,
    "go-data": 11,
    jsonrpc: 3,
    transport: 4,
    presenters: 12,
    calls: 13,
    rpc: 14,
    compat: 15,
    console: 15,
    "network-maker": 15,
    compose: 16,
    cli: 17,
  },
  files: { "main.ts": "cli" },
  libraries: {
    "@chainsafe/blst": "crypto",
    "@crate-crypto/node-eth-kzg-linux-x64-gnu": "crypto",
    "@jitl/quickjs-wasmfile-release-sync": "evm",
    "@noble/curves": "crypto",
    "@noble/hashes": "crypto",
    "@scure/bip32": "accounts",
    "@scure/bip39": "accounts",
    aws4fetch: "checkpoint",
    "bignumber.js": "console",
    "classic-level": "store",
    fastify: "transport",
    "kzg-wasm": "crypto",
    "prom-client": "observe",
    "quickjs-emscripten-core": "evm",
    secp256k1: "crypto",
    snappyjs: "p2p",
    ws: "transport",
    yaml: "options",
  },
};

/** The operator's rooms. It and the node never import each other: they meet on the wire. */
const OPERATOR: Plan = {
  program: "operator",
  floors: {
    api: 0,
    observe: 0,
    kube: 1,
    build: 1,
    plan: 1,
    control: 1,
    gateway: 2,
    runtime: 2,
    reconcile: 3,
    kubectl: 3,
    compose: 4,
    main: 5,
  },
  files: { "main.ts": "main" },
  libraries: {
    "@kubernetes/client-node": "kube",
    "@noble/hashes": "build",
    asn1js: "control",
    "prom-client": "observe",
    yaml: "api",
  },
};

const SKIPPED = new Set(["node_modules", "dist", "vectors", ".git", ".cache", "coverage", "results"]);

const nodeModules = filesBelow(NODE.program, /\.ts$/).map(parseModule);
const operatorModules = filesBelow(OPERATOR.program, /\.ts$/).map(parseModule);

describe.each([
  { plan: NODE, modules: nodeModules },
  { plan: OPERATOR, modules: operatorModules },
])("$plan.program", ({ plan, modules }) => {
  test("has sources to look at", () => {
    expect(modules.length).toBeGreaterThan(20);
    expect(modules.flatMap(({ imports }) => imports).length).toBeGreaterThan(50);
  });

  test("imports only from lower floors", () => {
    expect(floorOffences(modules, plan)).toEqual([]);
  });

  test("lets each library enter through one room", () => {
    expect(libraryOffences(modules, plan)).toEqual([]);
  });

  test("has no cycles", () => {
    expect(cycles(modules)).toEqual([]);
  });

  test("does without enums, decorators, default exports, re-exports and class families", () => {
    expect(oddityOffences(modules)).toEqual([]);
  });
});

test("the programs depend on the packages they run, and on no others", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, object>;
  const { dependencies, optionalDependencies } = manifest;
  const modules = [...nodeModules, ...operatorModules];
  expect(librariesUsed(modules)).toEqual(Object.keys({ ...dependencies, ...optionalDependencies }).sort());
});

test("nothing decides by the text of an error", () => {
  const sources = ["node", "operator"].flatMap((program) => filesBelow(program, /\.ts$/));
  // The console suggests names for those of an engine's error, which has them in its text alone.
  expect(textDecisions(sources.filter(({ path }) => path !== "node/console/failure-text.ts"))).toEqual([]);
});

/** Files that end a turn of the event loop themselves. Long work yields by the scheduler instead. */
const TURN_ENDS: Readonly<Record<string, string>> = {
  "node/runtime/scheduler.ts": "the scheduler itself",
  "node/runtime/fair-time.ts": "measures what all accounts take of one turn",
  "node/runtime/turn-queue.ts": "gives each turn to one piece of work",
  "node/runtime/call-gate.ts": "waits for the end of another thread's native call, of 0.1 ms at most",
  "node/calls/inline-calls.ts": "measures what all inline calls take of one turn",
  "node/calls/signer-batches.ts": "gathers the submissions of one turn",
  "node/jsonrpc/feed.ts": "delivers after the turn that has the event; its slices are the scheduler's",
  "node/protocol/block-broadcaster.ts": "announces once for all heads of one turn",
  "node/transport/fast/outbox.ts":
    "writes the answers of one turn together, with a handle that it refs and unrefs",
};

test("only the scheduler and files with a reason end turns of the event loop", () => {
  const callers = filesBelow("node", /\.ts$/).filter(({ text }) => /\bsetImmediate\b/.test(text));
  expect(callers.map(({ path }) => path).sort()).toEqual(Object.keys(TURN_ENDS).sort());
});

test("nothing but compat and the composition root knows profiles of JSON-RPC", () => {
  const importers = nodeModules.filter(({ imports }) =>
    imports.some(({ from }) => /compat\/(?!options)/.test(from)),
  );
  const rooms = new Set(importers.map(({ path }) => path.split("/")[1]));
  expect([...rooms]).toEqual(["compose"]);
  const reported = ["jsonrpc", "transport", "presenters", "calls", "rpc"].flatMap((room) =>
    filesBelow(`node/${room}`, /\.ts$/).filter(({ text }) =>
      /\b(?:profile|ProfileName|RpcProfile|rpcProfiles)\b/.test(
        text.replaceAll(
          /CPU profile|profiler\.profile|--rpc\.profile|pprof\/profile|the profile's by default/g,
          "",
        ),
      ),
    ),
  );
  expect(reported.map(({ path }) => path)).toEqual([]);
});

test("no file names a place on somebody's machine", () => {
  const own = [...filesBelow(".", /\.(ts|js|json|md|yaml|yml)$/), ...filesBelow(".ci", /./)];
  expect(machinePathOffences(own.filter(({ path }) => path !== "package-lock.json"))).toEqual([]);
});

/** Lines that search or compare the message of an error. A message that is compared with nothing (`""`) is another matter. */
function textDecisions(sources: readonly Source[]): string[] {
  const decision =
    /(?<!typeof [\w.]+)\.message [!=]==(?! "")|\bmessage\.(?:includes|startsWith|endsWith|match|matchAll|search|indexOf)\(|\.(?:test|exec)\([\w.]*\bmessage\)/;
  return sources.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) => (decision.test(line) ? [`${path}:${at + 1}`] : [])),
  );
}

describe("the proof catches", () => {
  test("what decides by the text of an error", () => {
    const text = [
      'if (error.message === "gone") retry();',
      "const at = [...message.matchAll(/byte (\\d+)/g)];",
      "if (!answer.ok && !/already/.test(answer.message)) fail();",
      'if (typeof error.message === "string" && error.message !== "") log(error.message);',
    ].join("\n");
    expect(textDecisions([{ path: "operator/plan/a.ts", text }])).toEqual([
      "operator/plan/a.ts:1",
      "operator/plan/a.ts:2",
      "operator/plan/a.ts:3",
    ]);
  });

  test("an import of a higher floor, a neighbour, another program and an unknown room", () => {
    expect(floorOffences([sample("node/bytes/a.ts", 'import { b } from "../model/b.ts";')], NODE)).toEqual([
      "node/bytes/a.ts: bytes (floor 0) imports model (floor 2)",
    ]);
    expect(
      floorOffences([sample("node/config/a.ts", 'import type { B } from "../options/b.ts";')], NODE),
    ).toEqual(["node/config/a.ts: config (floor 1) imports options (floor 1)"]);
    expect(
      floorOffences([sample("node/rpc/a.ts", 'import { b } from "../../operator/b.ts";')], NODE),
    ).toEqual(["node/rpc/a.ts: ../../operator/b.ts is outside the program"]);
    expect(
      floorOffences([sample("operator/build/a.ts", 'import type { B } from "../../node/b.ts";')], OPERATOR),
    ).toEqual(["operator/build/a.ts: ../../node/b.ts is outside the program"]);
    expect(floorOffences([sample("node/attic/a.ts", "export const a = 1;")], NODE)).toEqual([
      "node/attic/a.ts: attic is on no floor",
    ]);
    expect(floorOffences([sample("node/cli/a.ts", 'const a = await import("../main.ts");')], NODE)).toEqual(
      [],
    );
    expect(floorOffences([sample("node/compose/node.ts", 'await import("../cli/cli.ts");')], NODE)).toEqual([
      "node/compose/node.ts: compose (floor 16) imports cli (floor 17)",
    ]);
  });

  test("a library in another room, one without a room, and not one whose types alone are used", () => {
    const text = `
      import { load } from "yaml";
      import type { Registry } from "prom-client";
      import { type Level } from "classic-level";
      const stray = await import("left-pad/lib");
      const native = require("secp256k1/bindings");
      const other = createRequire(import.meta.url)("ws");`;
    expect(libraryOffences([sample("node/chain/a.ts", text)], NODE)).toEqual([
      "node/chain/a.ts: yaml enters through options",
      "node/chain/a.ts: left-pad enters through no room",
      "node/chain/a.ts: secp256k1 enters through crypto",
      "node/chain/a.ts: ws enters through transport",
    ]);
  });

  test("what is written in comments and texts is no import", () => {
    const text = `// import { load } from "yaml";
      export const example = 'import { Wallet } from "ethers"';`;
    expect(librariesUsed([sample("node/chain/a.ts", text)])).toEqual([]);
  });

  test("a circle of three files", () => {
    const circle = [
      sample("node/chain/a.ts", 'import { b } from "./b.ts";'),
      sample("node/chain/b.ts", 'import { c } from "./c.ts";'),
      sample("node/chain/c.ts", 'import { a } from "./a.ts";'),
    ];
    expect(cycles(circle)).toEqual([
      "node/chain/a.ts -> node/chain/b.ts -> node/chain/c.ts -> node/chain/a.ts",
    ]);
    expect(cycles(circle.slice(1))).toEqual([]);
  });

  test.each([
    ["enum Colour { Red }", "enum Colour"],
    ["export default 1;", "a default export"],
    ["export default function a() {}", "a default export"],
    ['export * from "./a.ts";', "a re-export of ./a.ts"],
    ['export { a } from "./a.ts";', "a re-export of ./a.ts"],
    ['export type { A } from "./a.ts";', "a re-export of ./a.ts"],
    ["class A extends B {}", "a class that extends B"],
    ["const a = class extends B {};", "a class that extends B"],
  ])("%s", (text, oddity) => {
    expect(oddityOffences([sample("node/chain/a.ts", text)])).toEqual([`node/chain/a.ts: ${oddity}`]);
  });

  test("but not errors, plain exports and plain classes", () => {
    const text = "export class A extends Error {} export class B {} export const c = 1; export { c as d };";
    expect(oddityOffences([sample("node/chain/a.ts", text)])).toEqual([]);
  });

  test("a path of a machine, and not paths inside the project", () => {
    const [slash] = ["/"];
    expect(machinePathOffences([{ path: "a.md", text: `one\nsee ${slash}home/someone/knit` }])).toEqual([
      `a.md:2: ${slash}home/someone`,
    ]);
    expect(machinePathOffences([{ path: "a.md", text: "see test/work/a and ~/work/b, /metrics" }])).toEqual(
      [],
    );
  });
});

function sample(path: string, text: string): Module {
  return parseModule({ path, text });
}

function filesBelow(directory: string, names: RegExp): Source[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = directory === "." ? entry.name : join(directory, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path, names);
    return names.test(entry.name) ? [{ path, text: readFileSync(path, "utf8") }] : [];
  });
}

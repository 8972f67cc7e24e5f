/**
 * The schemas of results against answers that Go nodes of both lines gave: every result of the recorded transcripts keeps
 * to the schema of its method.
 */
import { readdirSync } from "node:fs";
import { expect, test } from "@jest/globals";
import type { ProfileName } from "../../../node/compat/profiles.ts";
import type { Method } from "../../../node/jsonrpc/method.ts";
import { referencedSchemas, type Schema } from "../../../node/jsonrpc/schemas.ts";
import { registryOf } from "../../../scripts/rpc-docs.ts";
import { schemaFaults } from "../../support/answer-schemas.ts";
import { repairText } from "../../support/transcript/sameness.ts";
import { type Entry, readTranscript } from "../../support/transcript/transcript.ts";

const FOLDER = "test/vectors/rpc";
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".json.gz"));
const views = new Map(
  (["klaytn", "kaia"] as const).map((profile) => [
    profile,
    registryOf(profile).view("all", { isLocal: true }),
  ]),
);

/** A recorded call with its result. */
interface Exchange {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** Returns the calls of an entry that have a result; batches are answered in their order. */
function exchangesOf({ request = "", response = "" }: Entry): Exchange[] {
  const asked = listIn(request) as Partial<Exchange>[];
  const answers = listIn(repairText(response)) as Partial<Exchange>[];
  if (asked.length !== answers.length) return [];
  return asked.flatMap((each, index) => {
    const { method, params } = each ?? {};
    const answer = answers[index] ?? {};
    if (typeof method !== "string" || !("result" in answer)) return [];
    return [{ method, params: Array.isArray(params) ? params : [], result: answer.result }];
  });
}

/** Returns the elements of a JSON list, or the one value; none when the text is no JSON. */
function listIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return []; // transcripts hold malformed requests, too
  }
}

const CALL_TRACERS: readonly unknown[] = ["callTracer", "fastCallTracer"];

/** Returns the schemas that a result keeps to: that of its method and, for a known tracer of version 2, that of the trace. */
function schemasOf(row: Method, { method, params }: Exchange, profile: ProfileName): Schema[] {
  const { schema } = row.result;
  if (profile !== "kaia" || !/^debug_trace(Transaction|Call)$/.test(method)) return [schema];
  const { tracer } = (params.at(-1) ?? {}) as { readonly tracer?: unknown };
  const name = CALL_TRACERS.includes(tracer) ? "callTrace" : tracer === undefined ? "structTrace" : "trace";
  return [schema, referencedSchemas(schema)[name] ?? { not: {} }];
}

interface Judged {
  readonly faults: ReadonlySet<string>;
  readonly methods: readonly string[];
}

function judge(file: string): Judged {
  const { node, entries } = readTranscript(`${FOLDER}/${file}`);
  const profile = node.startsWith("klaytn") ? "klaytn" : "kaia";
  const faults = new Set<string>();
  const methods: string[] = [];
  for (const exchange of entries.flatMap(exchangesOf)) {
    const row = views.get(profile)?.find(exchange.method);
    if (row === undefined) continue;
    methods.push(row.name);
    const found = schemasOf(row, exchange, profile).flatMap((schema) =>
      schemaFaults(schema, exchange.result),
    );
    for (const fault of found) faults.add(`${row.name}: ${fault}`);
  }
  return { faults, methods };
}

const judged = new Map<string, Judged>();

/** Results of a file at least; these two files have errors mostly. */
const MIN_RESULTS: Readonly<Record<string, number>> = {
  "arguments-kaia222.json.gz": 40,
  "shapes-kaia222.json.gz": 90,
  "subscriptions-kaia222.json.gz": 40,
};

test.each(FILES)("%s: every result keeps to the schema of its method", (file) => {
  const found = judge(file);
  judged.set(file, found);
  expect([...found.faults]).toEqual([]);
  expect(found.methods.length).toBeGreaterThan(MIN_RESULTS[file] ?? 150);
});

test("the transcripts together have results of most methods of a node", () => {
  expect([...judged.keys()]).toEqual(FILES);
  const methods = new Set([...judged.values()].flatMap((each) => each.methods));
  expect(methods.size).toBeGreaterThan(150);
});

test("a result with a member more, a member less or another form is found", () => {
  const row = views.get("kaia")?.find("eth_getTransactionReceipt");
  const receipt = readTranscript(`${FOLDER}/prague.json.gz`)
    .entries.flatMap(exchangesOf)
    .find(({ method, result }) => method === "eth_getTransactionReceipt" && result !== null)
    ?.result as object;
  const faultsOf = (value: unknown): string => schemaFaults(row?.result.schema ?? {}, value).join();
  expect(faultsOf(receipt)).toBe("");
  expect(faultsOf({ ...receipt, extra: 1 })).toMatch(/must NOT have additional properties.*extra/);
  expect(faultsOf({ ...receipt, logs: undefined })).toMatch(/logs/);
  expect(faultsOf({ ...receipt, gasUsed: "0x01" })).toMatch(/^\/gasUsed must match pattern/);
  expect(faultsOf({ ...receipt, logs: [{}] })).toMatch(/^\/logs\/0 must have required property 'address'/);
});

/** Tests of the dispatch of JSON-RPC messages. */
import { expect, test } from "@jest/globals";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { PARSE_ERROR } from "../../../node/jsonrpc/dispatch.ts";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import { failure, RpcError, rpcCode } from "../../../node/jsonrpc/errors.ts";
import { MemoryBudget } from "../../../node/jsonrpc/memory-budget.ts";
import { type Method, method } from "../../../node/jsonrpc/method.ts";
import { declareCallMetrics, declareRpcMetrics } from "../../../node/jsonrpc/metrics.ts";
import type { ReaderPool } from "../../../node/jsonrpc/reader-pool.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { createOwnerRate } from "../../../node/runtime/owner-rate.ts";
import { aCall, anEndpoint, aSession, gate, recorded } from "../rpc/fixture.ts";

const posts = recorded.http.filter(({ status, method: verb }) => status === 200 && verb === "POST");

test("bodies are answered byte for byte as the Go node answers them", async () => {
  const endpoint = anEndpoint();
  for (const { request, response } of posts) {
    expect([request, (await endpoint.answer(request, aSession)) ?? PARSE_ERROR]).toEqual([request, response]);
  }
  expect(posts.length).toBeGreaterThan(60);
});

test("null is an invalid request, alone and in a batch", () => {
  const invalid = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}';
  expect(anEndpoint().answer("null", aSession)).toBe(`${invalid}\n`);
  expect(anEndpoint().answer("[null]", aSession)).toBe(`[${invalid}]\n`);
});

function failing(error: unknown) {
  return method({
    name: "net_fail",
    summary: "",
    params: {},
    result: text,
    handle: () => {
      throw error;
    },
  });
}

test("an error of another room keeps its words, with the server code", () => {
  const error = Object.assign(new Error("nonce too low"), { code: "nonce-too-low" });
  const answer = anEndpoint({ methods: [failing(error)] }).answer(aCall("net_fail"), aSession);
  expect(answer).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"nonce too low"}}\n');
});

test("an error with its own code keeps code and data", () => {
  const error = new RpcError(3, "execution reverted: <no>", '"0x08"');
  const answer = anEndpoint({ methods: [failing(error)] }).answer(aCall("net_fail"), aSession);
  expect(answer).toBe(
    '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted: \\u003cno\\u003e","data":"0x08"}}\n',
  );
});

test.each([
  ["a defect", new TypeError("x is not a function at /secret/path")],
  ["a system error", Object.assign(new Error("no such file /secret/path"), { code: "ENOENT" })],
  ["something that is no error", "text"],
])("%s is reported inside and answered without internals", (_name, error) => {
  const bugs: unknown[] = [];
  const onBug = (bug: unknown) => void bugs.push(bug);
  const endpoint = anEndpoint({ methods: [failing(error)], options: { onBug } });
  expect(endpoint.answer(aCall("net_fail"), aSession)).toBe(
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}\n',
  );
  expect(bugs).toEqual([error]);
});

test("a rejected handler is answered like one that throws", async () => {
  const late = method({
    name: "net_late",
    summary: "",
    params: {},
    result: text,
    handle: () => Promise.reject(new RpcError(-32000, "no")),
  });
  const endpoint = anEndpoint({ methods: [late] });
  expect(await endpoint.answer(aCall("net_late"), aSession)).toContain(
    '"error":{"code":-32000,"message":"no"}',
  );
});

test("requests beyond the pending limit are refused with one object, batches too", async () => {
  const slow = gate("net_slow");
  const budget = createBudget({ maxPending: 2 });
  const endpoint = anEndpoint({ methods: [slow.method], options: { budget } });
  const first = endpoint.answer(aCall("net_slow"), aSession);
  const second = endpoint.answer(aCall("net_slow"), aSession);
  const refused =
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"server requests exceed the limit"}}\n';
  expect(endpoint.answer(aCall("net_version"), aSession)).toBe(refused);
  expect(endpoint.answer(`[${aCall("net_version")}]`, aSession)).toBe(refused);
  slow.open();
  await Promise.all([first, second]);
  expect(endpoint.answer(aCall("net_version"), aSession)).toContain('"result":"13408"');
});

test("a batch keeps its order around entries that answer late", async () => {
  const slow = gate("net_slow");
  const endpoint = anEndpoint({ methods: [slow.method] });
  const batch = `[${aCall("net_version", [], 1)},${aCall("net_slow", [], 2)},${aCall("net_version", [], 3)}]`;
  const answer = endpoint.answer(batch, aSession);
  slow.open();
  const ids = (JSON.parse((await answer) ?? "") as { id: number }[]).map(({ id }) => id);
  expect(ids).toEqual([1, 2, 3]);
});

test("a batch whose answer grows too large goes on with refusals", async () => {
  const wide = method({
    name: "net_wide",
    summary: "",
    params: {},
    result: text,
    handle: () => "x".repeat(600),
  });
  const endpoint = anEndpoint({
    methods: [wide],
    options: { budget: createBudget({ maxAnswer: 1000 }) },
  });
  const calls = [1, 2, 3].map((id) => aCall("net_wide", [], id));
  const answers = JSON.parse((await endpoint.answer(`[${calls.join(",")}]`, aSession)) ?? "") as Record<
    string,
    unknown
  >[];
  expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(answers[0]).toHaveProperty("result");
  expect(answers[1]).toHaveProperty("error", { code: -32003, message: "response too large" });
  expect(answers[2]).toHaveProperty("error", { code: -32003, message: "response too large" });
});

/** Outcomes of 20 calls, of which so many were carried out. */
const cutAfter = (whole: number): string[] =>
  Array.from({ length: 20 }, (_, i) => (i < whole ? "ok" : "-32005"));

test("while much waits for peers, a batch gets a short answer and an error for the rest; nothing stays counted", async () => {
  const unsent = new MemoryBudget(1_000_000);
  const budget = createBudget({ unsent });
  const wide = "x".repeat(40_000);
  const methods = [textRow("net_wide", () => wide), textRow("net_late", () => Promise.resolve(wide))];
  const endpoint = anEndpoint({ methods, options: { budget } });
  const outcomes = async (name: string): Promise<string[]> => {
    const calls = Array.from({ length: 20 }, (_, id) => aCall(name, [], id));
    const entries = JSON.parse((await endpoint.answer(`[${calls.join(",")}]`, aSession)) ?? "") as {
      error?: { code: number };
    }[];
    return entries.map(({ error }) => (error === undefined ? "ok" : `${error.code}`));
  };
  expect(await outcomes("net_wide")).toEqual(cutAfter(13)); // half a million characters
  expect(await outcomes("net_late")).toEqual(cutAfter(13));
  unsent.hold({ onDrop: () => undefined }, 500_000);
  expect(await outcomes("net_wide")).toEqual(cutAfter(2)); // more than 64 KiB
  expect(budget.unfinished).toBe(0);
});

test("an answer that is too large is refused by its code, whether it comes at once or late", async () => {
  const wide = "x".repeat(1001);
  const budget = createBudget({ maxAnswer: 1000 });
  const methods = [textRow("net_wide", () => wide), textRow("net_late", () => Promise.resolve(wide))];
  const endpoint = anEndpoint({ methods, options: { budget } });
  const refused = '{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"response too large"}}\n';
  expect(await endpoint.answer(aCall("net_wide"), aSession)).toBe(refused);
  expect(await endpoint.answer(aCall("net_late"), aSession)).toBe(refused);
  expect(budget.errors).toBe(2);
});

test("a long batch lets other work run in between and still answers in order", async () => {
  const busy = method({
    name: "net_busy",
    summary: "",
    params: {},
    result: text,
    handle: () => {
      for (const until = performance.now() + 1; performance.now() < until; );
      return "done";
    },
  });
  const endpoint = anEndpoint({ methods: [busy] });
  const calls = Array.from({ length: 60 }, (_, id) => aCall("net_busy", [], id));
  const answer = endpoint.answer(`[${calls.join(",")}]`, aSession);
  expect(typeof answer).not.toBe("string");
  const ids = (JSON.parse((await answer) ?? "") as { id: number }[]).map(({ id }) => id);
  expect(ids).toEqual(calls.map((_, id) => id));
});

test("klay and kaia are the chain module, eth is a module of its own", () => {
  const endpoint = anEndpoint();
  for (const name of ["chain_blockNumber", "klay_blockNumber", "kaia_blockNumber", "eth_blockNumber"]) {
    expect(endpoint.answer(aCall(name), aSession)).toContain('"result":"0x21"');
  }
  expect(endpoint.answer(aCall("klay_chainId"), aSession)).toContain('"code":-32601');
});

test("methods for readers go to the pool with their parameters as written, those about files to run once", async () => {
  const calls: unknown[] = [];
  const readers: ReaderPool = {
    call: (name, params, { runsOnce }) => {
      calls.push([name, params, runsOnce]);
      return Promise.resolve("[]");
    },
  };
  const scan = {
    summary: "",
    params: { what: text },
    result: text,
    runs: "reader",
    handle: () => "",
  } as const;
  const methods = [
    method({ name: "chain_scan", ...scan }),
    method({ name: "chain_note", privilege: "files", ...scan }),
  ];
  const endpoint = anEndpoint({ methods, options: { readers } });
  expect(await endpoint.answer(aCall("klay_scan", ["a b"]), aSession)).toBe(
    '{"jsonrpc":"2.0","id":1,"result":[]}\n',
  );
  await endpoint.answer(aCall("klay_note", ["c"]), aSession);
  expect(calls).toEqual([
    ["chain_scan", '["a b"]', false],
    ["chain_note", '["c"]', true],
  ]);
});

test("a handler learns whose call it is", () => {
  const origins: unknown[] = [];
  const row = method({
    name: "net_origin",
    summary: "",
    params: {},
    result: text,
    handle: (_args, { signal, caller }) => {
      origins.push(signal, caller);
      return "";
    },
  });
  expect(anEndpoint({ methods: [row] }).answer(aCall("net_origin"), aSession)).toContain('"result":""');
  expect(origins).toEqual([aSession.signal, aSession.caller]);
  expect(origins[1]).toBe(aSession.caller);
});

test("calls, failures and what is under way are counted", async () => {
  const slow = gate("net_slow");
  const budget = createBudget();
  const metrics = createMetrics();
  declareRpcMetrics(metrics, budget, createSubscriptionLimit());
  const endpoint = anEndpoint({ methods: [slow.method], options: { budget } });
  const late = endpoint.answer(aCall("net_slow"), aSession);
  await endpoint.answer(`[${aCall("net_version")},${aCall("net_nope")},5]`, aSession);
  const counted = async () => (await metrics.render()).match(/^klaytn_rpc_counts_\w+ \d+$/gm)?.sort();
  expect(await counted()).toEqual([
    "klaytn_rpc_counts_errors 1",
    "klaytn_rpc_counts_pending 1",
    "klaytn_rpc_counts_success 1",
    "klaytn_rpc_counts_total 3",
  ]);
  slow.open();
  await late;
  expect(await counted()).toContain("klaytn_rpc_counts_success 2");
});

test("calls are counted by registered method and by how they end, whatever names callers make up", async () => {
  const metrics = createMetrics();
  const endpoint = anEndpoint({
    methods: [
      ends("net_fine"),
      ends("net_long"),
      ends("net_failed", failure("no")),
      ends("net_reverted", new RpcError(rpcCode.reverted, "execution reverted")),
      ends("net_defect", new TypeError("of ours")),
      ends("net_many", failure("above the rate", "too-many-calls")),
    ],
    options: {
      budget: createBudget({ maxAnswer: 100, onCall: declareCallMetrics(metrics) }),
      onBug: () => undefined,
    },
  });
  const names = ["fine", "fine", "long", "failed", "reverted", "defect", "many", "made", "up", "subscribe"];
  for (const name of names) await endpoint.answer(aCall(`net_${name}`), aSession);
  await endpoint.answer(aCall("net_fine", "[1]"), aSession);
  const scraped = await metrics.render();
  expect(
    [...scraped.matchAll(/^knit_rpc_calls_total\{(.*)\} (\d+)$/gm)].map(([, ...found]) => found),
  ).toEqual([
    ['method="net_fine",outcome="ok"', "2"],
    ['method="net_long",outcome="too_large"', "1"],
    ['method="net_failed",outcome="failed"', "1"],
    ['method="net_reverted",outcome="reverted"', "1"],
    ['method="net_defect",outcome="defect"', "1"],
    ['method="net_many",outcome="too_many"', "1"],
    ['method="unknown",outcome="no_method"', "2"],
    ['method="subscribe",outcome="failed"', "1"],
    ['method="net_fine",outcome="bad_parameters"', "1"],
  ]);
  expect(scraped).toContain('knit_rpc_call_duration_seconds_count{method="net_fine"} 3\n');
});

/** Fails with the error; without one, a long answer if it is called so. */
function ends(name: string, error?: Error): Method {
  return textRow(name, () => {
    if (error !== undefined) throw error;
    return "x".repeat(name === "net_long" ? 200 : 1);
  });
}

function textRow(name: string, handle: () => string | Promise<string>): Method {
  return method({ name, summary: "", params: {}, result: text, handle });
}

/** Answers of entries that are no calls, as a batch of 500 kB has 170,000 of. */
const manyInvalid = (count: number): string => `[${Array.from({ length: count }, () => "{}").join(",")}]`;

test("a batch of entries without an id is refused as a whole once its refusals are long", async () => {
  const endpoint = anEndpoint({ options: { budget: createBudget({ maxAnswer: 100_000 }) } });
  const answer = (await endpoint.answer(manyInvalid(150_000), aSession)) ?? "";
  expect(answer.length).toBeLessThan(100_000 + 512 * 1024);
  const answers = JSON.parse(answer) as { readonly error: { readonly code: number } }[];
  expect(answers[0]?.error.code).toBe(-32600);
  expect(answers.at(-1)).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32003, message: "response too large" },
  });
});

test("a long batch is read in pieces, between which other work is done", async () => {
  const endpoint = anEndpoint();
  let turns = 0;
  const turn = (): void => {
    turns++;
    counting = setImmediate(turn);
  };
  let counting = setImmediate(turn);
  const answer = await endpoint.answer(`[${aCall("net_version")},${"[],".repeat(300_000)}[]]`, aSession);
  clearImmediate(counting);
  expect(turns).toBeGreaterThan(1);
  expect(answer).toContain('"code":-32600');
});

test("a long batch that is not JSON is found out later", async () => {
  const endpoint = anEndpoint();
  const isJson = [manyInvalid(30_000), `${manyInvalid(30_000)} x`, `[${" ".repeat(70_000)}]`];
  for (const each of isJson) expect(await endpoint.answer(each, aSession)).toContain('"code":-32600');
  const isNot = [
    manyInvalid(30_000).slice(0, -1),
    manyInvalid(30_000).replace("{}]", "{]"),
    "[".repeat(70_000),
  ];
  for (const each of isNot) {
    const answer = endpoint.answer(each, aSession);
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBeUndefined();
  }
});

test("a long batch that finds no memory for its calls is refused, and what others hold stays counted", async () => {
  const calls = new MemoryBudget(8 * 1024 * 1024);
  const budget = createBudget({ calls });
  const slow = gate("net_slow");
  const endpoint = anEndpoint({ methods: [slow.method], options: { budget } });
  const caller = { onDrop: () => undefined };
  const batch = `[${aCall("net_slow")},${"{},".repeat(20_000)}{}]`;
  const first = endpoint.answer(batch, { ...aSession, caller });
  expect(calls.of(caller)).toBeGreaterThan(20_000 * 56);
  expect(calls.of(caller)).toBeLessThan(4 * 1024 * 1024);
  const hostile = { ...aSession, caller: { onDrop: () => undefined } };
  expect(await endpoint.answer(manyInvalid(150_000), hostile)).toContain('"code":-32005');
  slow.open();
  expect(JSON.parse((await first) ?? "")).toHaveLength(20_002);
  expect([calls.used, budget.unfinished]).toEqual([0, 0]);
});

test("a short batch that has to wait is charged, and refused entry by entry without room", async () => {
  const budget = createBudget({ calls: new MemoryBudget(1000) });
  const slow = gate("net_slow");
  const endpoint = anEndpoint({ methods: [slow.method], options: { budget } });
  const batch = `[${aCall("net_slow", [], 1)},${aCall("net_version", ["x".repeat(2000)], 2)}]`;
  const answer = endpoint.answer(batch, aSession);
  slow.open();
  const answers = JSON.parse((await answer) ?? "") as { id: number; error?: { code: number } }[];
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, -32005],
  ]);
  expect([budget.calls.used, budget.unfinished]).toEqual([0, 0]);
});

test("calls of a client above its rate are refused one by one; other clients and IPC are not", () => {
  const clock = { ms: 1_000, now: () => clock.ms };
  const each = { perSecond: 2, burst: 3 };
  const endpoint = anEndpoint({
    options: { budget: createBudget({ isWithinRate: createOwnerRate({ each, owners: 8 }, clock) }) },
  });
  const ask = (owner: string | undefined, message: string): string[] => {
    const session = { ...aSession, caller: { owner, onDrop: () => undefined } };
    return [...(endpoint.answer(message, session) as string).matchAll(/"result":"13408"|"code":-32005/g)].map(
      ([found]) => found,
    );
  };
  const [good, refused] = ['"result":"13408"', '"code":-32005'];
  const call = aCall("net_version");
  expect(ask("a", `[${call},${call},${call},${call}]`)).toEqual([good, good, good, refused]);
  expect([ask("a", call), ask("b", call), ask(undefined, call)]).toEqual([[refused], [good], [good]]);
  clock.ms += 500;
  expect([ask("a", call), ask("a", call)]).toEqual([[good], [refused]]);
});

test("a batch above the limit of calls is refused as a whole", () => {
  const endpoint = anEndpoint({ options: { budget: createBudget({ maxBatch: 2 }) } });
  const call = aCall("net_version");
  expect(endpoint.answer(`[${call},${call},${call}]`, aSession)).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch has at most 2 calls"}}\n',
  );
  expect(endpoint.answer(`[${call},${call}]`, aSession)).toContain('"result":"13408"');
});

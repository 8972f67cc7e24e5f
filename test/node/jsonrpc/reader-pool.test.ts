/** Tests of the reader threads. */
import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { nothing } from "../../../node/jsonrpc/codecs/plain.ts";
import { failure } from "../../../node/jsonrpc/errors.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { openReaderPool, type ReaderPoolOptions } from "../../../node/jsonrpc/reader-pool.ts";
import { serveReader } from "../../../node/jsonrpc/reader-thread.ts";

let directory: string;
let entry: URL;

/** A thread that echoes, spins for ever or until a file is there, dies or answers with an error; it may be slow to start, and notes its end. */
const THREAD = `
import { existsSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
await new Promise((resolve) => setTimeout(resolve, workerData?.startMs ?? 0));
parentPort.on("message", (request) => {
  if (request === null) {
    if (workerData?.note) writeFileSync(workerData.note, "ended by itself");
    return parentPort.close();
  }
  const { id, name, params } = request;
  if (name === "data") return parentPort.postMessage({ id, result: String(workerData.value) });
  if (name === "spin") for (;;);
  if (name === "until") while (!existsSync(JSON.parse(params)[0]));
  if (name === "busy") for (const end = performance.now() + JSON.parse(params)[0]; performance.now() < end; );
  if (name === "die") process.exit(3);
  if (name === "hoard") for (const all = []; ; ) all.push(Array.from({ length: 1000 }, () => ({ all })));
  if (name === "fail") return parentPort.postMessage({ id, error: { code: 3, message: "no", data: '"0x08"', reason: "deadline" } });
  if (name === "late") return setTimeout(() => parentPort.postMessage({ id, result: params }), 50);
  parentPort.postMessage({ id, result: params });
});
parentPort.postMessage("up");
`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "rpc-readers-"));
  const file = join(directory, "thread.mjs");
  await writeFile(file, THREAD);
  entry = pathToFileURL(file);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

function aPool(more: Partial<ReaderPoolOptions> = {}) {
  const bugs: unknown[] = [];
  return {
    bugs,
    pool: openReaderPool({
      entry,
      maxThreads: 1,
      deadlineMs: 10_000,
      onBug: (bug) => void bugs.push(bug),
      ...more,
    }),
  };
}

const terms = { signal: new AbortController().signal };

test("threads start on first need, at most as many as allowed, and are used again", async () => {
  const { pool } = aPool({ maxThreads: 2 });
  await using _closing = pool;
  expect(pool.threads).toBe(0);
  const answers = await Promise.all([1, 2, 3, 4, 5].map((value) => pool.call("echo", `[${value}]`, terms)));
  expect(answers).toEqual(["[1]", "[2]", "[3]", "[4]", "[5]"]);
  expect(pool.threads).toBe(2);
});

test("a short call does not wait for endless ones, which fill the threads", async () => {
  const { pool } = aPool({ maxThreads: 2, deadlineMs: 30_000 });
  await using _closing = pool;
  const endless = [1, 2, 3].map(() => pool.call("spin", "[]", terms).catch(() => "ended"));
  expect(await Promise.race([pool.call("echo", "[1]", terms), ...endless])).toBe("[1]");
  expect(await Promise.race([pool.call("echo", "[2]", terms), ...endless])).toBe("[2]");
  expect([pool.threads, pool.waiting]).toEqual([2, 2]);
});

test("a short call does not wait for endless ones in the only thread", async () => {
  const { pool } = aPool({ deadlineMs: 30_000 });
  await using _closing = pool;
  const endless = [1, 2, 3].map(() => pool.call("spin", "[]", terms).catch(() => "ended"));
  expect(await Promise.race([pool.call("echo", "[1]", terms), ...endless])).toBe("[1]");
  expect(await Promise.race([pool.call("echo", "[2]", terms), ...endless])).toBe("[2]");
  expect([pool.threads, pool.waiting]).toEqual([1, 2]);
});

test("the only thread gives a longer call more time each time, however many short ones come", async () => {
  const { pool } = aPool();
  await using _closing = pool;
  const longer = pool.call("busy", "[500]", terms);
  let answer = "[1]";
  while (answer === "[1]") answer = await Promise.race([longer, pool.call("echo", "[1]", terms)]);
  expect(answer).toBe("[500]");
});

test("the only thread does not break off a call that must not begin twice", async () => {
  const { pool } = aPool();
  await using _closing = pool;
  const order: string[] = [];
  const ask = async (name: string, params: string, runsOnce: boolean) => {
    order.push(await pool.call(name, params, { ...terms, runsOnce }));
  };
  await Promise.all([ask("busy", "[500]", true), ask("echo", "[1]", false)]);
  expect(order).toEqual(["[500]", "[1]"]);
});

test("all runs of a call that gives way have one deadline together", async () => {
  const { pool } = aPool({ deadlineMs: 1100 });
  await using _closing = pool;
  const longer = pool.call("busy", "[1000]", terms).catch((error: Error) => error.message);
  expect(await pool.call("echo", "[1]", terms)).toBe("[1]");
  expect(await longer).toBe("query timeout exceeded");
});

test("a longer call that gave way to a short one begins anew and is answered", async () => {
  const { pool } = aPool({ maxThreads: 2, deadlineMs: 60_000 });
  await using _closing = pool;
  const file = join(directory, "released");
  const params = JSON.stringify([file]);
  const long = [1, 2].map(() => pool.call("until", params, terms));
  expect(await Promise.race([pool.call("echo", "[0]", terms), ...long])).toBe("[0]");
  await writeFile(file, "");
  expect(await Promise.all(long)).toEqual([params, params]);
});

test("a call that gives way after its caller has gone does not begin anew", async () => {
  const { pool } = aPool({ maxThreads: 2, deadlineMs: 30_000 });
  await using _closing = pool;
  const caller = new AbortController();
  const endless = pool.call("spin", "[]", terms).catch(() => "ended");
  const gone = pool.call("spin", "[]", { signal: caller.signal });
  caller.abort();
  expect(await pool.call("echo", "[1]", terms)).toBe("[1]");
  await expect(gone).rejects.toThrow("request cancelled");
  expect(pool.waiting).toBe(0);
  expect(await Promise.race([endless, Promise.resolve("running")])).toBe("running");
});

test("a call that must not begin twice waits for a thread that does not break it off", async () => {
  const { pool } = aPool({ maxThreads: 2 });
  await using _closing = pool;
  const first = pool.call("busy", "[300]", terms);
  const once = pool.call("echo", "[1]", { ...terms, runsOnce: true });
  expect([pool.threads, pool.waiting]).toEqual([1, 1]);
  expect(await Promise.all([first, once])).toEqual(["[300]", "[1]"]);
});

test("after a renewal calls run in threads with the data of then, also behind one that is under way", async () => {
  const workerData = { value: 1 };
  const { pool } = aPool({ workerData });
  await using _closing = pool;
  expect(await pool.call("data", "[]", terms)).toBe("1");
  const underWay = pool.call("late", "[1]", terms);
  workerData.value = 2;
  const renewed = pool.renew();
  expect(await Promise.all([underWay, pool.call("data", "[]", terms)])).toEqual(["[1]", "2"]);
  await renewed;
  workerData.value = 3;
  await pool.renew();
  expect(await pool.call("data", "[]", terms)).toBe("3");
  expect(pool.threads).toBe(1);
});

test("a renewal resolves when the former threads have ended, also by a deadline and those that ended before", async () => {
  const { pool } = aPool({ maxThreads: 3, deadlineMs: 300 });
  await using _closing = pool;
  await pool.call("echo", "[1]", terms);
  pool.rest();
  let answered = 0;
  const calls = ["late", "spin"].map((name) =>
    pool.call(name, "[1]", terms).then(
      () => answered++,
      () => answered++,
    ),
  );
  while (pool.threads < 2) await new Promise((resolve) => setImmediate(resolve));
  await pool.renew();
  expect(answered).toBe(2);
  expect(pool.threads).toBe(0);
  await Promise.all(calls);
});

test("threads that wait end by themselves, those that are not up yet too: to terminate them may end the process", async () => {
  for (const startMs of [0, 300]) {
    const note = join(directory, `note-${startMs}`);
    const { pool } = aPool({ workerData: { note, startMs } });
    const asked = pool.call("echo", "[1]", terms).catch(() => "[]");
    if (startMs === 0) await asked;
    await pool[Symbol.asyncDispose]();
    expect([await asked, await readFile(note, "utf8")]).toEqual([
      startMs === 0 ? "[1]" : "[]",
      "ended by itself",
    ]);
  }
});

test("a call's time begins when its thread is up", async () => {
  const { pool } = aPool({ deadlineMs: 1, workerData: { startMs: 200 } });
  await using _closing = pool;
  await expect(pool.call("spin", "[]", terms)).rejects.toThrow("query timeout exceeded");
  const patient = aPool({ deadlineMs: 5_000, workerData: { startMs: 200 } });
  await using _also = patient.pool;
  expect(await patient.pool.call("echo", "[7]", terms)).toBe("[7]");
});

test("an error keeps its code and data", async () => {
  const { pool } = aPool();
  await using _closing = pool;
  await expect(pool.call("fail", "[]", terms)).rejects.toMatchObject({
    code: 3,
    message: "no",
    data: '"0x08"',
    reason: "deadline",
  });
});

test("a thread sends the reason of a failure with the error that callers see", async () => {
  const { port1, port2 } = new MessageChannel();
  const failing = method({
    name: "chain_failing",
    summary: "",
    params: {},
    result: nothing,
    handle: () => {
      throw failure("query returned more than 3 results", "too-many-results");
    },
  });
  const replies: unknown[] = [];
  const answered = new Promise<void>((resolve) => {
    port2.on("message", (reply) => {
      if (replies.push(reply) === 2) resolve();
    });
  });
  serveReader(port1, [failing], { onBug: (bug) => void replies.push(bug), onEnd: () => undefined });
  port2.postMessage({ id: 1, name: "chain_failing", params: "[]" });
  await answered;
  port2.close();
  expect(replies).toEqual([
    "up",
    {
      id: 1,
      error: { code: -32000, message: "query returned more than 3 results", reason: "too-many-results" },
    },
  ]);
});

test("a call past its deadline is ended with its thread, and the next one is served", async () => {
  const { pool } = aPool({ deadlineMs: 300 });
  await using _closing = pool;
  const spinning = pool.call("spin", "[]", terms);
  const waiting = pool.call("echo", "[7]", terms);
  await expect(spinning).rejects.toMatchObject({
    code: -32000,
    message: "query timeout exceeded",
    reason: "deadline",
  });
  expect(await waiting).toBe("[7]");
});

test("a thread that dies is reported, its caller learns nothing of it, and the next call is served", async () => {
  const { pool, bugs } = aPool();
  await using _closing = pool;
  await expect(pool.call("die", "[]", terms)).rejects.toMatchObject({
    code: -32603,
    message: "internal error",
  });
  expect(bugs).toHaveLength(1);
  expect(await pool.call("echo", "[7]", terms)).toBe("[7]");
});

test("a call that fills its thread's heap is refused by its code, is no defect, and the next one is served", async () => {
  const { pool, bugs } = aPool({ heapBytes: 40 * 2 ** 20, deadlineMs: 60_000 });
  await using _closing = pool;
  await expect(pool.call("hoard", "[]", terms)).rejects.toMatchObject({
    code: -32005,
    message: "the call needs more memory than the node has for one",
  });
  expect(bugs).toEqual([]);
  expect(await pool.call("echo", "[7]", terms)).toBe("[7]");
});

test("while memory is short calls are refused by their code", async () => {
  let isShort = true;
  const { pool } = aPool({ isShort: () => isShort });
  await using _closing = pool;
  await expect(pool.call("echo", "[]", terms)).rejects.toMatchObject({
    code: -32005,
    message: "the node is short of memory: try again later",
  });
  isShort = false;
  expect(await pool.call("echo", "[7]", terms)).toBe("[7]");
});

test("threads that have nothing to do can be let go; one that works goes on, and the next call starts another", async () => {
  const { pool } = aPool({ maxThreads: 2, deadlineMs: 60_000 });
  await using _closing = pool;
  const both = [pool.call("echo", "[1]", terms), pool.call("echo", "[2]", terms)];
  await Promise.all(both);
  const late = pool.call("late", "[3]", terms);
  pool.rest();
  expect(pool.threads).toBe(1);
  expect(await late).toBe("[3]");
  pool.rest();
  expect(pool.threads).toBe(0);
  expect(await pool.call("echo", "[4]", terms)).toBe("[4]");
});

test("calls beyond the queue are refused", async () => {
  const { pool } = aPool({ maxWaiting: 2, deadlineMs: 60_000 });
  const running = pool.call("spin", "[]", terms);
  const queued = [pool.call("echo", "[]", terms), pool.call("echo", "[]", terms)];
  await expect(pool.call("echo", "[]", terms)).rejects.toThrow("too many requests are waiting for a reader");
  expect(pool.waiting).toBe(2);
  const ended = Promise.allSettled([running, ...queued]);
  await pool[Symbol.asyncDispose]();
  expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  await expect(pool.call("echo", "[]", terms)).rejects.toThrow("the node is stopping");
});

/** A connection of this client. */
const caller = (owner: string) => ({ ...terms, caller: { owner, onDrop: () => undefined } });

test("a client with one call does not wait for the many calls of another's many connections", async () => {
  const { pool } = aPool();
  await using _closing = pool;
  await pool.call("late", "[]", caller("crowd"));
  const done: string[] = [];
  const called = (owner: string) => pool.call("late", "[]", caller(owner)).then(() => done.push(owner));
  const crowd = Array.from({ length: 10 }, () => called("crowd"));
  await Promise.all([...crowd.slice(0, 4), called("good")]);
  expect(done.indexOf("good")).toBeLessThanOrEqual(1); // behind the call under way
  await Promise.all(crowd);
});

test("a full queue loses the newest call of the client with the most in it, not that of a client with few", async () => {
  const sizes: [Partial<ReaderPoolOptions>, string][] = [
    [{ maxWaiting: 3 }, "[]"],
    [{ maxWaitingBytes: 40 }, `["${"a".repeat(8)}"]`], // three of twelve bytes fit
  ];
  for (const [size, params] of sizes) {
    const { pool } = aPool({ ...size, deadlineMs: 60_000 });
    const busy = caller("crowd");
    const running = pool.call("late", "[0]", busy);
    const crowd = [1, 2, 3].map(() => pool.call("echo", params, busy));
    const good = pool.call("echo", params, caller("good"));
    await expect(crowd[2]).rejects.toThrow("too many requests are waiting for a reader");
    await expect(pool.call("echo", params, busy)).rejects.toThrow(
      "too many requests are waiting for a reader",
    );
    expect(await Promise.all([running, crowd[0], crowd[1], good])).toEqual(["[0]", params, params, params]);
    expect(pool.waiting).toBe(0);
    await pool[Symbol.asyncDispose]();
  }
});

test("a call whose caller has gone leaves the queue", async () => {
  const { pool } = aPool({ deadlineMs: 60_000 });
  const running = pool.call("spin", "[]", terms);
  const leaving = new AbortController();
  const left = pool.call("echo", "[]", leaving);
  leaving.abort();
  await expect(left).rejects.toThrow("request cancelled");
  expect(pool.waiting).toBe(0);
  const ended = Promise.allSettled([running]);
  await pool[Symbol.asyncDispose]();
  await ended;
});

test("a signal that outlives its calls is left as it was, and one that is over gets no thread", async () => {
  const { pool } = aPool();
  await using _closing = pool;
  const { signal } = new AbortController();
  for (let i = 0; i < 5; i++) expect(await pool.call("echo", "[1]", { signal })).toBe("[1]");
  await expect(pool.call("fail", "", { signal })).rejects.toMatchObject({ code: 3 });
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await expect(pool.call("echo", "", { signal: AbortSignal.abort() })).rejects.toThrow("request cancelled");
});

/** Signs for ever in reader threads that are terminated after a millisecond, ten times. */
function endlessSigning(thread: string): string {
  return `
import { openReaderPool } from ${JSON.stringify(new URL("../../../node/jsonrpc/reader-pool.ts", import.meta.url).href)};
const options = { entry: new URL(${JSON.stringify(thread)}), maxThreads: 2, deadlineMs: 1, onBug: console.error };
await using pool = openReaderPool(options);
const { signal } = new AbortController();
for (let call = 0; call < 10; call++) await pool.call("sign", "", { signal }).catch(({ message }) => console.log(message));
`;
}
const SIGNING_THREAD = `
import { parentPort } from "node:worker_threads";
import { loadNativeCurve } from ${JSON.stringify(new URL("../../../node/crypto/secp256k1-native.ts", import.meta.url).href)};
import { serveReader } from ${JSON.stringify(new URL("../../../node/jsonrpc/reader-thread.ts", import.meta.url).href)};
const [key, digest] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const curve = loadNativeCurve();
const invoke = () => { for (;;) curve.sign(digest, key); };
serveReader(parentPort, [{ name: "sign", invoke }], { onBug: console.error, onEnd: () => undefined });
`;

test("threads that are terminated while they sign natively leave the process alive", async () => {
  const [thread, main] = [join(directory, "signing-thread.mjs"), join(directory, "signing.mjs")];
  await writeFile(thread, SIGNING_THREAD);
  await writeFile(main, endlessSigning(pathToFileURL(thread).href));
  const { stdout } = await promisify(execFile)(process.execPath, [main]);
  expect(stdout).toBe("query timeout exceeded\n".repeat(10));
}, 60_000);

/** Every method the node has, asked as no honest client asks; and passphrases, which nothing may repeat. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MAIN } from "../support/knit-process.ts";

const PASSPHRASE = "correct horse battery staple";

let directory: string;
let node: Running;

interface Running {
  readonly output: () => string;
  readonly metrics: string;
  stop(): Promise<unknown>;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A development chain in a directory of its own, where methods that write files write them. */
async function startNode(): Promise<Running> {
  const flags = [
    "--rpcport=0",
    "--wsport=0",
    "--prometheusport=0",
    "--verbosity=5",
    `--datadir=${directory}`,
  ];
  const child = spawn(process.execPath, [MAIN, "dev", ...flags], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const metrics = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const url = /Metrics +(http:\S+)\n/.exec(text)?.[1];
      if (url !== undefined) metrics.resolve(url);
    });
  }
  child.once("exit", () => metrics.reject(new Error(`knit ended: ${text}`)));
  return {
    metrics: await metrics.promise,
    output: () => text,
    stop: () => {
      child.kill("SIGTERM");
      return once(child, "exit");
    },
  };
}

/** One connection to the node's socket; an answer to each call, whatever its order. */
function openIpc(): { socket: Socket; ask(method: string, params: string): Promise<Answer> } {
  const socket = connect({ path: join(directory, "knit.ipc") });
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer;
      waiting.get(answer.id)?.(answer);
    }
  });
  return {
    socket,
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = ++last;
        waiting.set(id, resolve);
        socket.write(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}\n`);
      }),
  };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-hostile-"));
  node = await startNode();
}, 60_000);
afterAll(async () => {
  await node.stop();
  await rm(directory, { recursive: true, force: true });
});

const DEEP = 9_000;
const ADDRESS = `"0x${"12".repeat(20)}"`;

/** Values for one parameter, as JSON text. */
const VALUES: readonly string[] = [
  "null",
  "{}",
  "[]",
  "true",
  "-1",
  "1.5",
  "1e400",
  "9007199254740993",
  "123456789012345678901234567890",
  '""',
  '"0x"',
  '"0xzz"',
  '"\\ud800"',
  '"\\u0000"',
  '"latest"',
  '"../../../etc/passwd"',
  ADDRESS,
  `"0x${"ff".repeat(32)}"`,
  `"0x${"ff".repeat(10_000)}"`,
  `"${"x".repeat(20_000)}"`,
  `[${"0,".repeat(4_000)}0]`,
  "[".repeat(DEEP) + "]".repeat(DEEP),
  `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`,
  '{"__proto__":{"from":"0x"},"constructor":1,"toString":null}',
  `{"from":${ADDRESS},"to":${ADDRESS},"gas":"0xffffffffffffffff","value":"0x1","data":"0x${"00".repeat(1000)}"}`,
  '{"fromBlock":"0x0","toBlock":"0xffffffffffffffff","topics":[[[]],{},null]}',
  '{"blockNumber":"0xffffffffffffffff","blockHash":"0x"}',
];

/** Every value for every method, not each eighth. */
const STEP = process.env["KNIT_ALL_CASES"] === "1" ? 1 : 8;

/** Whole parameter lists for the method at this place of the list, which takes `count`. */
function lists(count: number, place: number): string[] {
  const oddities = ["null", "{}", '"x"', "5", `[${"null,".repeat(50)}null]`, "[]"];
  const values = VALUES.filter((_, at) => (at + place) % STEP === 0);
  const alike = values.map((value) => `[${Array(Math.max(1, count)).fill(value).join(",")}]`);
  const last = values.map(
    (value) => `[${[...Array(Math.max(0, count - 1)).fill(ADDRESS), value].join(",")}]`,
  );
  return [...oddities, ...alike, ...(count > 1 ? last : [])];
}

test("whatever its parameters are, each method answers with a result or a code, and none has a defect", async () => {
  const { socket, ask } = openIpc();
  const document = (await ask("rpc.discover", "[]")).result as {
    methods: { name: string; params: unknown[]; "x-aliases"?: string[] }[];
  };
  expect(document.methods.length).toBeGreaterThan(60);
  const defects: unknown[] = [];
  for (const [place, { name, params }] of document.methods.entries()) {
    const answers = lists(params.length, place).map(async (list) => {
      const { error } = await ask(name, list);
      const isAnswer = error?.message.startsWith("Unable to set ERC20"); // with Anvil's code
      if (error?.code === -32603 && isAnswer !== true) defects.push([name, list.slice(0, 200), error]);
    });
    await Promise.all(answers);
  }
  expect(defects).toEqual([]);
  expect(node.output()).not.toContain("failed by an internal error");
  await ask("anvil_setLoggingEnabled", "[false]"); // a method above has switched it on
  const before = node.output().length;
  expect((await ask("net_version", "[]")).result).toBe("1337");
  expect(node.output().slice(before)).not.toContain("net_version"); // calls are not logged, at any level
  socket.destroy();
}, 300_000);

test("no passphrase is in an answer, a log line or a metric, wherever it was put", async () => {
  const { socket, ask } = openIpc();
  const document = (await ask("rpc.discover", "[]")).result as {
    methods: { name: string; params: unknown[] }[];
  };
  const methods = document.methods.filter(({ name }) => name.startsWith("personal_"));
  expect(methods.length).toBeGreaterThan(5);
  const secret = JSON.stringify(PASSPHRASE);
  const account = JSON.stringify((await ask("personal_newAccount", `[${secret}]`)).result);
  const transaction = `{"from":${account},"to":${account},"value":"0x1"}`;
  for (const { name, params } of methods) {
    for (const first of [account, transaction, '"0x00"', "5", secret]) {
      for (const more of [[], [account], ["5"], [secret]]) {
        const rest = Array(Math.max(0, params.length - 1 - more.length)).fill(secret);
        const { error, result } = await ask(name, `[${[first, ...more, ...rest].join(",")}]`);
        expect([name, JSON.stringify({ error, result: result ?? null })]).toEqual([
          name,
          expect.not.stringContaining("horse"),
        ]);
      }
    }
  }
  expect(await (await fetch(node.metrics)).text()).not.toContain("horse");
  expect(node.output()).not.toContain("horse");
  socket.destroy();
}, 300_000);

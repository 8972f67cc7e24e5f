/**
 * Ethereum's published API cases (ethereum/execution-apis, `tests/`) as shapes: each request is sent to a node on a
 * recorded chain, and the answer has to have the members and forms of the published one, or an error where that has one.
 * Hashes and numbers of Ethereum's chain are replaced by those of a block or transaction of the same kind here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { shapeDifferences } from "./answer-shape.ts";
import { apiRuleFor } from "./suite-api-rules.ts";
import { type Comparison, Tally } from "./tally.ts";
import { startTranscriptNode } from "./transcript/transcript-node.ts";

/** An answer of JSON-RPC; `null` results are answers too. */
interface ApiAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface ApiRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Exchange {
  readonly request: ApiRequest;
  readonly answer: ApiAnswer;
}

/** A chain with transactions of every type of Ethereum. */
const CHAIN = fileURLToPath(new URL("../vectors/chains/osaka-randao", import.meta.url));

/** Judges the folder of the cases, whose folders are named for methods. */
export async function apiFolder(directory: string): Promise<Comparison> {
  const tally = new Tally();
  const transcript = { chain: "", node: "kaia-2.2.2", networkId: 77, nodeKey: "01".repeat(32), entries: [] };
  await using node = await startTranscriptNode(transcript, { folder: CHAIN, left: 0 });
  if (node.missing !== undefined) throw new Error(`the chain was not imported: ${node.missing}`);
  const ask = askAt(`http://127.0.0.1:${node.httpPort}`);
  const stand = await standInsOf(ask);
  for (const path of casesIn(directory)) {
    for (const exchange of exchangesOf(path)) {
      const what = `${basename(dirname(path))}/${basename(path)}`;
      await tally.awaited(what, async () => judgeExchange(tally, what, exchange, { ask, stand }));
    }
  }
  return tally.comparison;
}

type Ask = (request: ApiRequest) => Promise<ApiAnswer>;

function askAt(url: string): Ask {
  return async ({ method, params }) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    return (await (await fetch(url, { method: "POST", headers, body })).json()) as ApiAnswer;
  };
}

function casesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".io"))
    .sort()
    .map((name) => join(directory, name));
}

/** The requests of a case with their answers: lines after `>> ` and `<< `. */
function exchangesOf(path: string): Exchange[] {
  const lines = readFileSync(path, "utf8").split("\n");
  const texts = (sign: string): string[] =>
    lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(sign.length));
  const answers = texts("<< ");
  return texts(">> ").map((text, index) => {
    const { method, params = [] } = JSON.parse(text) as Partial<ApiRequest>;
    return {
      request: { method: method ?? "", params },
      answer: JSON.parse(answers[index] ?? "{}") as ApiAnswer,
    };
  });
}

interface Played {
  readonly ask: Ask;
  readonly stand: StandIns;
}

async function judgeExchange(
  tally: Tally,
  what: string,
  { request, answer }: Exchange,
  { ask, stand }: Played,
): Promise<void> {
  const found = await ask(withStandIns(request, answer, stand));
  const differences = differencesOf(answer, found);
  if (differences.length === 0) {
    tally.pass();
    return;
  }
  const rules = differences.map((difference) => apiRuleFor(request.method, difference));
  const [first] = rules;
  if (first === undefined || rules.includes(undefined)) {
    tally.fail(`${what}: ${differences.filter((_, i) => rules[i] === undefined).join("; ")}`);
  } else tally.exclude(first.name);
}

function differencesOf(expected: ApiAnswer, found: ApiAnswer): readonly string[] {
  if (expected.error !== undefined)
    return found.error === undefined ? [`no error, expected ${expected.error.message}`] : [];
  if (found.error !== undefined) return [`error ${found.error.code}: ${found.error.message}`];
  return shapeDifferences(expected.result, found.result);
}

/** Blocks and transactions of the recorded chain in place of Ethereum's. */
interface StandIns {
  readonly head: number;
  readonly block: { readonly hash: string; readonly number: string };
  /** Transactions by their type, and whether they create a contract. */
  readonly transactions: ReadonlyMap<string, string>;
}

interface BlockAnswer {
  readonly hash: string;
  readonly number: string;
  readonly transactions: readonly TransactionAnswer[];
}

interface TransactionAnswer {
  readonly hash: string;
  readonly type: string;
  readonly to: string | null;
}

async function standInsOf(ask: Ask): Promise<StandIns> {
  const head = Number((await ask({ method: "eth_blockNumber", params: [] })).result);
  const transactions = new Map<string, string>();
  let block: BlockAnswer | undefined;
  for (let number = 0; number <= head; number++) {
    const params = [`0x${number.toString(16)}`, true];
    const { result } = (await ask({ method: "eth_getBlockByNumber", params })) as { result: BlockAnswer };
    if (result.transactions.length > 0) block ??= result;
    for (const tx of result.transactions) transactions.set(kindOf(tx), tx.hash);
  }
  if (block === undefined) throw new Error("the recorded chain has no transaction");
  return { head, block, transactions };
}

function kindOf({ type, to }: TransactionAnswer): string {
  return `${type} ${to === null ? "create" : "call"}`;
}

const OF_TRANSACTION = /^(eth_getTransaction(ByHash|Receipt)|debug_(trace|getRaw)Transaction)$/;

const BY_NUMBER_AND_INDEX = /^eth_getTransactionByBlockNumberAndIndex$/;

/** The request with stand-ins for what the recorded chain does not have; absent things stay absent. */
function withStandIns(request: ApiRequest, { result }: ApiAnswer, stand: StandIns): ApiRequest {
  const { method, params } = request;
  if (result === null || result === undefined) return request;
  if (OF_TRANSACTION.test(method)) {
    const hash = stand.transactions.get(kindOf(result as TransactionAnswer));
    return { method, params: [hash ?? [...stand.transactions.values()].at(-1), ...params.slice(1)] };
  }
  if (BY_NUMBER_AND_INDEX.test(method)) return { method, params: [stand.block.number, ...params.slice(1)] };
  return { method, params: params.map((param) => standInFor(param, stand)) };
}

function standInFor(param: unknown, stand: StandIns): unknown {
  if (typeof param === "string") {
    if (/^0x[0-9a-f]{64}$/.test(param)) return stand.block.hash;
    const isLate = /^0x[0-9a-f]{1,8}$/.test(param) && Number(param) > stand.head;
    return isLate ? stand.block.number : param;
  }
  if (typeof param !== "object" || param === null || Array.isArray(param)) return param;
  const places = ["blockHash", "fromBlock", "toBlock"];
  return Object.fromEntries(
    Object.entries(param).map(([name, value]) => [
      name,
      places.includes(name) ? standInFor(value, stand) : value,
    ]),
  );
}

/**
 * The chain that a development chain forks, at one block, read through JSON-RPC. In: a URL and perhaps a block. Out:
 * accounts and storage slots, each asked for once: answers are kept in a file that is named for chain and block, so the
 * next fork of the same block, and one whose origin has gone, reads them from there.
 */
import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { data, hash as hashCodec, numberQuantity, quantity, quantity64 } from "../jsonrpc/codecs/hex.ts";
import { failure, type RpcError } from "../jsonrpc/errors.ts";
import { encodeAccountKey } from "../model/account-key.ts";
import { accountKeyFromJson } from "../model/account-key-json.ts";
import type { FileAccount } from "./dev-dump.ts";

/** Block of another chain. */
export interface OriginPoint {
  readonly url: string;
  readonly chainId: number;
  readonly number: number;
  /** Hash of the block as `0x` text. */
  readonly hash: string;
  /** The other side has Kaia's accounts and keys. */
  readonly isKaia: boolean;
}

/** Settings of a fork. */
export interface OriginOptions {
  readonly url: string;
  /** The newest block by default. */
  readonly number?: number | undefined;
  /** The block, where an earlier fork of the same URL has found it. */
  readonly point?: OriginPoint | undefined;
  readonly cacheDirectory: string;
}

/** An account of the origin in the form of a dump; null for none. */
export type OriginAccount = Omit<FileAccount, "storage"> | null;

const TIMEOUT_MS = 20_000;
const RETRY_MS = [250, 1_000];
const MAX_ANSWER_BYTES = 16 * 2 ** 20;
const NO_CODE = "0x";
const DELEGATION = "0xef0100";

/** A chain at one block. */
export class ForkOrigin {
  readonly point: OriginPoint;
  readonly #file: string;
  readonly #known: Map<string, unknown>;

  private constructor(point: OriginPoint, file: string, known: Map<string, unknown>) {
    this.point = point;
    this.#file = file;
    this.#known = known;
  }

  /** Finds the block. Rejects with `RpcError` when the origin does not answer and its block is not kept. */
  static async open({ url, number, point: found, cacheDirectory }: OriginOptions): Promise<ForkOrigin> {
    await mkdir(cacheDirectory, { recursive: true });
    const name = createHash("sha256").update(url).digest("hex").slice(0, 16);
    const index = join(cacheDirectory, `${name}-${number ?? "latest"}.json`);
    const kept = found ?? (number === undefined ? undefined : await readPoint(index));
    const point = kept ?? (await findPoint(url, number));
    if (kept === undefined && number !== undefined) await writeFile(index, JSON.stringify(point));
    const file = join(cacheDirectory, `${point.chainId}-${point.hash}.jsonl`);
    return new ForkOrigin({ ...point, url }, file, await readLines(file));
  }

  /** Returns an account of the origin. Rejects with `RpcError` when it cannot be read. */
  account(address: string): Promise<OriginAccount> {
    return this.#fetchOnce(address, () =>
      this.point.isKaia ? this.#kaiaAccount(address) : this.#account(address),
    );
  }

  /** Returns a slot as a word of 32 bytes in hex. Rejects with `RpcError` when it cannot be read. */
  slot(address: string, key: string): Promise<string> {
    return this.#fetchOnce(`${address}:${key}`, async () => {
      const word = await this.#ask("eth_getStorageAt", [address, key, this.#tag]);
      return read("eth_getStorageAt", word, (json) => toHex(hashCodec.decode(json)));
    });
  }

  async #fetchOnce<T>(key: string, fetch: () => Promise<T>): Promise<T> {
    if (this.#known.has(key)) return this.#known.get(key) as T; // the same method put it there
    const value = await fetch();
    this.#known.set(key, value);
    await appendFile(this.#file, `${JSON.stringify([key, value])}\n`);
    return value;
  }

  get #tag(): string {
    return toQuantity(this.point.number);
  }

  async #account(address: string): Promise<OriginAccount> {
    const [balance, nonce, code] = await Promise.all([
      this.#ask("eth_getBalance", [address, this.#tag]),
      this.#ask("eth_getTransactionCount", [address, this.#tag]),
      this.#code(address),
    ]);
    const account = {
      balance: read("eth_getBalance", balance, (json) => toQuantity(quantity.decode(json))),
      nonce: read("eth_getTransactionCount", nonce, (json) => Number(quantity64.decode(json))),
      code,
    };
    const isNone = account.balance === "0x0" && account.nonce === 0 && code === NO_CODE;
    return isNone ? null : account;
  }

  async #kaiaAccount(address: string): Promise<OriginAccount> {
    const [answer, code] = await Promise.all([
      this.#ask("klay_getAccount", [address, this.#tag]),
      this.#code(address),
    ]);
    if (answer === null) return null;
    return read("klay_getAccount", answer, (json) => kaiaAccount(json as KaiaAccount, code));
  }

  async #code(address: string): Promise<string> {
    const code = await this.#ask("eth_getCode", [address, this.#tag]);
    return read("eth_getCode", code, (json) => toHex(data.decode(json)));
  }

  #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return ask(this.point.url, method, params);
  }
}

/** Answer of `klay_getAccount`; every member is checked before its use. */
interface KaiaAccount {
  readonly accType: number;
  readonly account: Readonly<Record<string, unknown>>;
}

function kaiaAccount({ accType, account }: KaiaAccount, code: string): OriginAccount {
  const { nonce, balance, key, vmVersion = 0, codeFormat = 0 } = account;
  const isContract = accType === 2;
  const ownKey = isContract ? { keyType: 3, key: {} } : key;
  return {
    nonce: typeof nonce === "number" ? nonce : Number(quantity64.decode(nonce)),
    balance: toQuantity(quantity.decode(balance)),
    code,
    knit: {
      kind: isContract ? "contract" : "eoa",
      key: toHex(encodeAccountKey(accountKeyFromJson(ownKey))),
      codeInfo: code.startsWith(DELEGATION) ? 0 : (Number(vmVersion) << 4) | Number(codeFormat),
    },
  };
}

async function findPoint(url: string, wanted: number | undefined): Promise<OriginPoint> {
  const tag = wanted === undefined ? "latest" : toQuantity(wanted);
  const [id, block, account] = await Promise.all([
    ask(url, "eth_chainId", []),
    ask(url, "eth_getBlockByNumber", [tag, false]),
    ask(url, "klay_getAccount", [`0x${"0".repeat(40)}`, tag]).then(
      () => true,
      () => false,
    ),
  ]);
  if (block === null) throw failure(`the forked chain has no block ${wanted ?? "latest"}: ${hostOf(url)}`);
  return read("eth_getBlockByNumber", block, (json) => {
    const { number, hash } = json as { readonly number: unknown; readonly hash: unknown };
    return {
      url,
      chainId: numberQuantity.decode(id),
      number: numberQuantity.decode(number),
      hash: toHex(hashCodec.decode(hash)),
      isKaia: account,
    };
  });
}

/** Returns the point that an earlier fork found; undefined when there is none. */
async function readPoint(file: string): Promise<OriginPoint | undefined> {
  try {
    const point = JSON.parse(await readFile(file, "utf8")) as OriginPoint;
    return typeof point.hash === "string" && Number.isInteger(point.number) ? point : undefined;
  } catch {
    return undefined; // no earlier fork, or a file that was cut: it is written again
  }
}

/** Reads the lines of a cache; a line that was cut by a crash is left out. */
async function readLines(file: string): Promise<Map<string, unknown>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const known = new Map<string, unknown>();
  for (const line of text.split("\n")) {
    try {
      const [key, value] = JSON.parse(line) as [string, unknown];
      known.set(key, value);
    } catch {
      // the last line
    }
  }
  return known;
}

/** Applies `decode` to an answer. Throws `RpcError` when that throws. */
function read<T>(method: string, json: unknown, decode: (json: unknown) => T): T {
  try {
    return decode(json);
  } catch (error) {
    throw failure(`the forked chain answers ${method} with something else: ${messageOf(error)}`);
  }
}

/** Host of a URL: paths often hold a secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "this is no URL";
}

/** Calls a method of the origin; tries again when it is not reached or asks for patience. */
async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  for (const waitMs of [...RETRY_MS, undefined]) {
    const answer = await post(url, body);
    if (typeof answer === "string") return resultIn(method, answer);
    if (waitMs === undefined) throw answer;
    await setTimeout(waitMs);
  }
  return undefined;
}

const TOO_MANY_REQUESTS = 429;
const SERVER_FAULT = 500;

/** Returns the body of an answer, or the error of an origin that may answer later. Throws other errors. */
async function post(url: string, body: string): Promise<string | RpcError> {
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw failure("a fork needs a URL of http or https");
  const answer = await fetchText(url, body).catch((error: unknown) => {
    const { cause } = error as { readonly cause?: unknown };
    return failure(`the forked chain is not reached: ${hostOf(url)}: ${messageOf(cause ?? error)}`);
  });
  if (!("status" in answer)) return answer;
  const { status, text } = answer;
  if (status < 300) return text;
  const refusal = failure(`the forked chain answers with HTTP ${status}: ${hostOf(url)}`);
  if (status === TOO_MANY_REQUESTS || status >= SERVER_FAULT) return refusal;
  throw refusal;
}

async function fetchText(
  url: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { method: "POST", headers, body, signal });
  return { status: response.status, text: await boundedText(response) };
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) throw new RangeError(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function resultIn(method: string, text: string): unknown {
  const answer = read(method, text, (json) => JSON.parse(String(json)) as Answer);
  if (answer?.error !== undefined)
    throw failure(`the forked chain refuses ${method}: ${String(answer.error?.message)}`);
  if (answer?.result === undefined) throw failure(`the forked chain answers ${method} without a result`);
  return answer.result;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown };
}

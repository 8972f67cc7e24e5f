/** Formatters of parameters and results, as in web3.js 0.20. */
import { fromDecimal, textOf, toBigNumber, toDecimal } from "./big-number.ts";
import type { Requests } from "./requests.ts";
import { inputAddress, web3ToHex } from "./texts.ts";

/** Defaults that a script may set on the chain's object. */
export interface Defaults {
  account: string | undefined;
  block: unknown;
}

/** Members of an object of the console. */
export type Members = Record<string, unknown>;

/** Parts that the console's objects share. */
export interface ConsoleContext {
  readonly requests: Requests;
  readonly defaults: Defaults;
}

type Fields = Record<string, unknown>;

const AMOUNTS = ["gasPrice", "gas", "value", "nonce", "maxFeePerGas", "maxPriorityFeePerGas"];

/** Converts a block number to hex; tags are unchanged. */
function inputBlock(value: unknown): unknown {
  if (value === undefined || value === "latest" || value === "pending" || value === "earliest") return value;
  const text = textOf(value);
  if (/^\d+$/.test(text) || /^0x[0-9a-f]+$/i.test(text)) return web3ToHex(value);
  throw new Error(`input block number(${text}) is invalid`);
}

/** Formatters of parameters: they get the value, or `undefined` for an absent one. */
export function inputs(defaults: Defaults) {
  const fields = (value: unknown): Fields => {
    const given: Fields = { ...(value as Fields) };
    const from = given["from"] ?? defaults.account;
    if (from !== undefined) given["from"] = inputAddress(from);
    if (given["to"] !== undefined && given["to"] !== "") given["to"] = inputAddress(given["to"]);
    for (const name of AMOUNTS) if (given[name] !== undefined) given[name] = fromDecimal(given[name]);
    if (typeof given["data"] === "string" && !given["data"].startsWith("0x"))
      given["data"] = `0x${given["data"]}`;
    return given;
  };
  return {
    as: (value: unknown) => value,
    address: inputAddress,
    block: inputBlock,
    defaultBlock: (value: unknown) => inputBlock(value === undefined ? defaults.block : value),
    call: fields,
    transaction: (value: unknown) => {
      const given = fields(value);
      if (given["from"] === undefined) throw new Error("invalid address");
      return given;
    },
    flag: Boolean,
    hex: web3ToHex,
    decimal: fromDecimal,
  } as const;
}

/** Names of the formatters of parameters. */
export type InputName = keyof ReturnType<typeof inputs>;

const decimals = (target: Fields, names: readonly string[]): void => {
  for (const name of names) if (target[name] !== null) target[name] = toDecimal(target[name]);
};

function transaction(value: unknown): unknown {
  const found = value as Fields;
  decimals(found, ["blockNumber", "transactionIndex", "nonce", "gas"]);
  for (const name of ["gasPrice", "value"]) found[name] = toBigNumber(found[name]);
  return found;
}

function log(value: unknown): unknown {
  const found = value as Fields;
  for (const name of ["blockNumber", "transactionIndex", "logIndex"]) {
    if (found[name]) found[name] = toDecimal(found[name]);
  }
  return found;
}

function receipt(value: unknown): unknown {
  const found = value as Fields;
  decimals(found, ["blockNumber", "transactionIndex", "gasUsed"]);
  const { logs } = found;
  if (Array.isArray(logs)) found["logs"] = logs.map(log);
  return found;
}

function block(value: unknown): unknown {
  const found = value as Fields;
  decimals(found, ["gasUsed", "size", "timestamp", "timestampFoS", "number"]);
  const { transactions } = found;
  if (Array.isArray(transactions))
    for (const each of transactions) if (typeof each !== "string") transaction(each);
  return found;
}

/** Formatters of results other than null. */
export const outputs = {
  bigNumber: toBigNumber,
  decimal: toDecimal,
  transaction,
  receipt,
  receipts: (value: unknown) => (Array.isArray(value) ? value.map(receipt) : value),
  log,
  block,
  pending: (value: unknown) =>
    (value as Fields[]).map((each) => ({ ...(transaction(each) as Fields), blockHash: null })),
  poolStatus: (value: unknown) => {
    decimals(value as Fields, ["pending", "queued"]);
    return value;
  },
  syncing: (value: unknown) => {
    const found = value as Fields;
    decimals(found, ["startingBlock", "currentBlock", "highestBlock"]);
    if (found["knownStates"]) decimals(found, ["knownStates", "pulledStates"]);
    return found;
  },
} as const;

/** Names of the formatters of results. */
export type OutputName = keyof typeof outputs;

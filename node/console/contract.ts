/** Contracts in scripts: `chain.contract(abi).at(address)` and `.new(...)`, their functions and events. */
import { type AbiEntry, type AbiInput, decodeParameters, encodeParameters, signatureHash } from "./abi.ts";
import { fromDecimal, textOf } from "./big-number.ts";
import type { Filter, FilterOptions } from "./filter.ts";
import { web3ToHex } from "./texts.ts";

type Callback = (error: unknown, result?: unknown) => void;
type Fields = Record<string, unknown>;

/** The part of the chain's object that a contract needs. */
export interface ContractChain {
  call(options: Fields, block?: unknown, callback?: Callback): unknown;
  sendTransaction(options: Fields, callback?: Callback): unknown;
  estimateGas(options: Fields, callback?: Callback): unknown;
  getTransactionReceipt(hash: unknown): unknown;
  getCode(address: string): unknown;
  createFilter(options: FilterOptions, format: (log: unknown) => unknown, callback?: Callback): Filter;
  /** Calls back at each new block until it returns true. */
  eachBlock(callback: () => boolean): void;
}

/** A contract, deployed or pending. */
interface Contract {
  address: string | undefined;
  transactionHash: unknown;
  readonly abi: readonly AbiEntry[];
  [member: string]: unknown;
}

/** Number of blocks after which a pending deployment fails. */
const BLOCKS_TO_WAIT = 50;

const isOptions = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("toFixed" in value);

/** Separates the arguments from the optional callback and transaction options at the end. */
function splitArguments(args: readonly unknown[], takesBlock: boolean) {
  const values = [...args];
  const callback = typeof values.at(-1) === "function" ? (values.pop() as Callback) : undefined;
  const block =
    takesBlock && !isOptions(values.at(-1)) && isOptions(values.at(-2)) ? values.pop() : undefined;
  const options = isOptions(values.at(-1)) ? { ...(values.pop() as Fields) } : {};
  return { values, callback, block, options };
}

const isConstant = ({ constant, stateMutability }: AbiEntry): boolean =>
  constant === true || stateMutability === "view" || stateMutability === "pure";

const isPayable = ({ payable, stateMutability }: AbiEntry): boolean =>
  payable === true || stateMutability === "payable";

/** Decodes the result of a call: a single value, or a list of several. */
function decodeResult(outputs: readonly AbiInput[], answer: unknown): unknown {
  if (typeof answer !== "string" || answer === "0x") return outputs.length === 0 ? [] : answer;
  const values = decodeParameters(outputs, answer);
  return values.length === 1 ? values[0] : values;
}

/**
 * Returns a function of a contract with `call`, `sendTransaction`, `estimateGas`, `getData` and `request`.
 */
function functionOf(chain: ContractChain, entry: AbiEntry, address: string) {
  const { inputs = [], outputs = [] } = entry;
  const input = (args: readonly unknown[], takesBlock: boolean) => {
    const { values, callback, block, options } = splitArguments(
      args,
      takesBlock && args.length > inputs.length,
    );
    if (values.length !== inputs.length) throw new Error("Invalid number of arguments to Solidity function");
    const data = `0x${signatureHash(entry).slice(0, 8)}${encodeParameters(inputs, values)}`;
    return { callback, block, data, options: { ...options, to: address, data } as Fields };
  };
  const call = function (...args: unknown[]): unknown {
    const { callback, block, options } = input(args, true);
    if (callback === undefined) return decodeResult(outputs, chain.call(options, block));
    return chain.call(options, block, (error, answer) => {
      if (error) callback(error);
      else callback(null, decodeResult(outputs, answer));
    });
  };
  const sendTransaction = function (...args: unknown[]): unknown {
    const { callback, options } = input(args, false);
    if (options["value"] !== undefined && web3ToHex(options["value"]) !== "0x0" && !isPayable(entry))
      throw new Error("Cannot send value to non-payable function");
    return chain.sendTransaction(options, ...(callback ? [callback] : []));
  };
  const main = isConstant(entry) ? call : sendTransaction;
  const act = function (...args: unknown[]): unknown {
    return main(...args);
  };
  return Object.assign(act, {
    call,
    sendTransaction,
    estimateGas: function (...args: unknown[]): unknown {
      const { callback, options } = input(args, false);
      return chain.estimateGas(options, ...(callback ? [callback] : []));
    },
    getData: function (...args: unknown[]): string {
      return input(args, false).data;
    },
  });
}

/** Decodes a log as an event with its name and its arguments by name. */
function eventOf(entries: readonly AbiEntry[], log: unknown): unknown {
  const found = log as Fields & { readonly topics?: readonly string[]; readonly data?: string };
  const topics = [...(found.topics ?? [])];
  const entry = entries.find((each) => !each.anonymous && `0x${signatureHash(each)}` === topics[0]);
  if (entry === undefined) return found;
  const inputs = entry.inputs ?? [];
  const plain = decodeParameters(
    inputs.filter(({ indexed }) => !indexed),
    found.data ?? "0x",
  );
  const args: Fields = {};
  for (const input of inputs) {
    if (!input.indexed) args[input.name ?? ""] = plain.shift();
    else
      args[input.name ?? ""] = indexedValue(
        input,
        topics[inputs.filter((each) => each.indexed).indexOf(input) + 1],
      );
  }
  const { topics: _, data: __, ...rest } = found;
  return { ...rest, event: entry.name, args };
}

/** Decodes a topic; for a dynamic type it is the hash. */
function indexedValue(input: AbiInput, topic: string | undefined): unknown {
  if (topic === undefined) return undefined;
  return /^(u?int|address|bool|bytes\d)/.test(input.type) && !input.type.endsWith("]")
    ? decodeParameters([input], topic)[0]
    : topic;
}

/** Returns an event function: `contract.Event({argument: value}, {fromBlock, toBlock}, callback)`. */
function eventFunction(chain: ContractChain, entry: AbiEntry, address: string) {
  return function (wanted: Fields = {}, range: Fields = {}, callback?: Callback): Filter {
    const indexed = (entry.inputs ?? []).filter((input) => input.indexed);
    const topics = indexed.map((input) => {
      const value = wanted[input.name ?? ""];
      if (value === undefined || value === null) return null;
      const encode = (one: unknown): string => `0x${encodeParameters([input], [one])}`;
      return Array.isArray(value) && !input.type.endsWith("]") ? value.map(encode) : encode(value);
    });
    const first = entry.anonymous ? [] : [`0x${signatureHash(entry)}`];
    const options = { ...range, address, topics: [...first, ...topics] };
    return chain.createFilter(options, (log) => eventOf([entry], log), callback);
  };
}

function attach(chain: ContractChain, contract: Contract, address: string): void {
  contract.address = address;
  const named = (type: string): [string, AbiEntry][] =>
    contract.abi.flatMap((entry) => (entry.type === type && entry.name ? [[entry.name, entry]] : []));
  for (const [name, entry] of named("function")) {
    const made = functionOf(chain, entry, address);
    const types = (entry.inputs ?? []).map(({ type }) => type).join(",");
    // of several with one name the first goes by the name alone, each by its types
    const first = contract[name] ?? made;
    contract[name] = Object.assign(first, { [types]: made });
  }
  const events = named("event");
  for (const [name, entry] of events) contract[name] ??= eventFunction(chain, entry, address);
  contract["allEvents"] = function (range: Fields = {}, callback?: Callback): Filter {
    return chain.createFilter(
      { ...range, address },
      (log) =>
        eventOf(
          events.map(([, entry]) => entry),
          log,
        ),
      callback,
    );
  };
}

/** Returns the object of `chain.contract(abi)`. */
export function contractFactory(chain: ContractChain, abi: readonly AbiEntry[]) {
  const blank = (): Contract => ({ address: undefined, transactionHash: null, abi });
  const creation = (args: readonly unknown[]) => {
    const { values, callback, options } = splitArguments(args, false);
    const entry = abi.find(
      ({ type, inputs = [] }) => type === "constructor" && inputs.length === values.length,
    );
    if (
      options["value"] !== undefined &&
      fromDecimal(options["value"]) !== "0x0" &&
      !(entry && isPayable(entry))
    )
      throw new Error("Cannot send value to non-payable constructor");
    options["data"] = `${textOf(options["data"] ?? "")}${encodeParameters(entry?.inputs ?? [], values)}`;
    return { callback, options };
  };
  const deploy = function (...args: unknown[]): Contract {
    const { callback, options } = creation(args);
    const contract = blank();
    if (callback === undefined) {
      contract.transactionHash = chain.sendTransaction(options);
      awaitCode(chain, contract, undefined);
      return contract;
    }
    chain.sendTransaction(options, (error, hash) => {
      if (error) return callback(error);
      contract.transactionHash = hash;
      callback(null, contract);
      awaitCode(chain, contract, callback);
    });
    return contract;
  };
  return {
    abi,
    new: Object.assign(deploy, { getData: (...args: unknown[]) => creation(args).options["data"] }),
    at: function (address: string, callback?: Callback): Contract {
      const contract = blank();
      attach(chain, contract, address);
      callback?.(null, contract);
      return contract;
    },
    getData: function (...args: unknown[]): unknown {
      return creation(args).options["data"];
    },
  };
}

/** Checks for the receipt at each new block, then sets the contract's address and members. */
function awaitCode(chain: ContractChain, contract: Contract, callback: Callback | undefined): void {
  let blocks = 0;
  const end = (message: string): true => {
    const error = new Error(message);
    if (callback === undefined) throw error;
    callback(error);
    return true;
  };
  chain.eachBlock(() => {
    if (++blocks > BLOCKS_TO_WAIT) return end("Contract transaction couldn't be found after 50 blocks");
    const receipt = chain.getTransactionReceipt(contract.transactionHash) as Fields | null;
    if (!receipt) return false;
    const address = String(receipt["contractAddress"]);
    if (String(chain.getCode(address)).length <= 3)
      return end("The contract code couldn't be stored, please check your gas amount.");
    attach(chain, contract, address);
    callback?.(null, contract);
    return true;
  });
}

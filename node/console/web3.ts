/** The object `web3` of scripts for the modules of a node. */
import type { AbiEntry } from "./abi.ts";
import { consoleBigNumber, fromDecimal, toBigNumber, toDecimal } from "./big-number.ts";
import { type ContractChain, contractFactory } from "./contract.ts";
import { extender } from "./extension.ts";
import { Filter, type FilterOptions } from "./filter.ts";
import { type ConsoleContext, type Defaults, inputs, type Members, outputs } from "./formats.ts";
import { addMethod, addProperty, type Format, type MethodSpec } from "./members.ts";
import { consoleNames } from "./names.ts";
import type { Requests, RpcCall } from "./requests.ts";
import { inputNames, type MethodRow, moduleTables } from "./tables.ts";
import {
  fromAscii,
  fromUtf8,
  isAddress,
  isChecksumAddress,
  padLeft,
  padRight,
  sha3,
  toAscii,
  toChecksumAddress,
  toUtf8,
  web3ToHex,
} from "./texts.ts";
import { conversions, type UnitNames } from "./units.ts";

type Callback = (error: unknown, result?: unknown) => void;

/** Parts of the `web3` object. */
export interface Web3Deps {
  readonly requests: Requests;
  /** Modules as in `rpc_modules`. */
  readonly modules: readonly string[];
  readonly endpoint: string;
  readonly units: UnitNames;
}

/** Names of the chain's module; the first one that the node serves is used. */
const CHAIN_NAMES = ["klay", "kaia", "chain"] as const;
/** Version of web3.js with the same interface. */
const API_VERSION = "0.20.1";

/** Functions that do not call the node. */
const HELPERS = {
  toHex: web3ToHex,
  toAscii,
  toUtf8,
  fromAscii,
  fromUtf8,
  toDecimal,
  fromDecimal,
  toBigNumber,
  isAddress,
  isChecksumAddress,
  toChecksumAddress,
  sha3,
  padLeft,
  padRight,
} as const;

/** Returns the module under which the node serves the chain. */
export function chainModule(modules: readonly string[]): string {
  return CHAIN_NAMES.find((name) => modules.includes(name)) ?? "klay";
}

/** Creates the `web3` object. */
export function createWeb3(deps: Web3Deps): Members {
  const { requests, modules, endpoint, units } = deps;
  const prefix = chainModule(modules);
  const defaults: Defaults = { account: undefined, block: "latest" };
  const amounts = conversions(units);
  const named = units.peb.charAt(0).toUpperCase() + units.peb.slice(1);
  const ofUnits = { [`from${named}`]: amounts.from, [`to${named}`]: amounts.to };
  const web3: Members = {
    BigNumber: consoleBigNumber(),
    ...HELPERS,
    fromWei: amounts.fromWei,
    toWei: amounts.toWei,
    ...ofUnits,
    currentProvider: { host: endpoint, isConnected: () => true },
    isConnected: function (): boolean {
      return true;
    },
    createBatch: function () {
      return batch(requests);
    },
    reset: function (): void {},
    version: { api: API_VERSION },
  };
  addProperty(requests, web3, { name: "version.node", getter: `${prefix}_clientVersion` });
  addProperty(requests, web3, { name: "version.network", getter: "net_version" });
  addProperty(requests, web3, {
    name: `version.${units.coin.toLowerCase()}`,
    getter: `${prefix}_protocolVersion`,
  });
  const context = { requests, defaults };
  const chain = chainObject(context, prefix);
  Object.assign(chain, ofUnits);
  for (const name of new Set([...CHAIN_NAMES, prefix])) web3[name] = chain;
  web3["eth"] = chainObject(context, "eth");
  for (const name of new Set(["net", "personal", ...modules])) {
    if (name !== "web3") web3[name] ??= moduleObject(context, name);
  }
  web3["_extend"] = extender(context, web3);
  return web3;
}

/** Returns the object of one module. */
function moduleObject({ requests, defaults }: ConsoleContext, module: string): Members {
  const target: Members = {};
  const table = moduleTables[module] ?? { methods: [], properties: [] };
  const formats = inputs(defaults);
  const taken = new Set([...table.methods, ...table.properties].map(({ name }) => name));
  const rows = [...table.methods, ...plainRows(module).filter(({ name }) => !taken.has(name))];
  for (const row of rows) addMethod(requests, target, specOf(module, row, formats));
  for (const { name, call = name, output } of table.properties) {
    addProperty(requests, target, { name, getter: `${module}_${call}`, output: output && outputs[output] });
  }
  return target;
}

/** Rows of the node's other methods, with their numbers of parameters. */
function plainRows(module: string): MethodRow[] {
  const names = consoleNames[module === "klay" || module === "kaia" ? "chain" : module] ?? {};
  return Object.entries(names).map(([name, [required, all]]) => ({
    name,
    inputs: required === all ? all : Array.from({ length: all }, () => "-").join(" "),
  }));
}

function specOf(module: string, row: MethodRow, formats: ReturnType<typeof inputs>): MethodSpec {
  const { name, call = name, inputs: given = 0, output } = row;
  const own = (other: string): string => `${module}_${other}`;
  return {
    name,
    call:
      typeof call === "string"
        ? own(call)
        : ([first]) => own(isHash(first, call.anyHex === true) ? call.hash : call.other),
    ...(typeof given === "number"
      ? { params: given }
      : { inputs: inputNames(given).map((each) => (each === null ? null : formats[each])) }),
    output: output && outputs[output],
  };
}

function isHash(value: unknown, anyHex: boolean): boolean {
  return typeof value === "string" && value.startsWith("0x") && (anyHex || value.length === 66);
}

/** Returns the chain's object: methods, defaults, contracts and filters. */
function chainObject(context: ConsoleContext, module: string): Members {
  const { requests, defaults } = context;
  const target = moduleObject(context, module);
  const accessor = (key: keyof Defaults): PropertyDescriptor => ({
    get: () => defaults[key],
    set: (value: unknown) => Object.assign(defaults, { [key]: value }),
    enumerable: true,
  });
  Object.defineProperties(target, { defaultAccount: accessor("account"), defaultBlock: accessor("block") });
  const send = (call: RpcCall): unknown => requests.send(call);
  const createFilter = (options: FilterOptions, format: Format, callback?: Callback): Filter =>
    new Filter(filterOptions(options), { send, prefix: module, format }, callback);
  const eachBlock = (callback: () => boolean): void => {
    const filter = createFilter(
      "latest",
      (value) => value,
      () => {
        if (callback()) filter.stopWatching();
      },
    );
  };
  // its members are not read here: properties ask the node
  const ownChain = Object.assign(Object.create(target) as ContractChain, { createFilter, eachBlock });
  return Object.assign(target, {
    contract: function (abi: readonly AbiEntry[]) {
      return contractFactory(ownChain, abi);
    },
    filter: function (options: FilterOptions, callback?: Callback): Filter {
      return createFilter(options, outputs.log, callback);
    },
    isSyncing: function (callback: Callback): unknown {
      const timer = setInterval(() => callback(null, target["syncing"]), SYNCING_MS);
      return { stopWatching: () => clearInterval(timer) };
    },
  });
}

const SYNCING_MS = 500;

/** Converts block numbers to hex; `latest` and `pending` are separate kinds of filter. */
function filterOptions(options: FilterOptions): FilterOptions {
  if (typeof options === "string") return options;
  const { block } = inputs({ account: undefined, block: "latest" });
  const ends = ["fromBlock", "toBlock"].filter((name) => options[name] !== undefined);
  return { ...options, ...Object.fromEntries(ends.map((name) => [name, block(options[name])])) };
}

/** Returns a batch: its calls are sent in one message. */
function batch(requests: Requests) {
  const calls: (RpcCall & { readonly callback?: Callback; readonly format?: Format })[] = [];
  return {
    add: function (call: (typeof calls)[number]): void {
      calls.push(call);
    },
    execute: function (): void {
      const answers = requests.sendBatch(calls);
      for (const [i, { callback, format = (value: unknown) => value }] of calls.entries()) {
        let result: unknown;
        try {
          result = format(answers[i]?.());
        } catch (error) {
          callback?.(error);
          continue;
        }
        callback?.(null, result);
      }
    },
  };
}

/** Methods and properties of the console's objects, each a call of the node with formatters. */
import type { Requests, RpcCall } from "./requests.ts";

/** Formats a parameter or a result. */
export type Format = (value: unknown) => unknown;

/** A method: its name, RPC method and formatters. */
export interface MethodSpec {
  readonly name: string;
  /** The RPC method, or a function of the parameters that returns it. */
  readonly call: string | ((args: readonly unknown[]) => string);
  /** Number of required parameters, for rows without formatters. */
  readonly params?: number | undefined;
  /** Formatters of parameters. Absent parameters become null and additional ones are dropped. */
  readonly inputs?: readonly (Format | null | undefined)[] | undefined;
  readonly output?: Format | null | undefined;
}

/** A property, which a call without parameters reads. */
export interface PropertySpec {
  readonly name: string;
  readonly getter: string;
  readonly output?: Format | null | undefined;
}

type Callback = (error: unknown, result?: unknown) => void;

const asFunction = (value: unknown): Callback | undefined =>
  typeof value === "function" ? (value as Callback) : undefined; // a script's function takes what it is given

/** Formats a result; null, zero and false are unchanged. */
function formatAnswer(format: Format | null | undefined, result: unknown): unknown {
  return format && result ? format(result) : result;
}

/** Runs `work` and returns its result, or passes the result to a callback. */
function runWithCallback(callback: Callback | undefined, work: () => unknown): unknown {
  if (callback === undefined) return work();
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    return callback(error);
  }
  return callback(null, result);
}

function callOf(spec: MethodSpec, args: readonly unknown[]): RpcCall {
  const { call, inputs, params = 0 } = spec;
  if (inputs === undefined && args.length !== params)
    throw new Error("Invalid number of input parameters to RPC method");
  const given = inputs?.map((format, i) => (format ? format(args[i]) : args[i])) ?? args;
  return { method: typeof call === "string" ? call : call(args), params: given };
}

/** Returns the function of a method, with `.request(...)` for batches and its RPC name as `.call`. */
export function methodFunction(requests: Requests, spec: MethodSpec): (...args: unknown[]) => unknown {
  const send = function (...args: unknown[]): unknown {
    const callback = asFunction(args.at(-1));
    const call = callOf(spec, callback === undefined ? args : args.slice(0, -1));
    return runWithCallback(callback, () => formatAnswer(spec.output, requests.send(call)));
  };
  const request = function (...args: unknown[]) {
    const callback = asFunction(args.at(-1));
    const call = callOf(spec, callback === undefined ? args : args.slice(0, -1));
    return { ...call, callback, format: (result: unknown) => formatAnswer(spec.output, result) };
  };
  return Object.assign(send, { request, call: spec.call });
}

/** Returns the object that has the last member of a dotted name, and that member's name. */
function holderOf(target: object, name: string): [Record<string, unknown>, string] {
  const parts = name.split(".");
  const last = parts.pop() ?? name;
  let holder = target as Record<string, unknown>;
  for (const part of parts) holder = (holder[part] ??= {}) as Record<string, unknown>;
  return [holder, last];
}

/** Adds a method to an object. */
export function addMethod(requests: Requests, target: object, spec: MethodSpec): void {
  const [holder, name] = holderOf(target, spec.name);
  define(holder, name, { value: methodFunction(requests, spec), writable: true });
}

/** Adds a property and its `getName(callback)` to an object. */
export function addProperty(requests: Requests, target: object, spec: PropertySpec): void {
  const [holder, name] = holderOf(target, spec.name);
  const read = (): unknown => formatAnswer(spec.output, requests.send({ method: spec.getter, params: [] }));
  define(holder, name, {
    get: read,
    set: () => undefined, // as an object without a setter: what a script assigns is not kept
  });
  const getter = function (callback?: unknown): unknown {
    return runWithCallback(asFunction(callback), read);
  };
  const request = function (callback?: unknown) {
    const format = (result: unknown): unknown => formatAnswer(spec.output, result);
    return { method: spec.getter, params: [], callback: asFunction(callback), format };
  };
  const asyncName = `get${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  define(holder, asyncName, { value: Object.assign(getter, { request }), writable: true });
}

function define(holder: object, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(holder, name, { enumerable: true, configurable: true, ...descriptor });
}

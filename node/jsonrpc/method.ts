/**
 * One RPC method is one object: its name, what it takes, what it gives and the function behind it. Handlers speak the
 * domain; JSON is read by the parameters' codecs and written by the result's. The registry, the documentation, the
 * console's names and `rpc_modules` are all made from these objects.
 */
import { CodecError, type Decoded, type Decoder, type Encoder } from "./codec.ts";
import { RpcError, rpcCode } from "./errors.ts";
import type { Schema } from "./schemas.ts";

/** Where a method runs: next to consensus, or in a reader thread because it scans or executes for a caller. */
export type Runs = "main" | "reader";

/**
 * What a method can do that a stranger should not: write files, use the node's keys, open and close listeners, look
 * into or steer the process and the database. One flag keeps all of these to IPC.
 */
export type Privilege = "files" | "keys" | "listeners" | "process";

/** How long a method may run in a reader thread, and what the caller is told then. */
export interface Expiry {
  readonly afterMs: number;
  readonly message: string;
}

/** What a handler may know of the call it answers. */
export interface CallContext {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The modules that the interface serves, as `rpc_modules` lists them. */
  readonly modules: readonly string[];
  /** The OpenRPC document of what the interface serves, as JSON text. */
  readonly document: () => string;
  /** The interface runs no tracers that callers write. */
  readonly refusesPrograms?: boolean | undefined;
}

/** One parameter, for documentation. */
export interface ParameterRow {
  readonly name: string;
  readonly label: string;
  readonly isOptional: boolean;
  /** That of the codec, as the same object. */
  readonly schema: Schema;
}

/** A method without its types: what the registry holds. */
export interface Method {
  readonly name: string;
  /** Further full names, such as `eth_getBalance` for `chain_getBalance`. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly params: readonly ParameterRow[];
  /** For documentation. */
  readonly result: Pick<Encoder<unknown>, "label" | "schema">;
  readonly runs: Runs;
  readonly privilege: Privilege | undefined;
  /** When a reader thread is taken away from it; the pool's own deadline when absent. */
  readonly expires: Expiry | undefined;
  readonly ahead: WorkAhead | undefined;
  /**
   * Of a method that runs in readers: answers at once where that takes next to no time. Undefined says that it is a
   * reader's work after all. Throws as `invoke`.
   */
  readonly brief: ((params: unknown) => string | undefined) | undefined;
  /** Decodes, handles, encodes: JSON text out. Throws `RpcError` for bad parameters. */
  invoke(params: unknown, context: CallContext): string | Promise<string>;
}

/** Work that is cheaper for many calls of one batch at once, done before the first of them. */
export interface WorkAhead {
  /** Given the parameters of the calls as they came. Never rejects. */
  prepare(calls: readonly unknown[]): Promise<void>;
  /** Called when the batch has ended, however it did. */
  forget(calls: readonly unknown[]): void;
}

/** What a method is written as. */
export interface MethodDefinition<P extends Parameters, R> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly params: P;
  readonly result: Encoder<R>;
  readonly runs?: Runs;
  readonly ahead?: WorkAhead;
  readonly privilege?: Privilege;
  readonly expires?: Expiry | undefined;
  /** See `Method`. */
  readonly brief?: ((args: Decoded<P>) => R | undefined) | undefined;
  handle(args: Decoded<P>, context: CallContext): R | Promise<R>;
}

/** Parameters in order: the keys are their names. Optional ones stand at the end. */
export type Parameters = Readonly<Record<string, Decoder<unknown>>>;

/** Makes a method; see `MethodDefinition`. */
export function method<const P extends Parameters, R>(definition: MethodDefinition<P, R>): Method {
  const { name, aliases = [], summary, params, result, runs = "main", brief } = definition;
  const decode = argumentDecoder(params);
  return {
    name,
    aliases,
    summary,
    get params() {
      return parameterRows(params); // nobody asks before somebody reads the documentation
    },
    result,
    runs,
    privilege: definition.privilege,
    ahead: definition.ahead,
    expires: definition.expires,
    brief:
      brief &&
      ((json) => {
        const value = brief(decode(json) as Decoded<P>); // each argument came from its codec
        return value === undefined ? undefined : result.encode(value);
      }),
    invoke(json, context) {
      const value = definition.handle(decode(json) as Decoded<P>, context); // each argument came from its codec
      return value instanceof Promise ? value.then((late) => result.encode(late)) : result.encode(value);
    },
  };
}

/** The parameters of a method or subscription, for documentation. */
export function parameterRows(params: Parameters): ParameterRow[] {
  const codecs = Object.values(params);
  const lastRequired = codecs.findLastIndex(({ isOptional }) => isOptional !== true);
  return Object.entries(params).map(([name, codec], index) => ({
    name,
    label: codec.label,
    isOptional: index > lastRequired,
    schema: codec.schema,
  }));
}

const NO_ARGUMENTS: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Reads positional parameters. `offset` is what the first one is numbered in error texts. Throws `RpcError` with the
 * invalid-params code.
 */
export function argumentDecoder(
  params: Parameters,
  offset = 0,
): (json: unknown) => Readonly<Record<string, unknown>> {
  const names = Object.keys(params);
  const codecs = Object.values(params);
  return (json) => {
    if (json !== undefined && json !== null && !Array.isArray(json)) throw invalid("non-array args");
    if (names.length + offset === 0) return NO_ARGUMENTS; // whatever is there is ignored
    const given: readonly unknown[] = json ?? [];
    const args: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const codec = codecs[index] as Decoder<unknown>; // as many as names
      args[names[index] as string] = argument(codec, given, index, offset);
    }
    if (given.length > names.length) {
      throw invalid(`too many arguments, want at most ${names.length + offset}`);
    }
    return args;
  };
}

function argument(
  codec: Decoder<unknown>,
  given: readonly unknown[],
  index: number,
  offset: number,
): unknown {
  if (index < given.length) return decodeArgument(codec, given[index], index + offset);
  if (codec.isOptional === true) return codec.decode(undefined);
  throw invalid(`missing value for required argument ${index + offset}`);
}

function decodeArgument(codec: Decoder<unknown>, json: unknown, index: number): unknown {
  try {
    return codec.decode(json);
  } catch (error) {
    if (error instanceof CodecError) throw invalid(`invalid argument ${index}: ${error.message}`);
    throw error;
  }
}

function invalid(message: string): RpcError {
  return new RpcError(rpcCode.invalidParams, message);
}

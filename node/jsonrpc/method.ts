/**
 * RPC methods as objects: name, parameters, result and handler in one place. Handlers work with values of the
 * domain; codecs read and write the JSON. The registry, the documentation, the console's names and
 * `rpc_modules` all come from these objects.
 */

import type { Client } from "../runtime/fair-queue.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { AnswerRoom } from "./answer-memory.ts";
import { CodecError, type Decoded, type Decoder, type Encoder } from "./codec.ts";
import { invalidParams } from "./errors.ts";
import type { Schema } from "./schemas.ts";

/**
 * The thread of a method: the main one, or a reader thread for methods that scan the chain or execute code
 * for a caller.
 */
export type Runs = "main" | "reader";

/**
 * Privileges that the public must not have: writing files, using the node's keys, opening and closing
 * listeners, controlling the process and the database. One flag restricts all of them to IPC.
 */
export type Privilege = "files" | "keys" | "listeners" | "process";

/** The deadline of a method in a reader thread, and the error message after it. */
export interface Expiry {
  readonly afterMs: number;
  readonly message: string;
}

/** The origin of a call, to which the work for it is charged. */
export interface CallOrigin {
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** The connection; a call without one is charged to nobody else. */
  readonly caller?: Client | undefined;
  /** Memory for answers while they are written; absent in reader threads, which have their own. */
  readonly room?: AnswerRoom | undefined;
}

/** The call that a handler answers. */
export interface CallContext extends CallOrigin {
  /** The modules that the interface serves, as `rpc_modules` lists them. */
  readonly modules: readonly string[];
  /** The OpenRPC document of what the interface serves, as JSON text. */
  readonly document: () => string;
  /** Tracers written by callers are refused. */
  readonly refusesPrograms?: boolean | undefined;
}

/** A parameter, as documentation shows it. */
export interface ParameterRow {
  readonly name: string;
  readonly label: string;
  readonly isOptional: boolean;
  /** The schema of the codec, as the same object. */
  readonly schema: Schema;
}

/** A method without its static types, as the registry holds it. */
export interface Method {
  readonly name: string;
  /** Further full names, such as `eth_getBalance` for `chain_getBalance`. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly params: readonly ParameterRow[];
  /** Name and schema of the result. */
  readonly result: Pick<Encoder<unknown>, "label" | "schema">;
  readonly runs: Runs;
  readonly privilege: Privilege | undefined;
  /** True for a method that IPC alone serves, whatever the flags say. */
  readonly isLocal: boolean;
  /** The deadline in a reader thread; without it the pool's own one applies. */
  readonly expires: Expiry | undefined;
  readonly prefetch: Prefetch | undefined;
  /**
   * For methods of reader threads: answers on the main thread where that takes microseconds. Undefined leaves
   * the call to a reader. Throws like `invoke`.
   */
  readonly inline: ((params: unknown) => string | undefined) | undefined;
  /**
   * Decodes the parameters, handles the call and encodes the result as JSON text. Throws `RpcError` for
   * invalid parameters.
   */
  invoke(params: unknown, context: CallContext): string | Promise<string>;
  /** Returns a method with a definition that is derived from this one's. */
  adapt(adapter: Adapter): Method;
}

/**
 * Derives a definition from another one: a wrapped handler, other parameters or another result. A method is
 * adapted when it is registered, so a method without adapters costs nothing more at a call.
 */
export type Adapter = (definition: AnyDefinition) => AnyDefinition;

/** A definition without its static types. */
export interface AnyDefinition extends Omit<MethodDefinition<Parameters, unknown>, "inline"> {
  readonly inline?: ((args: Arguments) => unknown) | undefined;
}

/** Decoded arguments by parameter name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Preparation that is cheaper for many calls of one batch at once. */
export interface Prefetch {
  /** Prepares calls, of which it receives the parameters before decoding; it pauses between them. Never rejects. */
  prepare(calls: readonly unknown[], pause: Pause): Promise<void>;
  /** Called when the batch has ended, even with an error. */
  forget(calls: readonly unknown[]): void;
}

/** The source form of a method, with static types. */
export interface MethodDefinition<P extends Parameters, R> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly params: P;
  readonly result: Encoder<R>;
  readonly runs?: Runs;
  readonly prefetch?: Prefetch;
  readonly privilege?: Privilege;
  readonly isLocal?: boolean;
  readonly expires?: Expiry | undefined;
  /** Same as `inline` of `Method`, with decoded arguments. */
  readonly inline?: ((args: Decoded<P>) => R | undefined) | undefined;
  handle(args: Decoded<P>, context: CallContext): R | Promise<R>;
}

/** Decoders by parameter name, in order. Optional parameters are last. */
export type Parameters = Readonly<Record<string, Decoder<unknown>>>;

/** Creates a method from its definition. */
export function method<const P extends Parameters, R>(definition: MethodDefinition<P, R>): Method {
  const { name, aliases = [], summary, params, result, runs = "main", inline } = definition;
  const decode = argumentDecoder(params);
  return {
    name,
    aliases,
    summary,
    get params() {
      return parameterRows(params); // built on demand: only documentation reads them
    },
    result,
    runs,
    privilege: definition.privilege,
    isLocal: definition.isLocal === true,
    prefetch: definition.prefetch,
    expires: definition.expires,
    inline:
      inline &&
      ((json) => {
        const value = inline(decode(json) as Decoded<P>); // each argument came from its codec
        return value === undefined ? undefined : result.encode(value);
      }),
    invoke(json, context) {
      const value = definition.handle(decode(json) as Decoded<P>, context); // each argument came from its codec
      return value instanceof Promise ? value.then((late) => result.encode(late)) : result.encode(value);
    },
    adapt: (adapter) => method(adapter(definition as unknown as AnyDefinition)), // its handler gets what its own codecs decode
  };
}

/** Returns the parameters of a method or subscription, for documentation. */
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
 * Builds the decoder of positional parameters. Error texts number the first one `offset`. The decoder throws
 * `RpcError` with the invalid-params code.
 */
export function argumentDecoder(
  params: Parameters,
  offset = 0,
): (json: unknown) => Readonly<Record<string, unknown>> {
  const names = Object.keys(params);
  const codecs = Object.values(params);
  return (json) => {
    if (json !== undefined && json !== null && !Array.isArray(json)) throw invalidParams("non-array args");
    if (names.length + offset === 0) return NO_ARGUMENTS; // whatever is there is ignored
    const given: readonly unknown[] = json ?? [];
    const args: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const codec = codecs[index] as Decoder<unknown>; // as many as names
      args[names[index] as string] = argument(codec, given, index, offset);
    }
    if (given.length > names.length) {
      throw invalidParams(`too many arguments, want at most ${names.length + offset}`);
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
  throw invalidParams(`missing value for required argument ${index + offset}`);
}

function decodeArgument(codec: Decoder<unknown>, json: unknown, index: number): unknown {
  try {
    return codec.decode(json);
  } catch (error) {
    if (error instanceof CodecError) throw invalidParams(`invalid argument ${index}: ${error.message}`);
    throw error;
  }
}

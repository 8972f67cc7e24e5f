/**
 * Adapters of methods: pieces that wrap a method's parameters, answer or errors, and the rows that name the
 * methods. Rows apply in their order when a method is registered; a method without a row stays the same object.
 */
import type { Encoder } from "../jsonrpc/codec.ts";
import type {
  Adapter,
  AnyDefinition,
  Arguments,
  CallContext,
  Method,
  Parameters,
} from "../jsonrpc/method.ts";

/** One difference of an interface from the service's own. */
export interface AdapterRow {
  /** Names of the methods, never their aliases. */
  readonly methods: readonly string[];
  /** The difference as a sentence, for the documentation. */
  readonly difference: string;
  readonly adapt: Adapter;
}

/** Applies the rows that name a method. */
export function adaptWith(rows: readonly AdapterRow[]): (row: Method) => Method {
  const byName = new Map<string, Adapter[]>();
  for (const { methods, adapt } of rows) {
    for (const name of methods) byName.set(name, [...(byName.get(name) ?? []), adapt]);
  }
  return (row) => (byName.get(row.name) ?? []).reduce((found, adapt) => found.adapt(adapt), row);
}

/** Applies several adapters, the first one innermost. */
export function adapterStack(...adapters: readonly Adapter[]): Adapter {
  return (definition) => adapters.reduce((found, adapt) => adapt(found), definition);
}

/** Replaces the parameters. */
export function withParameters(params: Parameters): Adapter {
  return (definition) => ({ ...definition, params });
}

/** Replaces the encoder of the answer. */
export function withResult<T>(result: Encoder<T>): Adapter {
  return (definition) => ({ ...definition, result });
}

/** Calls `call` instead of the handler, which it receives. The method is no longer answered inline. */
export function around(
  call: (next: AnyDefinition["handle"], args: Arguments, context: CallContext) => unknown,
): Adapter {
  return (definition) => ({
    ...definition,
    inline: undefined,
    handle: (args, context) => call((...given) => definition.handle(...given), args, context),
  });
}

/** Replaces each answer. `change` names the type of the method's answer, and may throw. */
export function mapAnswer(change: (answer: never, args: Arguments) => unknown): Adapter {
  return around((next, args, context) => {
    const answer = next(args, context);
    const changed = (value: unknown) => change(value as never, args); // the row's author knows the method
    return answer instanceof Promise ? answer.then(changed) : changed(answer);
  });
}

/** Handles each error: `handle` returns an answer or throws. */
export function onError(handle: (error: unknown, args: Arguments) => unknown): Adapter {
  return around((next, args, context) => {
    try {
      const answer = next(args, context);
      return answer instanceof Promise ? answer.catch((error: unknown) => handle(error, args)) : answer;
    } catch (error) {
      return handle(error, args);
    }
  });
}

/** Renames keys of an object and keeps their order. */
export function renameKeys(object: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [names[key] ?? key, value]));
}

/** Returns an object without some of its keys. */
export function omitKeys(object: object, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

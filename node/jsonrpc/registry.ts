/**
 * The registry of methods and subscriptions: created empty, filled by the composition root, sealed, then read
 * through views.
 */

import { plain, text, writtenAs } from "./codecs/plain.ts";
import { goJson } from "./json-text.ts";
import { type Method, method } from "./method.ts";
import {
  type ALL_MODULES,
  type InterfaceOptions,
  listedNames,
  type ModuleRow,
  moduleOf,
  type Served,
  servedModules,
} from "./modules.ts";
import { openRpcDocument } from "./open-rpc.ts";
import { arraySchema, mapSchema, recordSchema, schemaRefs } from "./schemas.ts";
import type { Subscription } from "./subscription.ts";

/** The methods and subscriptions of one listener. */
export interface MethodView {
  /** As `rpc_modules` lists them. */
  readonly modules: readonly string[];
  /** Refusal of too many subscriptions on one connection, as in `InterfaceOptions`. */
  readonly subscriptionLimit: string;
  /** Returns the OpenRPC document of the view, as JSON text. */
  readonly document: () => string;
  /**
   * Returns a method by full name; undefined when it is unknown or not served, which a caller cannot
   * distinguish.
   */
  find(name: string): Method | undefined;
  /** Returns a subscription; `module` may be an alias. */
  findSubscription(module: string, name: string): Subscription | undefined;
}

/** Restrictions of a view besides its modules. */
export interface ViewOptions {
  /** Excludes methods with a privilege: all of them, or those of `debug`. */
  readonly without?: "privileges" | "debug-privileges" | undefined;
  /** Names of further methods that are excluded, under all their names. */
  readonly withheld?: readonly string[] | undefined;
  /** Includes the methods that IPC alone serves. */
  readonly isLocal?: boolean | undefined;
  /** Replaces each `eth` method by the `chain` method of the same name, if there is one. */
  readonly ethAsChain?: boolean | undefined;
}

/** All methods and subscriptions. `rpc_modules` and `rpc_discover` are built in. */
export interface Registry {
  add(methods: readonly Method[]): void;
  addSubscriptions(subscriptions: readonly Subscription[]): void;
  /** Forbids further additions. */
  seal(): void;
  /** Returns the view of a listener with these modules. The registry must be sealed. */
  view(modules: readonly string[] | typeof ALL_MODULES, options?: ViewOptions): MethodView;
  readonly methods: readonly Method[];
  readonly subscriptions: readonly Subscription[];
}

/** Creates a registry with the built-in methods alone. */
export function createRegistry(shared: InterfaceOptions): Registry {
  const methods = new Map<string, Method>();
  const subscriptions = new Map<string, Subscription>();
  let sealed = false;
  const put = <T>(table: Map<string, T>, name: string, row: T) => {
    if (sealed) throw new Error(`the registry is sealed: ${name} comes too late`);
    if (table.has(name)) throw new Error(`${name} is registered twice`);
    if (moduleOf(name.slice(0, name.indexOf("_"))) === undefined) throw new Error(`${name} has no module`);
    table.set(name, row);
  };
  const registry: Registry = {
    add: (rows) => {
      for (const row of rows.map(shared.adaptMethod)) {
        for (const name of [row.name, ...row.aliases]) put(methods, name, row);
      }
    },
    addSubscriptions: (rows) => {
      for (const row of rows.map(shared.adaptSubscription)) {
        put(subscriptions, `${row.module}_${row.name}`, row);
      }
    },
    seal: () => {
      sealed = true;
    },
    view: (names, options = {}) => {
      if (!sealed) throw new Error("the registry is not sealed yet");
      return createView(servedModules(names), options, { shared, methods, subscriptions });
    },
    get methods() {
      return [...new Set(methods.values())];
    },
    get subscriptions() {
      return [...subscriptions.values()];
    },
  };
  registry.add([modulesMethod, discoverMethod]);
  return registry;
}

interface Tables {
  readonly shared: InterfaceOptions;
  readonly methods: ReadonlyMap<string, Method>;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
}

function createView(served: Served, options: ViewOptions, tables: Tables): MethodView {
  const { shared, methods } = tables;
  const subscriptions = withoutWithheld(tables.subscriptions, options);
  const found = new Map<string, Method>();
  for (const [name, row] of withoutNamed(methods, options)) {
    const [module, rest] = splitName(name);
    if (shared.lacks.has(name) || isWithheld(row, module, options) || !isServed(module, rest, served))
      continue;
    const shown = options.ethAsChain && module.name === "eth" ? (methods.get(`chain_${rest}`) ?? row) : row;
    for (const prefix of [module.name, ...module.aliases]) {
      if (shared.lacksModules.has(prefix)) continue;
      const full = `${prefix}_${rest}`;
      if ((methods.get(full) ?? row) === row) found.set(full, shown); // an alias may have a method of its own
    }
  }
  found.set("rpc.discover", discoverMethod); // the name that OpenRPC gives it
  return {
    modules: listedNames(served.rows, shared),
    subscriptionLimit: shared.subscriptionLimit,
    document: documentOf({ found, served, subscriptions }),
    find: (name) => found.get(name),
    findSubscription: (prefix, name) => {
      const module = shared.lacksModules.has(prefix) ? undefined : moduleOf(prefix);
      if (module === undefined || !isServed(module, "subscribe", served)) return undefined;
      return subscriptions.get(`${module.name}_${name}`);
    },
  };
}

/** Lists the methods without those that are withheld by a name. */
function withoutNamed(
  methods: Tables["methods"],
  { withheld = [] }: ViewOptions,
): Iterable<[string, Method]> {
  if (withheld.length === 0) return methods;
  const rows = new Set(withheld.map((name) => namedMethod(name, methods)));
  return [...methods].filter(([, row]) => !rows.has(row));
}

/** Returns the method of a name with any prefix of its module. Throws `RangeError` when there is none. */
function namedMethod(name: string, methods: Tables["methods"]): Method {
  const at = name.indexOf("_");
  const module = moduleOf(name.slice(0, at));
  const row = methods.get(name) ?? methods.get(`${module?.name}_${name.slice(at + 1)}`);
  if (row === undefined) throw new RangeError(`there is no method ${name} to withhold`);
  return row;
}

function withoutWithheld(all: Tables["subscriptions"], options: ViewOptions): Tables["subscriptions"] {
  return new Map([...all].filter(([name, row]) => !isWithheld(row, splitName(name)[0], options)));
}

/** The parts of a method or a subscription that restrict it. */
type Restricted = Pick<Method, "privilege"> & Partial<Pick<Method, "isLocal">>;

function isWithheld(row: Restricted, module: ModuleRow, { without, isLocal }: ViewOptions): boolean {
  if (row.isLocal === true && isLocal !== true) return true;
  const isPrivileged = (row.privilege ?? module.privilege) !== undefined;
  return isPrivileged && without !== undefined && (without === "privileges" || module.name === "debug");
}

interface Contents {
  readonly found: ReadonlyMap<string, Method>;
  readonly served: Served;
  readonly subscriptions: Tables["subscriptions"];
}

/** Returns a function that writes the document on its first call. */
function documentOf({ found, served, subscriptions }: Contents): () => string {
  let json: string | undefined;
  return () => {
    const own = [...subscriptions.values()].filter(({ module }) => {
      const row = moduleOf(module);
      return row !== undefined && isServed(row, "subscribe", served);
    });
    json ??= goJson(openRpcDocument({ methods: underServedNames(found), subscriptions: own }));
    return json;
  };
}

/** Returns each method once, under names that are served here, its own first. */
function underServedNames(found: ReadonlyMap<string, Method>): Method[] {
  const names = Map.groupBy(found.keys(), (name) => found.get(name) as Method); // the keys of that map
  return [...names].map(([row, all]) => {
    const served = all.filter((name) => [row.name, ...row.aliases].includes(name));
    const name = served.includes(row.name) ? row.name : (served[0] ?? row.name);
    return { ...row, name, aliases: served.filter((each) => each !== name) };
  });
}

function isServed(module: ModuleRow, rest: string, { rows, openOnly }: Served): boolean {
  return rows.includes(module) && (!openOnly || module.open === "all" || module.open.includes(rest));
}

function splitName(name: string): readonly [ModuleRow, string] {
  const at = name.indexOf("_");
  const module = moduleOf(name.slice(0, at));
  if (module === undefined) throw new Error(`${name} has no module`);
  return [module, name.slice(at + 1)];
}

const modulesMethod = method({
  name: "rpc_modules",
  summary: "The modules that this interface serves, each with its version.",
  params: {},
  result: plain<Readonly<Record<string, string>>>(
    "object of module name to version",
    mapSchema("versions by module", text.schema),
  ),
  handle: (_args, { modules }) => Object.fromEntries(modules.map((name) => [name, "1.0"])),
});

const documentPart = mapSchema("part of the document", schemaRefs.anyValue);
/** The outline of a document; OpenRPC publishes the whole schema of its documents. */
const documentSchema = recordSchema({
  openrpc: text.schema,
  info: documentPart,
  methods: arraySchema(documentPart),
  components: documentPart,
});

const discoverMethod = method({
  name: "rpc_discover",
  summary: "The OpenRPC document of this interface: its methods, their parameters and results.",
  params: {},
  result: writtenAs("OpenRPC document", documentSchema),
  handle: (_args, { document }) => document(),
});

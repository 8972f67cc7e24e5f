/** The OpenRPC document of an interface, generated from its methods and subscriptions. */
import { programVersion } from "../config/version.ts";
import { rpcCode } from "./errors.ts";
import type { Method, ParameterRow } from "./method.ts";
import { moduleOf } from "./modules.ts";
import { referencedSchemas, type Schema } from "./schemas.ts";
import { SUBSCRIPTION_METHODS, type Subscription } from "./subscription.ts";

/** Contents of the document. */
export interface OpenRpcContents {
  readonly methods: readonly Method[];
  readonly subscriptions: readonly Subscription[];
}

/** Returns the document as a plain object (OpenRPC 1.3). */
export function openRpcDocument({ methods, subscriptions }: OpenRpcContents): Schema {
  const all = [...methods.map(methodObject), ...subscribeObjects(subscriptions)];
  const sorted = all.toSorted((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1));
  return {
    openrpc: "1.3.2",
    info: {
      title: "Knit",
      version: programVersion(),
      description:
        "JSON-RPC of a Klaytn and Kaia compatible node. klay_ and kaia_ are chain_ under other names.",
      license: { name: "Apache-2.0" },
    },
    methods: sorted,
    components: { schemas: referencedSchemas(sorted), errors: ERRORS },
  };
}

const ERRORS: Readonly<Record<string, Schema>> = {
  parse: { code: rpcCode.parse, message: "parse error" },
  invalidRequest: { code: rpcCode.invalidRequest, message: "invalid request" },
  noMethod: { code: rpcCode.noMethod, message: "the method ... does not exist/is not available" },
  invalidParams: { code: rpcCode.invalidParams, message: "invalid argument ..." },
  serverError: { code: rpcCode.serverError, message: "what went wrong" },
  tooLarge: { code: rpcCode.tooLarge, message: "response too large" },
  internal: { code: rpcCode.internal, message: "internal error" },
  reverted: { code: rpcCode.reverted, message: "execution reverted" },
};

function methodObject({ name, aliases, summary, params, result, runs, privilege, isLocal }: Method): Schema {
  const module = moduleOf(name.slice(0, name.indexOf("_")));
  const guarded = privilege ?? module?.privilege;
  return {
    name,
    summary,
    tags: [{ name: module?.name ?? "" }],
    paramStructure: "by-position",
    params: params.map(parameterObject),
    result: { name: result.label, schema: result.schema },
    ...(aliases.length === 0 ? {} : { "x-aliases": aliases }),
    ...(runs === "reader" ? { "x-reader": true } : {}),
    ...(guarded === undefined ? {} : { "x-privilege": guarded }),
    ...(isLocal ? { "x-ipc-only": true } : {}),
  };
}

function parameterObject({ name, isOptional, schema }: ParameterRow): Schema {
  return { name, required: !isOptional, schema };
}

function subscribeObjects(subscriptions: readonly Subscription[]): Schema[] {
  const byModule = Map.groupBy(subscriptions, ({ module }) => module);
  return [...byModule].flatMap(([module, kinds]) => {
    const names = SUBSCRIPTION_METHODS[module];
    if (names === undefined) throw new Error(`${module} has no methods for subscriptions`);
    const [begin, end] = names;
    return [
      {
        name: begin,
        summary: `Over WebSocket and IPC. ${kinds.map(({ name, summary }) => `${name}: ${summary}`).join(" ")}`,
        tags: [{ name: module }],
        paramStructure: "by-position",
        params: [
          { name: "name", required: true, schema: { enum: kinds.map(({ name }) => name) } },
          ...argumentObjects(kinds),
        ],
        result: { name: "subscription", schema: { type: "string", pattern: "^0x[0-9a-f]{1,32}$" } },
        "x-subscriptions": Object.fromEntries(kinds.map((kind) => [kind.name, subscriptionObject(kind)])),
      },
      {
        name: end,
        summary: "Ends a subscription of this connection.",
        tags: [{ name: module }],
        paramStructure: "by-position",
        params: [{ name: "subscription", required: true, schema: { type: "string" } }],
        result: { name: "boolean", schema: { type: "boolean" } },
      },
    ];
  });
}

/** A kind of subscription: OpenRPC has no words for notifications. */
function subscriptionObject({ summary, params, notification }: Subscription): Schema {
  return {
    summary,
    params: params.map(parameterObject),
    notification: { name: "result", schema: notification },
  };
}

/** Arguments behind the name, by position: each is that of one of the kinds. */
function argumentObjects(kinds: readonly Subscription[]): Schema[] {
  const count = Math.max(...kinds.map(({ params }) => params.length));
  return Array.from({ length: count }, (_, index) => {
    const rows = kinds.flatMap(({ params }) => params.slice(index, index + 1));
    const schemas = [...new Map(rows.map(({ name, schema }) => [name, schema])).values()];
    return {
      name: [...new Set(rows.map(({ name }) => name))].join(" or "),
      required: false,
      schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
    };
  });
}

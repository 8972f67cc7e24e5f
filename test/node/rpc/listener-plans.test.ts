/** Tests of the defaults of listeners when options or a start leave them out. */
import { expect, test } from "@jest/globals";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { configuredPlans } from "../../../node/compose/rpc.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { adminListenersMethods } from "../../../node/rpc/admin-listeners.ts";
import { createListeners, type ListenerKind, type ListenerPlan } from "../../../node/transport/listeners.ts";
import { askRow } from "../../support/ask-row.ts";
import { anEndpoint } from "./fixture.ts";

const own = {
  host: "10.0.0.1",
  port: 7001,
  modules: ["txpool"],
  origins: ["http://own"],
  virtualHosts: ["own"],
};

/** Starts a listener of a node with settings of its own, or none, and says of what it would be made. */
async function planOf(
  profile: ProfileName,
  kind: ListenerKind,
  { configured = own, said = [] }: { configured?: Partial<ListenerPlan>; said?: readonly unknown[] } = {},
): Promise<ListenerPlan | undefined> {
  let plan: ListenerPlan | undefined;
  const rows = adminListenersMethods({
    listeners: {
      start: async (started, made) => {
        if (started === kind) plan = made;
      },
      stop: () => false,
      address: () => undefined,
    },
    listenerDefaults: rpcProfiles[profile].listenerDefaults({ http: configured, ws: configured }),
    subscriptionLimit: createSubscriptionLimit(),
    log: silentLog,
  });
  expect(await askRow(rows, kind === "http" ? "admin_startHTTP" : "admin_startWS", ...said)).toBe(true);
  return plan;
}

test("the service has fixed defaults, whatever the node was started with", async () => {
  const both = { host: "localhost", origins: [], virtualHosts: ["own"] };
  const http = { ...both, port: 8551, modules: ["chain", "net", "rpc"] };
  expect(await planOf("service", "http")).toEqual(http);
  expect(await planOf("service", "http", { configured: {} })).toEqual({
    ...http,
    virtualHosts: ["localhost"],
  });
  const ws = { ...both, port: 8552, modules: ["chain", "net", "personal"] };
  expect(await planOf("service", "ws")).toEqual(ws);
});

test.each([
  ["klaytn", "klay"],
  ["kaia", "kaia"],
] as const)("a Go node of the %s line falls back on what it was started with", async (profile, chain) => {
  expect(await planOf(profile, "http")).toEqual({ ...own, modules: [] });
  expect(await planOf(profile, "ws")).toEqual(own);
  const fixed = { host: "localhost", origins: [], virtualHosts: ["localhost"] };
  expect(await planOf(profile, "http", { configured: {} })).toEqual({ ...fixed, port: 8551, modules: [] });
  const modules = ["net", "web3", chain, "eth"];
  expect(await planOf(profile, "ws", { configured: {} })).toEqual({ ...fixed, port: 8552, modules });
});

test("what a start says counts in every profile, host first, modules last", async () => {
  const said = ["::1", 9, "http://a, http://b", "net,web3"];
  const plan = { host: "::1", port: 9, origins: ["http://a", "http://b"], modules: ["net", "web3"] };
  for (const profile of ["service", "klaytn", "kaia"] as const) {
    expect(await planOf(profile, "http", { said: [...said, "c"] })).toEqual({
      ...plan,
      virtualHosts: ["c"],
    });
    expect(await planOf(profile, "ws", { said })).toMatchObject(plan);
  }
});

test.each([
  ["service", ["chain", "net", "rpc"]],
  ["klaytn", ["net", "web3", "klay", "eth"]],
  ["kaia", ["net", "web3", "kaia", "eth"]],
] as const)("a listener of the options that names no modules has those of profile %s", (profile, modules) => {
  const where = { isEnabled: true, host: "127.0.0.1", port: 0 };
  const http = { ...where, page: false, corsOrigins: ["http://a"], virtualHosts: ["b"], ...TIMES };
  const ws = {
    ...where,
    origins: [],
    maxSubscriptions: 1,
    maxConnections: 1,
    readDeadlineMs: 0,
    writeDeadlineMs: 0,
  };
  const of = (named?: readonly string[]) =>
    configuredPlans(
      { http: { ...http, modules: named }, ws: { ...ws, modules: named } },
      rpcProfiles[profile],
    );
  expect(of()).toMatchObject({
    http: { modules, origins: ["http://a"], virtualHosts: ["b"] },
    ws: { modules },
  });
  expect(of(["debug"])).toMatchObject({ http: { modules: ["debug"] }, ws: { modules: ["debug"] } });
  expect(configuredPlans({ http: undefined, ws: undefined }, rpcProfiles[profile])).toEqual({});
});

const TIMES = { readTimeoutMs: 1, writeTimeoutMs: 1, idleTimeoutMs: 1, executionTimeoutMs: 1 };

test("an opened listener is told of with its lists as they are said in flags", async () => {
  const reported: object[] = [];
  const log = { ...silentLog, info: (fields: object) => void reported.push(fields) };
  const listener = { url: "u", address: "127.0.0.1:7001", retire: () => undefined, ...disposable };
  const open = async () => listener;
  await using listeners = createListeners({
    log,
    endpoint: () => anEndpoint(),
    open: { http: open, ws: open },
  });
  for (const kind of ["http", "ws"] as const)
    await listeners.start(kind, { ...own, modules: ["a", "b"], origins: [] });
  const lists = { url: "u", modules: "a,b", cors: "" };
  expect(reported).toEqual([{ ...lists, vhosts: "own" }, lists]);
});

const disposable = { [Symbol.asyncDispose]: () => Promise.resolve() };

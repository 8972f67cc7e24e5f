/** Tests of starts and stops of listeners by options and methods. */
import { afterEach, expect, test } from "@jest/globals";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { boolean } from "../../../node/jsonrpc/codecs/plain.ts";
import { createEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import { type Method, method } from "../../../node/jsonrpc/method.ts";
import { createRegistry, type Registry, type ViewOptions } from "../../../node/jsonrpc/registry.ts";
import { createSubscriptionLimit, type SubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { type Log, silentLog } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { adminListenersMethods } from "../../../node/rpc/admin-listeners.ts";
import { netMethods } from "../../../node/rpc/net.ts";
import {
  declareExposureMetrics,
  type ExposureDeps,
  warnOfExposure,
} from "../../../node/transport/exposure.ts";
import { openHttp } from "../../../node/transport/http.ts";
import { createListeners, type ListenerPlan, type Listeners } from "../../../node/transport/listeners.ts";
import { openWs } from "../../../node/transport/ws.ts";
import { freePort } from "../../support/go-node.ts";
import { lonelyP2p } from "../../support/lonely-p2p.ts";
import { call } from "../../support/rpc-client.ts";
import { aCall, aPeer, aSession, onBug } from "../rpc/fixture.ts";

interface Written {
  readonly fields: object;
  readonly message: string;
}

interface Bench {
  readonly listeners: Listeners;
  readonly registry: Registry;
  readonly limit: SubscriptionLimit;
  readonly warnings: Written[];
  /** Calls a method over IPC, as it were. */
  ask(name: string, ...params: unknown[]): Promise<unknown>;
}

const open: Listeners[] = [];
afterEach(async () => {
  for (const listeners of open.splice(0)) await listeners[Symbol.asyncDispose]();
});

function aBench(name: ProfileName = "service", without?: ViewOptions["without"]): Bench {
  const profile = rpcProfiles[name];
  const warnings: Written[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields, message) => void warnings.push({ fields, message }),
  };
  const limit = createSubscriptionLimit();
  const registry = createRegistry(profile.options.interfaces);
  const listeners = createListeners({
    log,
    endpoint: (modules) =>
      createEndpoint({ view: registry.view(modules, { without }), budget: createBudget(), onBug }),
    open: {
      http: (plan, served) => openHttp({ ...plan, endpoint: served, cors: plan.origins }),
      ws: (plan, served) => openWs({ ...plan, endpoint: served, subscriptionLimit: limit }),
    },
    keepStoppedMs: profile.keepsStopped ? 60_000 : undefined,
  });
  open.push(listeners);
  const parts = { networkId: 7, clientName: "Knit", p2p: lonelyP2p };
  const listenerDefaults = profile.listenerDefaults({ http: {}, ws: {} });
  registry.add(netMethods(parts));
  registry.add(adminListenersMethods({ listeners, listenerDefaults, subscriptionLimit: limit, log }));
  registry.add([
    method({
      name: "personal_lockAccount",
      summary: "",
      params: {},
      result: boolean,
      handle: () => true,
    }),
  ]);
  registry.seal();
  const ipc = createEndpoint({ view: registry.view("all"), budget: createBudget(), onBug });
  const ask = async (called: string, ...params: unknown[]): Promise<unknown> => {
    const answer = JSON.parse((await ipc.answer(aCall(called, params), aSession)) ?? "") as {
      result?: unknown;
      error?: { message: string };
    };
    return answer.error?.message ?? answer.result;
  };
  return { listeners, registry, limit, warnings, ask };
}

function aPlan(more: Partial<ListenerPlan> = {}): ListenerPlan {
  return {
    host: "127.0.0.1",
    port: 0,
    modules: ["net", "personal", "admin"],
    origins: [],
    virtualHosts: ["*"],
    ...more,
  };
}

test("HTTP is started with the service's modules, says that it runs, and is stopped, under both names", async () => {
  const { ask, listeners } = aBench();
  const port = await freePort();
  for (const [start, stop] of [
    ["admin_startHTTP", "admin_stopHTTP"],
    ["admin_startRPC", "admin_stopRPC"],
  ] as const) {
    expect(await ask(start, "127.0.0.1", port)).toBe(true);
    expect(Object.keys((await call(`http://127.0.0.1:${port}`, "rpc_modules")) as object)).toEqual([
      "chain",
      "net",
      "rpc",
    ]);
    expect(await ask(start, "127.0.0.1", port)).toBe(`HTTP RPC already running on 127.0.0.1:${port}`);
    expect(await ask(start)).toBe(`HTTP RPC already running on 127.0.0.1:${port}`);
    expect(await ask(stop)).toBe(true);
    expect(await ask(stop)).toBe(false);
    expect(listeners.url("http")).toBeUndefined();
  }
});

test("the modules, origins and host names of a listener are those of its start", async () => {
  const { ask } = aBench();
  const port = await freePort();
  expect(
    await ask("admin_startHTTP", "127.0.0.1", port, "http://a.example", " net , nothing", "b.example"),
  ).toBe(true);
  await using peer = await aPeer(`127.0.0.1:${port}`);
  const body = aCall("rpc_modules");
  const head = `POST / HTTP/1.1\r\nHost: b.example\r\nOrigin: http://a.example\r\nContent-Type: application/json\r\n`;
  peer.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  const received = await peer.until((all) => all.endsWith("}\n"));
  expect(received).toContain('{"net":"1.0","rpc":"1.0"}');
  expect(received).toContain("Access-Control-Allow-Origin: http://a.example");
});

test("modules that do not exist are warned of, and nothing else is served for them", async () => {
  const { listeners, warnings } = aBench();
  await listeners.start("http", aPlan({ modules: ["net", " all", "klay"] }));
  expect(warnings).toEqual([
    {
      fields: { modules: " all", known: expect.stringContaining("chain,debug") },
      message: "HTTP serves no module of this name",
    },
  ]);
});

test("WebSocket has the service's modules, and says that it runs", async () => {
  const { ask, listeners } = aBench();
  const port = await freePort();
  expect(await ask("admin_startWS", "127.0.0.1", port)).toBe(true);
  expect(listeners.url("ws")).toBe(`ws://127.0.0.1:${port}`);
  expect(await ask("admin_startWS")).toBe(`WebSocket RPC already running on 127.0.0.1:${port}`);
  expect(await ask("admin_stopWS")).toBe(true);
  expect(await ask("admin_stopWS")).toBe(false);
});

test("of two starts at once one says that the other runs", async () => {
  const { ask } = aBench();
  const port = await freePort();
  const answers = await Promise.all([
    ask("admin_startHTTP", "127.0.0.1", port),
    ask("admin_startHTTP", "127.0.0.1", port),
  ]);
  expect(answers).toEqual([true, `HTTP RPC already running on 127.0.0.1:${port}`]);
});

test.each([
  ["service", false, false, false],
  [
    "kaia",
    (port: number) => `listen tcp 127.0.0.1:${port}: bind: address already in use`,
    "listen tcp: address 70000: invalid port",
    "HTTP RPC not running",
  ],
] as const)("failures of starting and stopping in profile %s", async (name, taken, bad, stopped) => {
  const { ask } = aBench(name);
  await using other = await openHttp({
    host: "127.0.0.1",
    port: 0,
    endpoint: createEndpoint({ view: aBench().registry.view("all"), budget: createBudget(), onBug }),
  });
  const port = Number(other.address.split(":")[1]);
  const expected = typeof taken === "function" ? taken(port) : taken;
  expect(await ask("admin_startHTTP", "127.0.0.1", port)).toBe(expected);
  expect(await ask("admin_startHTTP", "127.0.0.1", 70_000)).toBe(bad);
  expect(await ask("admin_stopHTTP")).toBe(stopped);
  expect(await ask("admin_startHTTP", "127.0.0.1", "x")).toBe(
    "invalid argument 1: json: cannot unmarshal string into Go value of type int",
  );
  expect(await ask("admin_startHTTP", "127.0.0.1", 0, "", "net")).toBe(true);
});

test("a call may stop its own listener and is answered; the connection is closed then", async () => {
  const { listeners } = aBench();
  await listeners.start("http", aPlan());
  const address = listeners.address("http") ?? "";
  await using idle = await aPeer(address);
  expect(await call(`http://${address}`, "admin_stopHTTP")).toBe(true);
  expect(await idle.closed()).toBe("");
});

test.each(["klaytn", "kaia"] as const)(
  "in profile %s a kept connection gets empty answers after the stop, a new listener its port",
  async (name) => {
    const { listeners, ask } = aBench(name);
    await listeners.start("http", aPlan());
    const address = listeners.address("http") ?? "";
    const port = Number(address.split(":")[1]);
    await using kept = await aPeer(address);
    const body = aCall("net_version");
    const request = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    kept.send(request);
    await kept.until((all) => all.includes('"7"'));
    expect(await ask("admin_stopHTTP")).toBe(true);
    expect(await ask("admin_startHTTP", "127.0.0.1", port)).toBe(true);
    kept.send(request);
    expect(await kept.until((all) => all.endsWith("Content-Length: 0\r\n\r\n"))).toContain("HTTP/1.1 200 OK");
    expect(await call(`http://${address}`, "net_version")).toBe("7");
  },
);

test("an empty list of modules serves what is open to all, and nothing of admin that changes the node", async () => {
  const { registry } = aBench("kaia");
  const view = registry.view([]);
  expect(view.find("net_version")).toBeDefined();
  expect(view.find("admin_stopHTTP")).toBeUndefined();
  expect(view.modules).toContain("admin");
  expect(view.modules).not.toContain("personal");
});

test("with privileges over IPC alone, others do not find the methods", async () => {
  const { listeners, registry } = aBench("service", "privileges");
  await listeners.start("http", aPlan());
  const url = listeners.url("http") ?? "";
  for (const name of ["admin_stopHTTP", "admin_startWS", "personal_lockAccount"]) {
    await expect(call(url, name)).rejects.toThrow(`the method ${name} does not exist/is not available`);
    expect(registry.view("all").find(name)).toBeDefined();
  }
  expect(await call(url, "net_version")).toBe("7");
});

test("without the privileges of debug, only its own methods are missing; eth may answer as chain does", () => {
  const registry = createRegistry(rpcProfiles.kaia.options.interfaces);
  registry.add([
    row("debug_gcStats", "", "process"),
    row("debug_metrics", ""),
    row("personal_lockAccount", ""),
    row("chain_getBlock", "the chain's"),
    row("eth_getBlock", "Ethereum's"),
    row("eth_only", "Ethereum's"),
  ]);
  registry.seal();
  const view = registry.view("all", { without: "debug-privileges", ethAsChain: true });
  expect(view.find("debug_gcStats")).toBeUndefined();
  expect(view.find("debug_metrics")).toBeDefined();
  expect(view.find("personal_lockAccount")).toBeDefined();
  expect(view.find("eth_getBlock")?.summary).toBe("the chain's");
  expect(view.find("eth_only")?.summary).toBe("Ethereum's");
  expect(registry.view("all").find("eth_getBlock")?.summary).toBe("Ethereum's");
});

test("the limit of subscriptions may be changed; only Go nodes take a negative one", async () => {
  const { ask, limit } = aBench();
  expect(await ask("admin_setMaxSubscriptionPerWSConn", 5)).toBeNull();
  expect(limit.perConnection).toBe(5);
  expect(await ask("admin_setMaxSubscriptionPerWSConn", -1)).toBe("the limit must not be negative");
  expect(await ask("admin_setMaxSubscriptionPerWSConn", "x")).toContain("of type int32");
  for (const name of ["klaytn", "kaia"] as const)
    expect(await aBench(name).ask("admin_setMaxSubscriptionPerWSConn", -1)).toBeNull();
});

test("control and unlocked keys beyond loopback are warned of and counted, on loopback they are not", async () => {
  const { listeners, warnings } = aBench();
  const parts: ExposureDeps = {
    listExposed: () => listeners.listExposed(),
    countUnlocked: () => 2,
    keysOverIpcOnly: false,
  };
  const metrics = createMetrics();
  declareExposureMetrics(metrics, parts);
  await listeners.start("http", aPlan());
  expect(listeners.listExposed()).toEqual([]);
  expect(await metrics.render()).toMatch(
    /knit_rpc_exposed_control_listeners 0\n[^]*knit_rpc_exposed_unlocked_accounts 0\n/,
  );
  listeners.stop("http");
  await listeners.start("http", aPlan({ host: "0.0.0.0" }));
  const [exposed] = listeners.listExposed();
  expect(exposed?.modules).toEqual(["admin", "net", "personal", "rpc"]);
  expect(await metrics.render()).toMatch(
    /knit_rpc_exposed_control_listeners 1\n[^]*knit_rpc_exposed_unlocked_accounts 2\n/,
  );
  const { url = "", modules = [] } = exposed ?? {};
  const log = { warn: (fields: object, message: string) => void warnings.push({ fields, message }) } as Log;
  warnOfExposure({ url, modules }, parts, log);
  warnOfExposure({ url, modules: ["net"] }, parts, log);
  warnOfExposure({ url, modules: ["eth"] }, { ...parts, keysOverIpcOnly: true }, log);
  expect(warnings).toEqual([
    { fields: { url, modules: "admin,personal" }, message: "other hosts can control this node" },
    { fields: { url, accounts: 2 }, message: "other hosts can use unlocked accounts" },
  ]);
});

function row(name: string, summary: string, privilege?: "process"): Method {
  return method({
    name,
    summary,
    params: {},
    result: boolean,
    handle: () => true,
    ...(privilege && { privilege }),
  });
}

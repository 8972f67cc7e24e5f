/** Tests of the options of a node: checks, defaults, warnings. */
import { describe, expect, test } from "@jest/globals";
import { bootNodeOptions } from "../../../node/compose/boot-node-options.ts";
import { type Given, LINUX, options, resolve } from "../../support/options.ts";

const boot = (line: Given["line"]) => bootNodeOptions(resolve({ command: "bootnode", line }), LINUX).options;

const stateOf = (line: Record<string, string>) => options({ line }).options.state;

describe("options", () => {
  test("lay the data directory out below the default of type and system", () => {
    expect(options().options.paths).toEqual({
      dataDirectory: "/h/.ken",
      instance: "/h/.ken/knit",
      chainData: "/h/.ken/knit/chaindata",
      keystore: "/h/.ken/keystore",
      nodeKey: "/h/.ken/knit/nodekey",
      isNodeKeyNamed: false,
      blsNodeKey: "/h/.ken/knit/bls-nodekey",
      staticNodes: "/h/.ken/knit/static-nodes.json",
      trustedNodes: "/h/.ken/knit/trusted-nodes.json",
    });
    expect(options({ line: { type: "core" } }).options.paths.dataDirectory).toBe("/h/.kcn");
    expect(options({}, { ...LINUX, platform: "darwin" }).options.paths.dataDirectory).toBe("/h/Library/KEN");
    const windows = { ...LINUX, platform: "win32", home: "C:\\h", workingDirectory: "C:\\w" };
    expect(options({ line: { type: "proxy" } }, windows).options.paths.dataDirectory).toBe(
      "C:\\h\\AppData\\Roaming\\KPN",
    );
    expect(() => options({}, { ...LINUX, home: "" })).toThrow(
      "Cannot determine default data directory, please set manually (--datadir)",
    );
  });

  test("tell a node key that somebody names from the one of the data directory", () => {
    const { nodeKey, isNodeKeyNamed } = options({ line: { nodekey: "f" } }).options.paths;
    expect({ nodeKey, isNodeKeyNamed }).toEqual({ nodeKey: "/w/f", isNodeKeyNamed: true });
  });

  test("name the BLS key, or a file of it", () => {
    expect(options().options.blsKey).toEqual({ given: undefined, named: undefined });
    expect(options({ line: { "bls-nodekey": "f" } }).options.blsKey.named).toBe("/w/f");
    expect(options({ line: { "bls-nodekeyhex": "11".repeat(32) } }).options.blsKey.given).toEqual(
      new Uint8Array(32).fill(17),
    );
  });

  test("name the version of new key files", () => {
    expect(options().options.accounts).toMatchObject({ lightKdf: false, keyFileVersion: 4 });
    expect(options({ line: { v3: "true" } }).options.accounts.keyFileVersion).toBe(3);
  });

  test("make given paths absolute and use files of the older layout where they are", () => {
    const around = { ...LINUX, exists: (path: string) => path === "/w/d/nodekey" };
    const line = { datadir: "d", chaindatadir: "fast", keystore: "/k", "p2p.static-nodes-file": "mesh.json" };
    expect(options({ line }, around).options.paths).toEqual({
      dataDirectory: "/w/d",
      instance: "/w/d/knit",
      chainData: "/w/fast/chaindata",
      keystore: "/k",
      nodeKey: "/w/d/nodekey",
      isNodeKeyNamed: false,
      blsNodeKey: "/w/d/knit/bls-nodekey",
      staticNodes: "/w/mesh.json",
      trustedNodes: "/w/d/knit/trusted-nodes.json",
    });
  });

  test("put a bare socket name into the data directory and take a path as it is", () => {
    expect(options().options.ipc).toEqual({ path: "/h/.ken/knit.ipc" });
    expect(options({ line: { ipcpath: "my.ipc" } }).options.ipc).toEqual({ path: "/h/.ken/my.ipc" });
    expect(options({ line: { ipcpath: "run/my.ipc" } }).options.ipc).toEqual({ path: "/w/run/my.ipc" });
    expect(options({ line: { ipcdisable: "true" } }).options.ipc).toBeUndefined();
    const windows = { ...LINUX, platform: "win32" };
    expect(options({}, windows).options.ipc).toEqual({ path: "\\\\.\\pipe\\knit.ipc" });
  });

  test("hold no listener that was not asked for", () => {
    expect(options().options).toMatchObject({ http: undefined, ws: undefined, metrics: undefined });
    expect(options({ line: { rpc: "true" } }).options.http).toEqual({
      isEnabled: true,
      host: "127.0.0.1",
      port: 8551,
      modules: undefined,
      corsOrigins: [],
      virtualHosts: ["localhost"],
      readTimeoutMs: 30_000,
      writeTimeoutMs: 30_000,
      idleTimeoutMs: 120_000,
      page: false,
      executionTimeoutMs: 30_000,
    });
    const metrics = options({ line: { metrics: "true", prometheus: "true" } });
    expect(metrics.options.metrics).toEqual({ host: undefined, port: 61_001 });
  });

  test("of a development chain keep every listener on loopback and its privileged modules off the network", () => {
    const { options: dev } = options({ command: "dev", line: { balance: "3" } });
    expect([dev.http?.host, dev.ws?.host, dev.metrics?.host]).toEqual([
      "127.0.0.1",
      "127.0.0.1",
      "127.0.0.1",
    ]);
    expect(dev.http?.modules).not.toContain("admin");
    expect(dev.development).toMatchObject({ accounts: 10, balance: 3_000_000_000_000_000_000n });
    expect(options().options.development).toBeUndefined();
  });

  test("say no more than timers hold, which fire at once beyond that; a call without a limit has none", () => {
    const long = { rpcexecutiontimeout: "99999999", rpcreadtimeout: "99999999", wsreaddeadline: "99999999" };
    const more = {
      wswritedeadline: "99999999",
      "rpc.evmtimeout": "0",
      "api.filter.getLogs.deadline": "1000h",
    };
    const { http, ws, rpc } = options({ line: { rpc: "true", ws: "true", ...long, ...more } }).options;
    const waits = [http?.executionTimeoutMs, http?.readTimeoutMs, ws?.readDeadlineMs, ws?.writeDeadlineMs];
    expect([...waits, rpc.evmTimeoutMs, rpc.logsDeadlineMs]).toEqual(Array(6).fill(2 ** 31 - 1));
  });

  test("warn where a flag has no effect or is replaced", () => {
    const { options: found, warnings } = options({
      line: { rpc: "true", rpcreadtimeout: "0", prometheus: "true" },
    });
    expect(found.http?.readTimeoutMs).toBe(30_000);
    expect(warnings).toEqual([
      "--rpcreadtimeout 0 is below one second, 30 is used",
      "--prometheus does nothing without --metrics",
    ]);
    expect(options({ line: { "log.rotate": "true" } }).warnings).toEqual([
      "--log.rotate does nothing without --log.file",
    ]);
    expect(options().warnings).toEqual([]);
  });

  test.each<[Given, string]>([
    [
      { line: { nodekey: "f", nodekeyhex: "1".repeat(64) } },
      'Options "nodekey" and "nodekeyhex" are mutually exclusive',
    ],
    [
      { env: { KAIA_BLS_NODEKEY: "f" }, line: { "bls-nodekeyhex": "1".repeat(64) } },
      'Options "bls-nodekey" and "bls-nodekeyhex" are mutually exclusive',
    ],
    [
      { line: { ipcdisable: "true", ipcpath: "a" } },
      "Flags --ipcdisable, --ipcpath can't be used at the same time",
    ],
    [{ line: { rpc: "true", ws: "true", wsport: "8551" } }, "--rpcport and --wsport are both 8551"],
    [
      { line: { "state.live-pruning": "true", gcmode: "archive" } },
      "--gcmode archive keeps all states, --state.live-pruning deletes old ones",
    ],
    [{ command: "export", line: { first: "5", last: "4" } }, "--first 5 is after --last 4"],
  ])("refuse flags that clash: %j", (given, message) => {
    expect(() => options(given)).toThrow(expect.objectContaining({ code: "clash", message }));
  });

  test("let listeners share port 0 and ports of listeners that are off", () => {
    const line = { rpc: "true", ws: "true", rpcport: "0", wsport: "0", prometheusport: "0" };
    expect(options({ line }).options.ws?.port).toBe(0);
    expect(options({ line: { rpc: "true", wsport: "8551" } }).options.http?.port).toBe(8551);
  });

  test.each([
    ["archive", true],
    ["full", false],
  ])("say with gcmode %s how much history is kept", (gcmode, archive) => {
    expect(options({ line: { gcmode } }).options.state.archive).toBe(archive);
  });

  test("prune live with the Go node's retention, also what was an archive, unless another one is given", () => {
    const pruning = { "state.live-pruning": "true" };
    expect(stateOf(pruning)).toMatchObject({ livePruning: true, archive: false, retention: 172_800 });
    const shorter = { ...pruning, "state.live-pruning-retention": "500" };
    expect(stateOf(shorter)).toMatchObject({ livePruning: true, retention: 500 });
    expect(stateOf({ "state.live-pruning-retention": "500" })).toMatchObject({
      livePruning: false,
      retention: 500,
    });
  });

  test("are in base units", () => {
    const { options: found } = options({ line: { "state.trie-cache-limit": "32", verbosity: "5" } });
    expect(found.state).toEqual({
      archive: undefined,
      livePruning: false,
      retention: undefined,
      preimages: true,
      flushInterval: 16,
      cacheSaveMs: 0,
    });
    expect(found.followers).toEqual({ historyBlocks: 0, senderHashes: false, addressIndex: false });
    expect(found.consensus).toEqual({
      rewardbase: undefined,
      intervalMs: 1_000,
      timeLimitMs: 250,
      doppelganger: { listenMs: 30_000 },
      minHeight: 0,
      minHeightFile: undefined,
    });
    expect(found.log).toEqual({ level: "debug", format: "terminal" });
    const line = { "log.file": "/var/log/knit.log", "log.rotate": "true", "log.maxage": "2" };
    expect(options({ line }).options.logFile).toEqual({
      path: "/var/log/knit.log",
      rotation: { maxBytes: 104_857_600, maxFiles: 10, maxAgeMs: 172_800_000, compress: false },
    });
    expect(options({ line: { "log.file": "a" } }).options.logFile).toMatchObject({ rotation: undefined });
    expect(options({ line: { verbosity: "0" } }).options.log.level).toBe("silent");
  });

  test("keep the pool's journal in the instance directory, elsewhere, or not at all", () => {
    expect(options().options.pool.journal).toBe("/h/.ken/knit/transactions.rlp");
    expect(options({ line: { "txpool.journal": "/j/t.rlp" } }).options.pool.journal).toBe("/j/t.rlp");
    expect(options({ line: { "txpool.journal": "" } }).options.pool.journal).toBeUndefined();
  });

  test("say how nodes find each other; networks and addresses are checked", () => {
    const plain = { discovers: true, bootNodes: [], netRestrict: undefined, externalIp: undefined };
    expect(options().options.network).toMatchObject(plain);
    const line = { nodiscover: "true", bootnodes: "kni://a, kni://b", netrestrict: "10.0.0.0/8,fd00::/8" };
    expect(options({ line: { ...line, nat: "extip:9.9.9.9" } }).options.network).toMatchObject({
      discovers: false,
      bootNodes: ["kni://a", "kni://b"],
      netRestrict: ["10.0.0.0/8", "fd00::/8"],
      externalIp: "9.9.9.9",
    });
    for (const netrestrict of ["10.0.0.0", "10.0.0.0/33", "fd00::/129", "here/8", ","])
      expect(() => options({ line: { netrestrict } })).toThrow(
        "--netrestrict must be networks such as 10.0.0.0/8",
      );
    expect(() => options({ line: { nat: "extip:here" } })).toThrow(
      "--nat must be none, extip:IP, any, upnp or pmp",
    );
    expect(options({ line: { nat: "upnp" } }).warnings).toEqual([
      "--nat upnp does not configure the router: open the port there and set the address with --nat extip:IP",
    ]);
  });

  test("of a boot node are its key, its network and where it listens", () => {
    expect(boot({ nodekey: "key" })).toMatchObject({
      nodeKey: undefined,
      nodeKeyPath: "/w/key",
      networkId: 8217,
      listen: { host: undefined, port: 32_323 },
      authorizedNodes: [],
    });
    const nodekeyhex = "11".repeat(32);
    expect(boot({ nodekeyhex, bnaddr: "[::1]:7", networkid: "9", "authorized-nodes": "a,b" })).toMatchObject({
      nodeKey: new Uint8Array(32).fill(17),
      networkId: 9,
      listen: { host: "::1", port: 7 },
      authorizedNodes: ["a", "b"],
    });
    expect(boot({ nodekeyhex, bnaddr: ":7" }).listen).toEqual({ host: undefined, port: 7 });
    expect(() => boot({})).toThrow("Use --nodekey or --nodekeyhex to specify a private key");
    expect(() => boot({ nodekey: "key", nodekeyhex })).toThrow(
      "Options --nodekey and --nodekeyhex are mutually exclusive",
    );
    for (const bnaddr of ["7", "here:7", ":70000", "::1:7"])
      expect(() => boot({ nodekeyhex, bnaddr })).toThrow(
        "--bnaddr must be an address and port such as :32323",
      );
  });
});

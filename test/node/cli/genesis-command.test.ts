/** Tests of `knit genesis`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { runCli } from "../../../node/cli/cli.ts";
import { forks as allForks } from "../../../node/config/forks.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { ADDRESS_BOOK_CODE } from "../../../node/config/presets/kairos-code.ts";
import { readNetwork, readNode } from "../../../operator/api/resource.ts";
import { fakeShell } from "../../support/shell.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-maker-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Runs `knit genesis`; the network is in `net`. */
async function genesis(line: string) {
  const { shell, out, err } = fakeShell();
  const given = line.split(" ").filter((word) => word !== "");
  const code = await runCli(["genesis", ...given, "--output", join(directory, "net"), "--lightkdf"], shell);
  return { code, out: out(), err: err() };
}

function readMade(path: string): string {
  return readFileSync(join(directory, "net", path), "utf8");
}

/** Static nodes of a node, without their ids. */
function peers(name: string): string[] {
  const urls = JSON.parse(readMade(`data/${name}/static-nodes.json`)) as string[];
  return urls.map((url) => url.replace(/^.*@/, ""));
}

interface GenesisJson {
  readonly config: Record<string, unknown> & { readonly governance: Record<string, unknown> | null };
  readonly alloc: Record<string, { readonly code?: string; readonly balance: string }>;
}

function genesisJson(): GenesisJson {
  return JSON.parse(readMade("scripts/genesis.json")) as GenesisJson;
}

describe("knit genesis", () => {
  test("writes a network for processes where nothing else is said, tells each file and the hash of block 0", async () => {
    const { code, out, err } = await genesis("--cn-num 2 --pn-num 1 --en-num 1");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Created : {2}\/.*\/net\/keys\/reward1\n/);
    expect(out).toMatch(/\nchain 1000, hash of block 0 0x[0-9a-f]{64}\nstart it: .*start\.sh/);
    expect(statSync(join(directory, "net/start.sh")).mode & 0o777).toBe(0o755);
    for (const secret of ["keys/nodekey1", "keys/passwd2", "keys_pn/validator1", "data/en1/nodekey"])
      expect(statSync(join(directory, "net", secret)).mode & 0o777).toBe(0o600);
    expect(peers("cn1")).toEqual(["127.0.0.1:32324?discport=0&ntype=cn"]);
    expect(peers("pn1")).toEqual([
      "127.0.0.1:32323?discport=0&ntype=cn",
      "127.0.0.1:32324?discport=0&ntype=cn",
    ]);
    expect(peers("en1")).toEqual(["127.0.0.1:32325?discport=0&ntype=pn"]);
  });

  test("makes a genesis of each kind that a node takes, with what the kind sets", async () => {
    const rows = [
      ["mainnet", 604_800, 22, "34/54/12", 5_000_000],
      ["mainnet-test", 30, 22, "34/54/12", 5_000_000],
      ["kairos", 604_800, 13, "34/54/12", 5_000_000],
      ["kairos-test", 30, 13, "34/54/12", 5_000_000],
      ["servicechain", 3_600, 22, undefined, undefined],
      ["servicechain-test", 30, 22, undefined, undefined],
    ] as const;
    for (const [kind, epoch, sub, ratio, stake] of rows) {
      expect(await genesis(`--${kind} --chainID 77 remote`)).toMatchObject({ code: 0 });
      const { config, alloc } = genesisJson();
      expect([kind, config["istanbul"]]).toEqual([kind, expect.objectContaining({ epoch, sub })]);
      expect(config["chainId"]).toBe(77);
      expect(config.governance?.["reward"]).toEqual(
        ratio && expect.objectContaining({ ratio, minimumStake: stake }),
      );
      expect(alloc["0000000000000000000000000000000000000400"]?.code).toBe(ratio && ADDRESS_BOOK_CODE);
      expect(parseGenesis(readMade("scripts/genesis.json")).config.chainId).toBe(77n);
      rmSync(join(directory, "net"), { recursive: true });
    }
  });

  test("schedules every fork at block 0 where nothing else is said", async () => {
    expect(await genesis("")).toMatchObject({ code: 0 });
    const { config } = genesisJson();
    const starts = Object.fromEntries(allForks.map(({ configKey }) => [configKey, 0]));
    expect(config).toMatchObject(starts);
  });

  test("takes forks that never begin, registers BLS keys for one that begins later, and lets an owner set up the address book", async () => {
    const owner = "ab".repeat(20);
    const forks = "--randao-compatible-blocknumber 5 --kaia-compatible-blocknumber 5";
    const later = "--prague-compatible-blocknumber 5 --osaka-compatible-blocknumber never";
    const { code, err } = await genesis(
      `${forks} ${later} --patch-address-book-addr 0x${owner} --funding-addr ${owner}`,
    );
    expect([code, err]).toEqual([0, ""]);
    const { config, alloc } = genesisJson();
    expect(config["osakaCompatibleBlock"]).toBeUndefined();
    expect(
      Object.keys(alloc)
        .slice(0, 3)
        .map((each) => each.slice(-3)),
    ).toEqual(["400", "402", "403"]);
    expect(alloc["0000000000000000000000000000000000000400"]?.code).toContain(owner);
    expect(alloc[owner]).toEqual(Object.values(alloc).at(-1));
  });

  test("takes node keys from a mnemonic or a directory", async () => {
    expect(await genesis("--mnemonic test,junk")).toMatchObject({ code: 0 });
    expect(readMade("keys/reward1")).toBe("f39fd6e51aad88f6f4ce6ab8827279cfffb92266"); // known to all tools
    rmSync(join(directory, "net"), { recursive: true });
    mkdirSync(join(directory, "keys"));
    for (const i of [1, 10, 2])
      writeFileSync(join(directory, "keys", `nodekey${i}`), String(i).padStart(64, "0"));
    expect(await genesis(`--cn-num 3 --cn-nodekey-dir ${directory}/keys`)).toMatchObject({ code: 0 });
    expect([1, 2, 3].map((i) => Number(readMade(`keys/nodekey${i}`)))).toEqual([1, 2, 10]);
  });

  test.each([
    ["--cn-num 0", "Fatal: needed at least one consensus node (--cn-num 1)"],
    ["--cn-num 1 --validators-num 2", "Fatal: validators-num(2) cannot be greater than num(1)"],
    ["swarm", "knit: Wrong Type : swarm; Supported Types : [local, remote, compose, kubernetes, docker]"],
    ["--mainnet --kairos-test", "knit: --mainnet and kairos-test: a genesis is of one kind"],
    [
      "--governance --reward-ratio 50/50",
      "knit: --reward-ratio must be 3 percentages that sum to 100, not 50/50",
    ],
    [
      "--governance --gov-mode single --governing-node 0000000000000000000000000000000000000001",
      "Fatal: governingNode is not in the validator list",
    ],
    [
      "--istanbul-compatible-blocknumber 10",
      /^Fatal: unsupported fork ordering: istanbulBlock enabled at 10/,
    ],
    [
      "--governance --lower-bound-base-fee 2 --upper-bound-base-fee 1",
      "knit: --lower-bound-base-fee 2 is above --upper-bound-base-fee 1",
    ],
    ["--mnemonic a --cn-nodekey-dir b", "knit: --mnemonic and --cn-nodekey-dir both name node keys"],
    ["--governance --gas-target 0", "knit: --gas-target must be at least 1"],
    [
      "--pn-num 1 --rpc-port 8551 --ws-port 8553",
      "knit: port 8553 for HTTP of pn1 is that of WebSocket of cn1",
    ],
    ["--p2p-port 65535 --pn-num 1", "knit: port 65536 for peers of pn1 is none"],
    ...["Net", "1net", "n".repeat(35)].map((name): [string, string] => [
      `--network-name ${name} kubernetes`,
      `knit: --network-name must be up to 34 of a-z, 0-9 and -, a letter first, not ${name}`,
    ]),
    ["--scn-num 1", "knit: --scn-num is refused: knit does not take part in service chains"],
    ["--cn-nodekey-dir /nowhere", /^Fatal: cannot read the node keys: ENOENT/],
    ["--mnemonic a,b", "Fatal: "],
  ])("%s is refused in one line, and nothing is written", async (line, message) => {
    const { code, err } = await genesis(line);
    expect(code).toBe(1);
    expect(err).toEqual(
      typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message),
    );
    expect(err.trimEnd()).not.toContain("\n");
    expect(() => statSync(join(directory, "net"))).toThrow("ENOENT");
  });

  test("writes over nothing", async () => {
    await genesis("");
    const key = readMade("keys/nodekey1");
    expect((await genesis("")).err).toMatch(/^knit: .*\/net is not empty: choose another with --output\n$/);
    expect(readMade("keys/nodekey1")).toBe(key);
  });

  test("for compose gives each node its address, ports, data directory and command", async () => {
    expect(await genesis("--cn-num 2 --pn-num 1 --docker-image-id here/knit:1 docker")).toMatchObject({
      code: 0,
    });
    const { services } = parse(readMade("docker-compose.yml")) as {
      services: Record<string, Record<string, unknown>>;
    };
    expect(Object.keys(services)).toEqual(["cn1", "cn2", "pn1"]);
    expect(services["pn1"]).toMatchObject({
      image: "here/knit:1",
      networks: { app_net: { ipv4_address: "172.16.239.12" } },
      volumes: ["./data/pn1:/data", "./scripts/genesis.json:/genesis.json:ro"],
      ports: ["127.0.0.1:32325:32323", "127.0.0.1:8555:8551", "127.0.0.1:8556:8552"],
      command: [
        expect.stringContaining(
          "init --datadir /data /genesis.json; exec node /app/dist/node/main.js run --type proxy",
        ),
      ],
    });
    expect(readMade("data/pn1/static-nodes.json")).toContain("@172.16.239.10:32323?discport=0");
  });

  test("for Kubernetes gives manifests that the operator takes: keys, genesis, network, nodes", async () => {
    expect(await genesis("--pn-num 1 --en-num 1 --network-name demo kubernetes")).toMatchObject({ code: 0 });
    const all = ["keys.yaml", "network.yaml"].flatMap((path) =>
      parseAllDocuments(readMade(path)).map((each) => each.toJS() as Record<string, unknown>),
    );
    const nodes = all
      .filter(({ kind }) => kind === "Node")
      .map(withMeta)
      .map(readNode);
    const [network] = all
      .filter(({ kind }) => kind === "Network")
      .map(withMeta)
      .map(readNetwork);
    const names = (kind: string) =>
      all.filter((each) => each["kind"] === kind).map((each) => (each["metadata"] as { name: string }).name);
    expect(nodes.map(({ spec: { type } }) => type)).toEqual(["core", "proxy", "endpoint"]);
    for (const { spec } of nodes) {
      expect(names("Secret")).toContain(spec.nodeKeySecret?.name);
      expect(spec.network).toEqual({ name: "demo" });
      expect(spec.peers.types).toBeUndefined();
    }
    expect(network?.meta.name).toBe("demo");
    expect(names("ConfigMap")).toEqual([network?.spec.genesis.configMap?.name]);
    expect(all.find(({ kind }) => kind === "ConfigMap")?.["data"]).toEqual({
      "genesis.json": readMade("scripts/genesis.json"),
    });
  });

  test("for Kubernetes connects endpoints to core nodes where there are no proxies", async () => {
    await genesis("--en-num 1 kubernetes");
    const [endpoint] = parseAllDocuments(readMade("network.yaml"))
      .map((each) => each.toJS() as { kind: string; spec: { type?: string; peers?: object } })
      .filter(({ spec }) => spec?.type === "endpoint");
    expect(endpoint?.spec.peers).toEqual({ types: ["core"] });
  });
});

/** Adds the metadata of the API server. */
function withMeta(object: Record<string, unknown>): object {
  const metadata = {
    ...(object["metadata"] as object),
    namespace: "n",
    uid: "u",
    resourceVersion: "1",
    generation: 1,
  };
  return { ...object, metadata };
}

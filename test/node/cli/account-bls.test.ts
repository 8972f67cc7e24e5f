/** `knit account bls-...`. Keys and what follows from them are those of the Go node's own test. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openBlsKeyFile } from "../../../node/accounts/bls-key-file.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { runCli } from "../../../node/cli/cli.ts";
import { plain } from "../../../node/jsonrpc/codecs/plain.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { openIpc } from "../../../node/transport/ipc.ts";
import { fakeShell } from "../../support/shell.ts";
import { anEndpoint } from "../rpc/fixture.ts";

const NODE_KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const INFO = {
  publicKey:
    "876006073c4ef19d23df948fea3e7e95398d6a7b5acc6a510f24e2d5160bbbd9f636a58cdfe69c8eba42b1cfce0fa60a",
  pop: "ac7886654439a16c53be123d1956bb1bfe4a04b118ac50d9d4a56aef8a8e1e23128a8d720a9290a4dfa411df2384f5dc0bf9ee9861846fe1bd3f0fbd998935deda91cb28ceefe5ff8f307b43c0559dfbc96d7f2b6361980edb0298f28479908e",
};
const BLS_KEY = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
const PUBLIC_KEY =
  "9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27f4ae4040902382ae2910c15e2b420d07";
const KEY_FILE = `bls-keystore-${ADDRESS}.json`;
const INFO_FILE = `bls-publicinfo-${ADDRESS}.json`;
const ASKED = "Please give a new password. Do not forget this password.\nPassphrase: \nRepeat passphrase: \n";

let directory = "";
const place = (name: string): string => join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-bls-"));
  mkdirSync(place("data/knit"), { recursive: true });
  writeFileSync(place("data/knit/nodekey"), NODE_KEY);
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Runs `knit account bls-...` in the directory. */
async function bls(line: string, answers: readonly string[] = []) {
  const { shell, out, err } = fakeShell({}, {}, answers);
  const surroundings = { ...shell.host, workingDirectory: directory };
  const given = ["account", ...`bls-${line}`.split(" "), "--datadir", "data"];
  const code = await runCli(given, { ...shell, host: surroundings });
  return { code, out: out(), err: err() };
}

describe("knit account bls-import", () => {
  test("writes the key that follows from the node key, or the one that was set, as a key file", async () => {
    expect(await bls("import --lightkdf", ["1234", "1234"])).toEqual({
      code: 0,
      out: `Importing BLS key: pub=${INFO.publicKey}\n${ASKED}Successfully wrote '${KEY_FILE}'\n`,
      err: "",
    });
    expect(statSync(place(KEY_FILE)).mode & 0o777).toBe(0o600);
    expect((await bls("import --lightkdf", ["1234", "1234"])).err).toBe(
      `knit: file '${KEY_FILE}' already exists\n`,
    );
    rmSync(place(KEY_FILE));
    writeFileSync(place("data/knit/bls-nodekey"), BLS_KEY);
    expect((await bls("import --lightkdf", ["a", "a"])).out).toContain(`pub=${PUBLIC_KEY}\n`);
    const text = readFileSync(place(KEY_FILE), "utf8");
    expect(bareHex(await openBlsKeyFile(text, "a"))).toBe(BLS_KEY);
    expect(text).toContain(`"pubkey":"${PUBLIC_KEY}"`);
  });

  test("writes nothing when the passphrases differ", async () => {
    expect((await bls("import", ["a", "b"])).err).toBe("Fatal: Passphrases do not match\n");
    expect(readdirSync(directory)).toEqual(["data"]);
  });
});

test("knit account bls-new makes another key each time", async () => {
  const made: string[] = [];
  for (const passphrase of ["a", "b"]) {
    const { out } = await bls("new --lightkdf", [passphrase, passphrase]);
    expect(out).toMatch(
      /^Creating new BLS key: pub=[0-9a-f]{96}\nPlease give [^]*\nSuccessfully wrote 'bls-keystore-/,
    );
    made.push(bareHex(await openBlsKeyFile(readFileSync(place(KEY_FILE), "utf8"), passphrase)));
    rmSync(place(KEY_FILE));
  }
  expect(made[0]).not.toBe(made[1]);
});

describe("knit account bls-export", () => {
  test("puts a key file's key where a node finds it, and replaces none", async () => {
    await bls(`import --lightkdf --bls-nodekeyhex ${BLS_KEY}`, ["1234", "1234"]);
    const path = place("data/knit/bls-nodekey");
    const line = `export --bls-nodekeystore ${place(KEY_FILE)}`;
    expect(await bls(line, ["1234"])).toEqual({
      code: 0,
      out: `Enter the password\nPassphrase: \nExporting BLS key: pub=${PUBLIC_KEY}\nSuccessfully wrote '${path}'\n`,
      err: "",
    });
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([BLS_KEY, 0o600]);
    expect(readFileSync(`${path}.public`, "utf8")).toBe(PUBLIC_KEY);
    expect((await bls(line, ["1234"])).err).toBe(`knit: file '${path}' already exists\n`);
    writeFileSync(place("password"), "4321\n");
    expect((await bls(`${line} --password ${place("password")}`)).err).toBe(
      "Fatal: could not decrypt key with given passphrase\n",
    );
  });

  test("needs a key file", async () => {
    expect((await bls("export")).err).toBe(
      "knit: no BLS keystore file specified (--bls-nodekeystore FILE)\n",
    );
    expect((await bls(`export --bls-nodekeystore ${place("none")}`)).err).toMatch(
      /^knit: Failed to read BLS keystore file: ENOENT/,
    );
  });
});

/** Members that every node reports about itself. */
const COMMON = {
  kni: `kni://${"11".repeat(64)}@127.0.0.1:32323`,
  protocols: { istanbul: { difficulty: 1, config: {} } },
};

/** Answers as a node does that tells this of itself. */
function node(reported: object) {
  return openIpc({
    path: place("data/knit.ipc"),
    endpoint: anEndpoint({
      profile: "service", // which changes nothing of it
      methods: [
        method({
          name: "admin_nodeInfo",
          summary: "",
          params: {},
          result: plain<object>("node information", {}),
          handle: () => ({ ...COMMON, ...reported }),
        }),
      ],
    }),
    subscriptionLimit: createSubscriptionLimit(),
  });
}

describe("knit account bls-info", () => {
  test("writes what the running node tells", async () => {
    await using _ = await node({
      nodeAddress: ADDRESS,
      blsPublicKeyInfo: { publicKey: PUBLIC_KEY, pop: INFO.pop },
    });
    expect(await bls("info")).toEqual({ code: 0, out: `Successfully wrote '${INFO_FILE}'\n`, err: "" });
    expect(readFileSync(place(INFO_FILE), "utf8")).toBe(
      `{\n  "address": "${ADDRESS}",\n  "blsPublicKeyInfo": {\n    "publicKey": "${PUBLIC_KEY}",\n    "pop": "${INFO.pop}"\n  }\n}\n`,
    );
    expect((await bls("info")).err).toBe(`knit: file '${INFO_FILE}' already exists\n`);
  });

  test("looks the key up in the data directory where its own node does not tell it", async () => {
    await using _ = await node({ nodeAddress: ADDRESS });
    expect((await bls("info")).code).toBe(0);
    expect(JSON.parse(readFileSync(place(INFO_FILE), "utf8"))).toEqual({
      address: ADDRESS,
      blsPublicKeyInfo: INFO,
    });
  });

  test.each([
    [{ nodeAddress: `0x${"11".repeat(20)}` }, /^Fatal: the node 0x1{40} does not return its BLS key/],
    [{ nodeAddress: "../../etc" }, /^Fatal: Unable to fetch node info: the answer names no node address/],
    [{ nodeAddress: ADDRESS, blsPublicKeyInfo: 1 }, /^Fatal: Unable to .*the BLS key in the answer is none/],
  ])("writes nothing of a node that tells %j", async (reported, message) => {
    await using _ = await node(reported);
    expect((await bls("info")).err).toMatch(message);
    expect(readdirSync(directory)).toEqual(["data"]);
  });

  test("says when there is no node", async () => {
    expect((await bls("info")).err).toMatch(/^Fatal: Unable to attach to remote node: .*knit\.ipc/);
  });
});

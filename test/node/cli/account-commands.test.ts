/** Tests of `knit account`. */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { fakeShell } from "../../support/shell.ts";

/** A key that everybody knows, and its address. */
const KEY = "c14c88d8aaa9893efa10d0b77d744f7f8bf1b5bd777df2e5ce66ef19f908bd2a";
const ADDRESS = "e78cbc3707f5109a1a9b030b681dc30dbc7fc670";
const NEW =
  "Your new account is locked with a password. Please give a password. Do not forget this password.\n";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-account-"));
  writeFileSync(join(directory, "key"), `${KEY}\n`);
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Runs `knit account ...`; what is typed is not in the output. */
async function account(line: string, answers: readonly string[] = []) {
  const { shell, out, err } = fakeShell({}, {}, answers);
  const given = line.split(" ").map((word) => word.replace("@", `${directory}/`));
  const light = /^(new|import|update)/.test(line) ? ["--lightkdf"] : [];
  const code = await runCli(["account", ...given, "--datadir", directory, ...light], shell);
  return { code, out: out(), err: err() };
}

function keyFiles(): string[] {
  return readdirSync(join(directory, "keystore")).map((name) => join(directory, "keystore", name));
}

describe("knit account new", () => {
  test("asks twice and prints the address, which list shows with its file", async () => {
    const { code, out } = await account("new", ["secret", "secret"]);
    const [, address = ""] = /^Address: \{([0-9a-f]{40})\}$/m.exec(out) ?? [];
    expect(out).toBe(`${NEW}Passphrase: \nRepeat passphrase: \nAddress: {${address}}\n`);
    const [file = ""] = keyFiles();
    expect(code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await account("list")).out).toBe(`Account #0: {${address}} keystore://${file}\n`);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: 4 });
  });

  test("makes nothing when the passphrases differ", async () => {
    const { code, err } = await account("new", ["secret", "sercet"]);
    expect([code, err]).toEqual([1, "Fatal: Passphrases do not match\n"]);
    expect(keyFiles()).toEqual([]);
  });

  test("asks nobody with a password file, and names one that cannot be read", async () => {
    writeFileSync(join(directory, "password"), "secret\n");
    expect((await account("new --password @password --v3")).out).toMatch(/^Address: \{[0-9a-f]{40}\}\n$/);
    expect(JSON.parse(readFileSync(keyFiles()[0] ?? "", "utf8"))).toMatchObject({ version: 3 });
    expect((await account("new --password @none")).err).toMatch(
      /^knit: Failed to read password file: ENOENT/,
    );
  });
});

describe("knit account import", () => {
  test("makes an account of a key file, once", async () => {
    const { code, out } = await account("import @key", ["a", "a"]);
    const [file = ""] = keyFiles();
    expect([code, out]).toEqual([
      0,
      `${NEW}Passphrase: \nRepeat passphrase: \nAddress: {${ADDRESS}}\nYour account is imported at ${file}\n`,
    ]);
    expect((await account("import @key", ["a", "a"])).err).toBe(
      "Fatal: Could not create the account: account already exists\n",
    );
  });

  test("says what is wrong with a key before it asks for a passphrase, and never quotes it", async () => {
    writeFileSync(join(directory, "bad"), KEY.slice(2));
    expect(await account("import @bad")).toEqual({
      code: 1,
      out: "",
      err: "Fatal: Failed to load the private key: invalid length, need 256 bits\n",
    });
    writeFileSync(join(directory, "long"), "0".repeat(5_000));
    expect((await account("import @long")).err).toBe("knit: Failed to read key file: more than 4096 bytes\n");
    expect((await account("import")).err).toBe("knit: keyfile must be given as argument\n");
  });
});

describe("knit account update", () => {
  beforeEach(() => account("import @key", ["old", "old"]));

  test("opens by address or place in the list, in up to three attempts, and writes the file anew", async () => {
    const { code, out } = await account(`update 0x${ADDRESS}`, ["x", "y", "old", "new", "new"]);
    const attempts = [1, 2, 3].map((n) => `Unlocking account 0x${ADDRESS} | Attempt ${n}/3\nPassphrase: \n`);
    const reported =
      "Please give a new password. Do not forget this password.\nPassphrase: \nRepeat passphrase: \n";
    expect([code, out]).toEqual([0, `${attempts.join("")}${reported}`]);
    expect(keyFiles()).toHaveLength(1);
    expect((await account("update 0", ["new", "newer", "newer"])).code).toBe(0);
  });

  test("gives up after the third, and at once for an account that is not there", async () => {
    expect((await account("update 0", ["x", "y", "z"])).err).toBe(
      "Fatal: Failed to unlock account 0 (could not decrypt key with given passphrase)\n",
    );
    expect((await account("update 1")).err).toBe(
      "Fatal: Failed to unlock account 1 (no key for given address or file)\n",
    );
    expect((await account("update x")).err).toBe(
      'Fatal: Could not list accounts: invalid account address or index "x"\n',
    );
    expect((await account("update")).err).toBe("knit: No accounts specified to update\n");
  });

  test("takes both passphrases from a file", async () => {
    writeFileSync(join(directory, "password"), "old\r\nnew\r\n");
    expect(await account("update 0 --password @password")).toEqual({ code: 0, out: "", err: "" });
    expect((await account("update 0", ["new", "a", "a"])).code).toBe(0);
  });

  test("finds among several files of one account the one that the passphrase opens", async () => {
    const [first = ""] = keyFiles();
    await account("update 0", ["old", "other", "other"]);
    const second = join(directory, "keystore", "a-copy");
    copyFileSync(first, second);
    await account("update 0", ["other", "new", "new"]); // one of the two
    const { code, out } = await account(`update ${ADDRESS}`, ["new", "newest", "newest"]);
    expect(code).toBe(0);
    expect(out).toContain(`Multiple key files exist for address ${ADDRESS}:\n`);
    expect(out).toMatch(
      /Your passphrase unlocked keystore:\/\/\S+\nIn order to avoid .* files:\n {3}keystore:/,
    );
  });
});

describe("knit account export", () => {
  test("makes the key of a key file the node key, and replaces none", async () => {
    await account("import @key", ["secret", "secret"]);
    const [file = ""] = keyFiles();
    const { code, out } = await account(`export --nodekeystore ${file}`, ["secret"]);
    const path = join(directory, "knit", "nodekey");
    expect([code, out]).toEqual([
      0,
      `Enter the password\nPassphrase: \nExporting node key: address=${ADDRESS}\nSuccessfully wrote '${path}'\n`,
    ]);
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([KEY, 0o600]);
    expect((await account(`export --nodekeystore ${file}`, ["secret"])).err).toBe(
      `knit: file '${path}' already exists\n`,
    );
  });

  test("needs a key file and its passphrase", async () => {
    expect((await account("export")).err).toBe(
      "knit: no node keystore file specified (--nodekeystore FILE)\n",
    );
    expect((await account("export --nodekeystore @key")).err).toBe(`knit: ${directory}/key is no key file\n`);
    await account("import @key", ["secret", "secret"]);
    expect((await account(`export --nodekeystore ${keyFiles()[0]}`, ["terces"])).err).toBe(
      "Fatal: could not decrypt key with given passphrase\n",
    );
  });
});

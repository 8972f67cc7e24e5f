/** `knit account` in a real terminal: what is asked, that nothing of a passphrase is shown, and what then holds. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Terminal } from "../support/console/terminal.ts";
import { MAIN, runKnit, startKnit } from "../support/knit-process.ts";

/** The Go node's own test has this node key and this BLS key. */
const NODE_KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const BLS_KEY = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
const BLS_PUBLIC_KEY =
  "9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27f4ae4040902382ae2910c15e2b420d07";
const NEW =
  "Your new account is locked with a password. Please give a password. Do not forget this password.";

let directory = "";

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-terminal-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** `script` keeps the terminal's other end; without it there is no terminal to type into. */
const inTerminal = spawnSync("script", ["--version"]).status === 0 ? test : test.skip;

const account = (...line: string[]): Terminal =>
  new Terminal([process.execPath, MAIN, "account", ...line, "--datadir", directory, "--lightkdf"]);

function keyFiles(): string[] {
  return readdirSync(join(directory, "keystore"));
}

inTerminal("an account is made: the passphrase is asked for twice and never shown", async () => {
  using terminal = account("new");
  await terminal.shows("Passphrase: ");
  terminal.type("se\u007fsecret\r");
  await terminal.shows("Repeat passphrase: ");
  terminal.type("ssecret\r");
  const lines = await terminal.ended();
  expect(lines.slice(0, 3)).toEqual([NEW, "Passphrase: ", "Repeat passphrase: "]);
  expect(lines[3]).toMatch(/^Address: \{[0-9a-f]{40}\}$/);
  expect(lines.slice(4)).toEqual([""]);
  expect(keyFiles()).toHaveLength(1);
});

inTerminal(
  "passphrases that differ make nothing, nor does Ctrl-C, which leaves the terminal with its echo",
  async () => {
    const before = keyFiles();
    using differing = account("new");
    await differing.shows("Passphrase: ");
    differing.type("secret\r");
    await differing.shows("Repeat passphrase: ");
    differing.type("sercet\r");
    expect((await differing.ended()).slice(2)).toEqual([
      "Repeat passphrase: ",
      "Fatal: Passphrases do not match",
      "",
    ]);
    const shell = [
      "sh",
      "-c",
      `${process.execPath} ${MAIN} account update 0 --datadir ${directory}; stty -a`,
    ];
    using interrupted = new Terminal(shell);
    await interrupted.shows("Passphrase: ");
    interrupted.type("half\u0003");
    const lines = await interrupted.ended();
    expect(lines.slice(0, 3)).toEqual([
      "Unlocking account 0 | Attempt 1/3",
      "Passphrase: ",
      "Fatal: Failed to read passphrase: prompt aborted",
    ]);
    expect(lines.join(" ")).toMatch(/[^-]icanon .*[^-]echo /);
    expect(keyFiles()).toEqual(before);
  },
);

inTerminal(
  "a BLS key file is made in a terminal, and a node runs with the key that is taken out of it",
  async () => {
    mkdirSync(join(directory, "knit"));
    writeFileSync(join(directory, "knit", "nodekey"), NODE_KEY);
    const inDirectory = (...line: string[]) =>
      new Terminal([
        "sh",
        "-c",
        `cd ${directory} && exec ${process.execPath} ${MAIN} account ${line.join(" ")} --datadir ${directory}`,
      ]);
    using importing = inDirectory("bls-import", "--bls-nodekeyhex", BLS_KEY, "--lightkdf");
    await importing.shows("Passphrase: ");
    importing.type("1234\r");
    await importing.shows("Repeat passphrase: ");
    importing.type("1234\r");
    expect(await importing.ended()).toEqual([
      `Importing BLS key: pub=${BLS_PUBLIC_KEY}`,
      "Please give a new password. Do not forget this password.",
      "Passphrase: ",
      "Repeat passphrase: ",
      `Successfully wrote 'bls-keystore-${ADDRESS}.json'`,
      "",
    ]);
    using exporting = inDirectory("bls-export", "--bls-nodekeystore", `bls-keystore-${ADDRESS}.json`);
    await exporting.shows("Passphrase: ");
    exporting.type("1234\r");
    expect((await exporting.ended()).slice(1, 3)).toEqual([
      "Passphrase: ",
      `Exporting BLS key: pub=${BLS_PUBLIC_KEY}`,
    ]);
    const node = startKnit(
      "dev",
      "--datadir",
      directory,
      "--rpc.profile",
      "kaia",
      "--rpcport",
      "0",
      "--wsport",
      "0",
      "--prometheusport",
      "0",
    );
    try {
      await node.waitFor(/opened node|HTTP {2,}/);
      using informing = inDirectory("bls-info");
      expect(await informing.ended()).toEqual([`Successfully wrote 'bls-publicinfo-${ADDRESS}.json'`, ""]);
    } finally {
      await node.stop();
    }
    const reported: unknown = JSON.parse(
      readFileSync(join(directory, `bls-publicinfo-${ADDRESS}.json`), "utf8"),
    );
    expect(reported).toMatchObject({ address: ADDRESS, blsPublicKeyInfo: { publicKey: BLS_PUBLIC_KEY } });
    const { code, output } = await runKnit("account", "list", "--datadir", directory);
    expect([code, output.split("\n").length]).toEqual([0, 2]);
  },
);

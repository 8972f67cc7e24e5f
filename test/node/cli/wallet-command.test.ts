/** Tests of `knit wallet import`. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { runCli } from "../../../node/cli/cli.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { fakeShell } from "../../support/shell.ts";

const WORDS = `${"abandon ".repeat(11)}about`;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-wallet-"));
  await writeFile(join(directory, "words"), `${WORDS}\n`);
  await writeFile(join(directory, "password"), "secret\nanother line\n");
});
afterEach(() => rm(directory, { recursive: true }));

async function runImport(...more: readonly string[]) {
  const { shell, out, err } = fakeShell();
  const code = await runCli(["wallet", "import", ...more, "--datadir", directory, "--lightkdf"], shell);
  return { code, out: out(), err: err() };
}

test("a mnemonic becomes a wallet of the key store, and its URL is printed", async () => {
  const { code, out } = await runImport(join(directory, "words"), "--password", join(directory, "password"));
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^hdwallet:\/\/\/.*\/keystore\/hd-wallets\/.*\.json\n$/),
  ]);
  await using accounts = await openAccounts({
    directory: join(directory, "keystore"),
    lightKdf: true,
    log: silentLog,
  });
  await accounts.openWallet(out.trim(), "secret");
  const { address } = await accounts.deriveAccount(out.trim(), "m/44'/60'/0'/0/0", false);
  expect(toHex(address)).toBe("0x9858effd232b4033e47d90003d41ec34ecaeda94");
});

test.each([
  ["a password that is not given", ["words"], "--password FILE is needed"],
  ["words that are none", ["password", "--password", "password"], "not a mnemonic"],
  ["a file that is not there", ["nothing", "--password", "password"], "Failed to read mnemonic file: ENOENT"],
  ["a file that is too long", ["long", "--password", "password"], "more than 4096 bytes"],
])("%s is an error that quotes no secret", async (_what, given, message) => {
  await writeFile(join(directory, "long"), "abandon ".repeat(10_000));
  const files = given.map((word) => (word.startsWith("--") ? word : join(directory, word)));
  const { code, out, err } = await runImport(...files);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(message);
  expect(err).not.toMatch(/abandon|secret/);
});

/** The network maker beside the Go tool: given the same keys and the same second, it writes the same files. */
import { describe, expect, test } from "@jest/globals";
import { formatKeyFile, parseKeyFile } from "../../../node/accounts/key-file.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { createGenesisBlock } from "../../../node/chain/genesis-block.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { LIGHT_COST, openSecret } from "../../../node/crypto/secret-box.ts";
import { keyFiles, type NetworkFile, nodeFiles, testKeyFiles } from "../../../node/network-maker/files.ts";
import { again, homiRun, withBaseFee } from "../../support/homi.ts";

function textsOf(files: readonly NetworkFile[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, text }) => [path, text]));
}

describe.each(["plain-local", "four-local", "forks", "remote"])("a network as of the run %s", (name) => {
  const run = homiRun(name);

  test("has the genesis that the Go tool wrote, letter for letter", async () => {
    const recorded = run.files["scripts/genesis.json"] ?? "";
    const { genesis } = await again(run);
    expect(genesis).toBe(withBaseFee(recorded));
    if (name === "forks") return; // whose order no node takes
    const [made, theirs] = await Promise.all([genesis, withBaseFee(recorded)].map(hashOf));
    expect(made).toBe(theirs);
  });

  test("has its node keys, validator files, URLs and reward addresses", async () => {
    const network = await again(run);
    const files = textsOf(nodeFiles(network, placeOf(name === "remote" ? 0 : 1)));
    const rewards = textsOf((await keyFiles(network, { cost: LIGHT_COST, now: 0 })).filter(isOpen));
    const made = { ...files, ...rewards };
    const theirs = Object.keys(run.files).filter((path) =>
      /nodekey|validator|static-nodes|reward/.test(path),
    );
    expect(theirs.filter((path) => made[path] !== run.files[path])).toEqual([]);
    expect(Object.keys(made).toSorted()).toEqual([...theirs, "scripts/genesis.json"].toSorted());
  });
});

/** Ports so far apart. */
function placeOf(step: number) {
  return (node: { readonly place: number }) => ({ host: "0.0.0.0", port: 32_323 + step * node.place });
}

/** Without the time of day. */
function nameless(path: string): string {
  return path.replace(/T.*Z--/, "T--");
}

function isOpen({ mode }: NetworkFile): boolean {
  return mode === 0o644;
}

async function hashOf(genesis: string): Promise<string> {
  return toHex((await createGenesisBlock(parseGenesis(genesis))).hash);
}

test("key files are the Go tool's: the passphrase beside each opens it", async () => {
  const run = homiRun("four-local");
  const network = await again(run);
  const terms = { cost: LIGHT_COST, now: Date.UTC(2026, 10, 21, 13, 30, 58, 944) };
  const files = textsOf([...(await keyFiles(network, terms)), ...(await testKeyFiles(network, terms))]);
  const theirs = Object.keys(run.files).filter((path) => /keystore|passwd|testkey/.test(path));
  const made = Object.keys(files).filter((path) => !path.includes("reward"));
  expect(made.map(nameless).toSorted()).toEqual(theirs.map(nameless).toSorted());
  for (const node of network.nodes.filter(({ kind }) => kind === "cn")) {
    const file = parseKeyFile(files[`keys/keystore${node.number}`] ?? "");
    const [[secret] = []] = file.keyring;
    if (secret === undefined) throw new Error("a key file without a key");
    expect(await openSecret(secret, files[`keys/passwd${node.number}`] ?? "")).toEqual(node.key);
    expect(formatKeyFile(file)).toBe(files[`keys/keystore${node.number}`]);
  }
});

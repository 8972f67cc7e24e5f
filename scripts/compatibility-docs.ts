/**
 * Writes docs/compatibility.md from the tables of forks, public networks, recorded vectors and client packages:
 * `node scripts/compatibility-docs.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { publicForks } from "../node/cli/fork-table.ts";
import { DIFFERENCE_RULES } from "../test/support/difference-rules.ts";
import { readResults } from "../test/support/suite-results.ts";

/** Path of the page. */
export const COMPATIBILITY_DOCS = "docs/compatibility.md";

/** Counts of runs of the whole suites. */
const SUITE_RESULTS = "test/vectors/suite-results.json";

const INTRODUCTION = `# Compatibility

<!-- Written by scripts/compatibility-docs.ts. Do not edit. -->

Knit has the formats, the consensus rules and the answers of the Go node. This page lists the versions that it is compared with, and the extent of each comparison.
`;

/** The lines of the Go node. */
const PEERS: readonly (readonly [string, string, string])[] = [
  [
    "Kaia v2.2.2",
    "`--rpc.profile kaia`",
    "networks of Knit and Go validators through every fork up to Osaka with FlexReward (`test/e2e/go-*.test.ts`), chains made by either program and imported by the other, recorded chains and answers",
  ],
  [
    "Kaia v2.2.1",
    "",
    "recorded chains, connections between peers, console sessions, files of the network maker",
  ],
  [
    "Klaytn v1.12.1",
    "`--rpc.profile klaytn`",
    "recorded chains and answers at Shanghai, at Cancun and through Randao, console sessions",
  ],
];

const CLIENTS: readonly (readonly [string, string])[] = [
  ["ethers", "test/e2e/clients.test.ts"],
  ["viem", "test/e2e/clients.test.ts"],
  ["web3", "test/e2e/clients.test.ts"],
  ["caver-js", "test/e2e/clients.test.ts"],
  ["@kaiachain/ethers-ext", "test/e2e/kaia-clients.test.ts"],
  ["@kaiachain/web3js-ext", "test/e2e/kaia-clients.test.ts"],
];

/** Returns the whole page. */
export function compatibilityDocs(): string {
  return [INTRODUCTION, peerSection(), clientSection(), suiteSection(), networkSection(), FIRST_BLOCKS].join(
    "\n",
  );
}

function peerSection(): string {
  const rows = PEERS.map((cells) => cells.join(" | "));
  return section("Go nodes", "version | profile of the answers | compared by", rows);
}

function clientSection(): string {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const rows = CLIENTS.map(([name, test]) => `${name} | ${versionOf(devDependencies, name)} | \`${test}\``);
  return section("Clients", "package | version | test", rows);
}

function versionOf(versions: Readonly<Record<string, string>>, name: string): string {
  const version = versions[name];
  if (version === undefined) throw new Error(`${name} is not a development dependency`);
  return version;
}

function suiteSection(): string {
  const results = readResults(SUITE_RESULTS);
  const rows = results.map(({ suite, date, go, passed, excluded, failed }) => {
    const out = Object.values(excluded).reduce((sum, count) => sum + count, 0);
    const counts = [passed, out, failed].map(groupDigits);
    return [suite, ...counts, go === undefined ? "" : groupDigits(go), date].join(" | ");
  });
  const counts = section(
    "Published suites",
    "suite | passed | excluded by rule | remaining | passed by the Go runner | run on",
    rows,
  );
  const rules = DIFFERENCE_RULES.map(({ name, reason, source }) => {
    const cases = results.reduce((sum, { excluded }) => sum + (excluded[name] ?? 0), 0);
    return `| ${name} | ${groupDigits(cases)} | ${reason} | \`${source}\` |`;
  });
  return `${counts}
Each row but those of kaia-rpc-tester is written by \`npm run vectors -- --results ${SUITE_RESULTS} "NAME=PATH"\` on a checkout of the suite, without its files of 4 MiB and more. kaia-rpc-tester (commit 4d583a9) ran against \`knit run --rpc.profile kaia\` and against \`kcn\` v2.2.2, each a sole validator on the tester's genesis file. A case is excluded only if it differs and the rule holds for it:

| rule | cases | reason | file of Kaia v2.2.2 |
|---|---|---|---|
${rules.join("\n")}

A part of each suite is in \`test/vectors\` and in \`npm test\`. Of Wycheproof the files about ECDSA and ECDH on secp256k1, ECDSA on P-256, BLS signatures and PBKDF2 are judged. The cases of the execution APIs are compared by the shape of the answers.
`;
}

function groupDigits(count: number): string {
  return count.toLocaleString("en-US");
}

function networkSection(): string {
  const rows = publicForks().map(({ name, mainnet, kairos }) => {
    const cells = [mainnet, kairos].map((block) => block?.toLocaleString("en-US") ?? "not scheduled");
    return `${name} | ${cells.join(" | ")}`;
  });
  const table = section("Public networks", "fork | main network | Kairos", rows);
  return `${table}
\`knit version --forks\` prints these blocks.

Of the public networks themselves, block 0 of both is built here with the hash of the network. No later block was replayed: the project has no access to those networks. Every rule of these forks is replayed on recorded chains of private networks.
`;
}

const FIRST_BLOCKS = `## Block 0 of private chains

Klaytn gives the contracts of a genesis VM version 0. Kaia and Knit give them version 1 where Istanbul is active in block 0 (\`blockchain/genesis.go@v1.12.1\`, \`@v2.2.2\`). From a genesis file with contracts and \`istanbulCompatibleBlock\` 0 the two lines make different blocks 0. Nothing in the file tells which line made a chain, so Knit does as Kaia, whatever \`--rpc.profile\` is: like a Kaia node it cannot join a chain that a Klaytn node began from such a file, and peers refuse each other by the hash of block 0.

Both lines make the same block 0 without contracts in the genesis, and where Istanbul comes later, as on the main network and Kairos.
`;

function section(title: string, head: string, rows: readonly string[]): string {
  const line = head.replaceAll(/[^|]+/g, "---");
  return `## ${title}\n\n| ${head} |\n|${line}|\n${rows.map((row) => `| ${row} |`).join("\n")}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL(`../${COMPATIBILITY_DOCS}`, import.meta.url), compatibilityDocs());
}

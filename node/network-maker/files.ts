/**
 * Files of a network on any platform: keys, lists of node URLs and genesis, in the formats of the Go node's
 * homi (`cmd/homi/setup/cmd.go@v2.2.2`).
 */
import { randomInt, randomUUID } from "node:crypto";
import { formatKeyFile } from "../accounts/key-file.ts";
import { keyFileName } from "../accounts/key-writer.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { type ScryptCost, sealSecret } from "../crypto/secret-box.ts";
import {
  type MadeAccount,
  type MadeNetwork,
  type MadeNode,
  type NodeKind,
  type Place,
  urlOf,
} from "./network.ts";

/** A file to write. The separator of `path` is `/`. */
export interface NetworkFile {
  readonly path: string;
  readonly text: string;
  /** 0600 for secrets, 0755 for scripts, 0644 for other files. */
  readonly mode: 0o600 | 0o644 | 0o755;
}

/** Encryption of key files and the time in their names, in milliseconds. */
export interface KeyFileOptions {
  readonly cost: ScryptCost;
  readonly now: number;
}

/** Returns a readable file. */
export function openFile(path: string, text: string): NetworkFile {
  return { path, text, mode: 0o644 };
}

/** Returns a file with a secret. */
export function secretFile(path: string, text: string): NetworkFile {
  return { path, text, mode: 0o600 };
}

/** Returns a key file for each core node, its random passphrase and its address. */
export async function keyFiles(
  { nodes }: MadeNetwork,
  { cost }: KeyFileOptions,
): Promise<readonly NetworkFile[]> {
  const files: NetworkFile[] = [];
  for (const node of nodes.filter(({ kind }) => kind === "cn")) {
    const { text, passphrase } = await sealKey(node, cost);
    files.push(openFile(`keys/reward${node.number}`, bareHex(node.address)));
    files.push(secretFile(`keys/keystore${node.number}`, text));
    files.push(secretFile(`keys/passwd${node.number}`, passphrase));
  }
  return files;
}

/** Returns the key of each test account, in clear and as a key file. */
export async function testKeyFiles(
  { testAccounts }: MadeNetwork,
  { cost, now }: KeyFileOptions,
): Promise<readonly NetworkFile[]> {
  const files: NetworkFile[] = [];
  for (const [i, account] of testAccounts.entries()) {
    const { text, passphrase } = await sealKey(account, cost);
    const directory = `keys_test/keystore${i + 1}`;
    files.push(secretFile(`keys_test/testkey${i + 1}`, bareHex(account.key)));
    files.push(secretFile(`${directory}/${keyFileName(now, account.address)}`, text));
    files.push(secretFile(`${directory}/${checksumAddress(account.address)}`, passphrase));
  }
  return files;
}

const PASSPHRASE_CHARACTERS =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~!@#$%^&*()_+{}|[]";
const PASSPHRASE_LENGTH = 16;

async function sealKey(
  { key, address }: MadeAccount,
  cost: ScryptCost,
): Promise<{ text: string; passphrase: string }> {
  const passphrase = Array.from(
    { length: PASSPHRASE_LENGTH },
    () => PASSPHRASE_CHARACTERS[randomInt(PASSPHRASE_CHARACTERS.length)],
  ).join("");
  const secret = await sealSecret(key, passphrase, cost);
  return { text: formatKeyFile({ address, id: randomUUID(), keyring: [[secret]] }), passphrase };
}

/** Suffixes of the directories and lists of a kind of node. */
const SUFFIX: Readonly<Record<NodeKind, string>> = { cn: "", pn: "_pn", en: "_en" };

/** Returns keys and URLs of the nodes, a list of URLs for each kind, and the genesis. */
export function nodeFiles(network: MadeNetwork, placeOf: (node: MadeNode) => Place): readonly NetworkFile[] {
  const { nodes, genesis } = network;
  const kinds = [...Map.groupBy(nodes, ({ kind }) => kind)];
  return [
    openFile("scripts/genesis.json", genesis),
    ...nodes.flatMap((node) => oneNode(node, placeOf(node))),
    ...kinds.map(([kind, all]) =>
      openFile(
        `scripts${SUFFIX[kind]}/static-nodes.json`,
        listJson(all.map((node) => urlOf(node, placeOf(node)))),
      ),
    ),
  ];
}

function oneNode(node: MadeNode, place: Place): readonly NetworkFile[] {
  const directory = `keys${SUFFIX[node.kind]}`;
  const about = { Address: toHex(node.address), Nodekey: bareHex(node.key), NodeInfo: urlOf(node, place) };
  return [
    secretFile(`${directory}/nodekey${node.number}`, bareHex(node.key)),
    secretFile(
      `${directory}/validator${node.number}`,
      escapeAmpersands(JSON.stringify(about, undefined, "\t")),
    ),
  ];
}

/** Formats a list as homi does. */
export function listJson(urls: readonly string[]): string {
  return escapeAmpersands(JSON.stringify(urls, undefined, "\t"));
}

/** Escapes ampersands, as Go's JSON encoder does. */
function escapeAmpersands(json: string): string {
  return json.replaceAll("&", "\\u0026");
}

/** What is written of a network, whatever it is to run on: keys and genesis, in the files of the Go tool. */
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

/** A file to be written; paths have `/`. */
export interface NetworkFile {
  readonly path: string;
  readonly text: string;
  /** Secrets are for their owner alone, scripts can be run. */
  readonly mode: 0o600 | 0o644 | 0o755;
}

/** How key files are encrypted, and the time in their names, in milliseconds. */
export interface KeyFileTerms {
  readonly cost: ScryptCost;
  readonly now: number;
}

/** An open text. */
export function openFile(path: string, text: string): NetworkFile {
  return { path, text, mode: 0o644 };
}

/** A secret. */
export function secretFile(path: string, text: string): NetworkFile {
  return { path, text, mode: 0o600 };
}

/** A key file of each core node under a random passphrase, which is beside it, and its address. */
export async function keyFiles(
  { nodes }: MadeNetwork,
  { cost }: KeyFileTerms,
): Promise<readonly NetworkFile[]> {
  const files: NetworkFile[] = [];
  for (const node of nodes.filter(({ kind }) => kind === "cn")) {
    const { text, passphrase } = await sealed(node, cost);
    files.push(openFile(`keys/reward${node.number}`, bareHex(node.address)));
    files.push(secretFile(`keys/keystore${node.number}`, text));
    files.push(secretFile(`keys/passwd${node.number}`, passphrase));
  }
  return files;
}

/** The key of each test account, plain and as a key file. */
export async function testKeyFiles(
  { testAccounts }: MadeNetwork,
  { cost, now }: KeyFileTerms,
): Promise<readonly NetworkFile[]> {
  const files: NetworkFile[] = [];
  for (const [i, account] of testAccounts.entries()) {
    const { text, passphrase } = await sealed(account, cost);
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

async function sealed(
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

/** Directories of node keys and of lists by the kind of node. */
const SUFFIX: Readonly<Record<NodeKind, string>> = { cn: "", pn: "_pn", en: "_en" };

/** Keys and URLs of the nodes, a list of each kind's URLs, the genesis. */
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
    secretFile(`${directory}/validator${node.number}`, escaped(JSON.stringify(about, undefined, "\t"))),
  ];
}

/** A list as the Go tool writes it. */
export function listJson(urls: readonly string[]): string {
  return escaped(JSON.stringify(urls, undefined, "\t"));
}

/** Go's JSON has no bare ampersand. */
function escaped(json: string): string {
  return json.replaceAll("&", "\\u0026");
}

/**
 * `knit account bls-info [ENDPOINT]`: writes the BLS public key of a node and its proof of possession to a
 * file. Texts and file names are those of the Go node (`cmd/utils/nodecmd/accountcmd.go@v2.2.2`).
 */
import { bareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { ownBlsKey, ownNodeKey } from "../compose/node-keys.ts";
import { nodeOptions } from "../compose/options.ts";
import { resolvePath } from "../compose/paths.ts";
import { provePossession } from "../crypto/bls-possession.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { OptionError } from "../options/error.ts";
import { askNode } from "../transport/client.ts";
import type { CommandJob } from "./chain-commands.ts";
import { writeNewFile } from "./new-file.ts";
import { openQuietShutdown } from "./signals.ts";

/** A BLS public key and its proof of possession (pop), as bare hex. */
interface BlsInfo {
  readonly publicKey: string;
  readonly pop: string;
}

/**
 * Writes the file. Throws without a node, or when the node does not report its key and is not that of the
 * data directory.
 */
export async function writeBlsInfo(job: CommandJob): Promise<void> {
  const { address, reported } = await askInfo(job);
  const blsPublicKeyInfo = reported ?? (await ownInfo(job, address));
  const name = `bls-publicinfo-${address}.json`;
  const text = `${JSON.stringify({ address, blsPublicKeyInfo }, undefined, 2)}\n`;
  await writeNewFile({ path: resolvePath(name, job.shell.host), name, text, mode: 0o644 });
  job.shell.stdout.write(`Successfully wrote '${name}'\n`);
}

interface Answered {
  /** Address with checksum (EIP-55). */
  readonly address: string;
  readonly reported: BlsInfo | undefined;
}

const QUESTION = '{"jsonrpc":"2.0","id":1,"method":"admin_nodeInfo","params":[]}';

async function askInfo({ shell, resolved, command, arguments: [given] }: CommandJob): Promise<Answered> {
  const { ipc } = nodeOptions(command, resolved, shell.host).options;
  const endpoint = given ?? ipc?.path;
  if (endpoint === undefined)
    throw new OptionError(
      "clash",
      "without a socket (--ipcdisable) say where: knit account bls-info ENDPOINT",
    );
  using shutdown = openQuietShutdown(shell.signals);
  const text = await askNode(endpoint, QUESTION, shutdown.signal).catch((cause: unknown) => {
    throw new Error(`Unable to attach to remote node: ${messageOf(cause)}`, { cause });
  });
  return readAnswer(text);
}

/** Checks every member of the response, because the file name comes from it. */
function readAnswer(text: string): Answered {
  const { result, error } = objectOf(parseResponse(text));
  if (error !== undefined)
    throw new Error(`Unable to fetch node info: ${String(objectOf(error)["message"])}`);
  const { nodeAddress, blsPublicKeyInfo } = objectOf(result);
  if (typeof nodeAddress !== "string" || !/^0x[0-9a-f]{40}$/i.test(nodeAddress))
    throw new Error("Unable to fetch node info: the answer names no node address");
  return { address: nodeAddress, reported: readInfo(blsPublicKeyInfo) };
}

function readInfo(value: unknown): BlsInfo | undefined {
  if (value === undefined) return undefined;
  const { publicKey, pop } = objectOf(value);
  if (isHex(publicKey, 48) && isHex(pop, 96)) return { publicKey, pop };
  throw new Error("Unable to fetch node info: the BLS key in the answer is none");
}

function isHex(text: unknown, bytes: number): text is string {
  return typeof text === "string" && text.length === 2 * bytes && /^[0-9a-f]*$/i.test(text);
}

function parseResponse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("Unable to fetch node info: the answer is not JSON", { cause });
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object can be read by name.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Returns the key of the data directory. Nodes report their key only in the profile kaia. */
async function ownInfo({ shell, resolved, command }: CommandJob, address: string): Promise<BlsInfo> {
  const { options } = nodeOptions(command, resolved, shell.host);
  const nodeKey = await ownNodeKey(options);
  if (checksumAddress(nodeKey.address) !== address)
    throw new Error(
      `the node ${address} does not return its BLS key; run it with --rpc.profile kaia, or run this command on its --datadir`,
    );
  const { publicKey, proof } = await provePossession(await ownBlsKey(options, nodeKey));
  return { publicKey: bareHex(publicKey), pop: bareHex(proof) };
}

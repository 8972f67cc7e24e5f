/** Key files go both ways: those of a client into the node's key store, those of the node into a client. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeAddress, Wallet } from "ethers";
import type { DevNode } from "../dev-node.ts";
import { call } from "../rpc-client.ts";

const PASSPHRASE = "ein Passwort mit Leerzeichen";
const MESSAGE = "0x6b6e6974";

/** Operations of a client library on key files; each is a JSON text. */
export interface KeyFileClient {
  /** Seals a private key, cheaply. */
  encrypt(key: string, passphrase: string): Promise<string>;
  /** The first private key in a file. */
  decrypt(file: string, passphrase: string): Promise<string>;
}

/** Gives the node a file of the client, and tells whether the node then signs with the key in it. */
export async function nodeReadsFile(node: DevNode, client: Pick<KeyFileClient, "encrypt">): Promise<boolean> {
  const { privateKey, address } = Wallet.createRandom();
  writeFileSync(join(node.keystore, `UTC--${address}`), await client.encrypt(privateKey, PASSPHRASE));
  const signature = await call(node.http, "personal_sign", MESSAGE, address, PASSPHRASE);
  const signer = await call(node.http, "personal_ecRecover", MESSAGE, signature);
  return signer === address.toLowerCase();
}

/** A client's reading of a file that the node wrote. */
export interface ReadFile {
  readonly version: number;
  /** True if the key in it is that of the account. */
  readonly fits: boolean;
}

/** Has the node make an account, and gives its file to the client. */
export async function clientReadsFile(
  node: DevNode,
  client: Pick<KeyFileClient, "decrypt">,
): Promise<ReadFile> {
  const address = String(await call(node.http, "personal_newAccount", PASSPHRASE));
  const name = readdirSync(node.keystore).find((each) => each.endsWith(address.slice(2)));
  const file = readFileSync(join(node.keystore, name ?? ""), "utf8");
  const key = await client.decrypt(file, PASSPHRASE);
  return { version: Number(JSON.parse(file).version), fits: computeAddress(key).toLowerCase() === address };
}

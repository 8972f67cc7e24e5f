/** `knit genesis [TYPE]`: creates a network and writes the files to run it on a platform. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { keyFileOptions } from "../accounts/options.ts";
import { toHex } from "../bytes/hex.ts";
import { createGenesisBlock } from "../chain/genesis-block.ts";
import { resolvePath } from "../compose/paths.ts";
import { checkGenesis, parseGenesis } from "../config/genesis.ts";
import { LIGHT_COST, STANDARD_COST } from "../crypto/secret-box.ts";
import { composeFiles } from "../network-maker/compose.ts";
import { keyFiles, type NetworkFile, nodeFiles, testKeyFiles } from "../network-maker/files.ts";
import { kubernetesFiles } from "../network-maker/kubernetes.ts";
import { localFiles, type Ports } from "../network-maker/local.ts";
import { checkSize, type MadeNetwork, makeNetwork, type NetworkKeys } from "../network-maker/network.ts";
import { directoryKeys, mnemonicKeys, randomKeys } from "../network-maker/node-keys.ts";
import {
  keyOptions,
  type NetworkSize,
  type OutputOptions,
  outputOptions,
  sizeOptions,
} from "../network-maker/options.ts";
import { OptionError } from "../options/error.ts";
import { optionValues, type ResolvedFlags } from "../options/resolve.ts";
import type { CommandJob } from "./chain-commands.ts";
import { genesisOptions } from "./genesis-options.ts";

/**
 * Writes to an empty directory. Throws `OptionError`, `NetworkMakerError` or `ConfigError` before the first
 * write.
 */
export async function makeGenesis({ shell, resolved, arguments: [word] }: CommandJob): Promise<void> {
  for (const warning of resolved.warnings) shell.stderr.write(`warning: ${warning}\n`);
  const files = optionValues(outputOptions, resolved);
  const type = typeOf(word ?? files.platform ?? "local");
  const size = sizeOf(resolved);
  checkSize(size);
  const output = resolvePath(files.directory, shell.host);
  await refuseFull(output);
  const now = shell.clock.now();
  const { lightKdf } = optionValues(keyFileOptions, resolved);
  const network = await makeNetwork(
    genesisOptions(resolved, now),
    size.validators,
    await keysOf(resolved, size),
  );
  const genesis = parseGenesis(network.genesis);
  checkGenesis(genesis);
  for (const file of await filesOf(type, network, { files, lightKdf, now })) {
    await write(output, file);
    shell.stdout.write(`Created :  ${join(output, file.path)}\n`);
  }
  const { hash } = await createGenesisBlock(genesis);
  shell.stdout.write(
    `chain ${network.chainId}, hash of block 0 ${toHex(hash)}\n${NEXT[type](files.directory)}\n`,
  );
}

const TYPES = ["local", "remote", "compose", "kubernetes"] as const;
type NetworkType = (typeof TYPES)[number];

const NEXT: Readonly<Record<NetworkType, (output: string) => string>> = {
  local: (output) => `start it: ${join(output, "start.sh")} (KNIT="npx knit" where knit is not on the path)`,
  remote: (output) => `on each machine: knit init --datadir DIR ${join(output, "scripts", "genesis.json")}`,
  compose: (output) => `start it: docker compose -f ${join(output, "docker-compose.yml")} up`,
  kubernetes: (output) =>
    `start it: kubectl apply -f ${join(output, "keys.yaml")} -f ${join(output, "network.yaml")}`,
};

function typeOf(wanted: string): NetworkType {
  const type = TYPES.find((each) => each === (wanted === "docker" ? "compose" : wanted));
  if (type !== undefined) return type;
  throw new OptionError(
    "bad-value",
    `Wrong Type : ${wanted}; Supported Types : [${TYPES.join(", ")}, docker]`,
  );
}

function sizeOf(resolved: ResolvedFlags): NetworkSize {
  const size = optionValues(sizeOptions, resolved);
  return { ...size, validators: size.validators || size.core };
}

async function keysOf(
  resolved: ResolvedFlags,
  { core, proxy, endpoint, testAccounts }: NetworkSize,
): Promise<NetworkKeys> {
  const { mnemonic, mnemonicPath, cn: directory, pn, en } = optionValues(keyOptions, resolved);
  if (mnemonic && directory)
    throw new OptionError("clash", "--mnemonic and --cn-nodekey-dir both name node keys");
  return {
    cn: mnemonic ? await mnemonicKeys(core, mnemonic, mnemonicPath) : await givenKeys(core, directory),
    pn: await givenKeys(proxy, pn),
    en: await givenKeys(endpoint, en),
    test: randomKeys(testAccounts),
  };
}

function givenKeys(count: number, directory: string | undefined): Promise<readonly Uint8Array[]> {
  return directory ? directoryKeys(count, directory) : Promise.resolve(randomKeys(count));
}

interface FileOptions {
  readonly files: OutputOptions;
  readonly lightKdf: boolean;
  readonly now: number;
}

async function filesOf(
  type: NetworkType,
  network: MadeNetwork,
  { files, lightKdf, now }: FileOptions,
): Promise<readonly NetworkFile[]> {
  const encryption = { cost: lightKdf ? LIGHT_COST : STANDARD_COST, now };
  const ports = portsOf(files, network);
  const place = (node: { readonly place: number }) => ({
    host: "0.0.0.0",
    port: type === "remote" ? ports.peers : ports.peers + node.place,
  });
  return [
    ...(await keyFiles(network, encryption)),
    ...nodeFiles(network, place),
    ...(await testKeyFiles(network, encryption)),
    ...outputFiles(type, network, { files, ports }),
  ];
}

function outputFiles(
  type: NetworkType,
  network: MadeNetwork,
  { files, ports }: { readonly files: OutputOptions; readonly ports: Ports },
): readonly NetworkFile[] {
  if (type === "local") return localFiles(network, ports);
  if (type === "kubernetes") return kubernetesFiles(network, networkName(files));
  if (type === "remote") return [];
  const user = { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };
  return composeFiles(network, { image: files.image, user, ports });
}

/**
 * Maximum length of a network name. A resource name has at most 40 characters, which includes the node's
 * name.
 */
const MAX_NAME = 34;

function networkName({ networkName: name }: OutputOptions): string {
  if (name.length <= MAX_NAME && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return name;
  throw new OptionError(
    "bad-value",
    `--network-name must be up to ${MAX_NAME} of a-z, 0-9 and -, a letter first, not ${name}`,
  );
}

/** Returns the first ports. Throws `OptionError` when ports of the network overlap or exceed 65535. */
function portsOf({ peers, http, ws }: OutputOptions, { nodes }: MadeNetwork): Ports {
  const ports = { peers, http, ws };
  const taken = new Map<number, string>();
  for (const { name, place } of nodes) {
    const own = { peers: ports.peers + place, HTTP: ports.http + 2 * place, WebSocket: ports.ws + 2 * place };
    for (const [what, port] of Object.entries(own)) {
      const other = taken.get(port);
      if (other !== undefined || port > 65_535)
        throw new OptionError(
          "clash",
          `port ${port} for ${what} of ${name} ${other ? `is that of ${other}` : "is none"}`,
        );
      taken.set(port, `${what} of ${name}`);
    }
  }
  return ports;
}

/** Throws for a directory that is not empty, so that no key is overwritten. */
async function refuseFull(directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new OptionError("bad-file", `cannot write to ${directory}: ${error.message}`, error);
  });
  if (names.length > 0)
    throw new OptionError("bad-file", `${directory} is not empty: choose another with --output`);
}

async function write(output: string, { path, text, mode }: NetworkFile): Promise<void> {
  const place = join(output, path);
  await mkdir(dirname(place), { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 });
  await writeFile(place, text, { mode, flag: "wx" });
}

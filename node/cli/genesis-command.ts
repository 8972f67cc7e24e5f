/** `knit genesis [TYPE]`: creates a network and writes the files to run it on a platform. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toHex } from "../bytes/hex.ts";
import { createGenesisBlock } from "../chain/genesis-block.ts";
import type { FlagValues } from "../config/flags.ts";
import { checkGenesis, parseGenesis } from "../config/genesis.ts";
import { OptionError } from "../config/options-error.ts";
import { resolvePath } from "../config/options-paths.ts";
import { LIGHT_COST, STANDARD_COST } from "../crypto/secret-box.ts";
import { composeFiles } from "../network-maker/compose.ts";
import { keyFiles, type NetworkFile, nodeFiles, testKeyFiles } from "../network-maker/files.ts";
import type { NetworkSize } from "../network-maker/genesis-options.ts";
import { kubernetesFiles } from "../network-maker/kubernetes.ts";
import { localFiles, type Ports } from "../network-maker/local.ts";
import { checkSize, type MadeNetwork, makeNetwork, type NetworkKeys } from "../network-maker/network.ts";
import { directoryKeys, mnemonicKeys, randomKeys } from "../network-maker/node-keys.ts";
import type { CommandJob } from "./chain-commands.ts";
import { genesisOptions } from "./genesis-options.ts";

/**
 * Writes to an empty directory. Throws `OptionError`, `NetworkMakerError` or `ConfigError` before the first
 * write.
 */
export async function makeGenesis({ shell, resolved, arguments: [word] }: CommandJob): Promise<void> {
  const { values, warnings } = resolved;
  for (const warning of warnings) shell.stderr.write(`warning: ${warning}\n`);
  const type = typeOf(word, values);
  const size = sizeOf(values);
  checkSize(size);
  const output = resolvePath(values.output, shell.host);
  await refuseFull(output);
  const now = shell.clock.now();
  const network = await makeNetwork(genesisOptions(values, now), size.validators, await keysOf(values, size));
  const genesis = parseGenesis(network.genesis);
  checkGenesis(genesis);
  for (const file of await filesOf(type, network, { values, now })) {
    await write(output, file);
    shell.stdout.write(`Created :  ${join(output, file.path)}\n`);
  }
  const { hash } = await createGenesisBlock(genesis);
  shell.stdout.write(
    `chain ${network.chainId}, hash of block 0 ${toHex(hash)}\n${NEXT[type](values.output)}\n`,
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

function typeOf(word: string | undefined, values: FlagValues): NetworkType {
  const wanted = word ?? values["gen-type"] ?? "local";
  const type = TYPES.find((each) => each === (wanted === "docker" ? "compose" : wanted));
  if (type !== undefined) return type;
  throw new OptionError(
    "bad-value",
    `Wrong Type : ${wanted}; Supported Types : [${TYPES.join(", ")}, docker]`,
  );
}

function sizeOf(values: FlagValues): NetworkSize {
  return {
    core: values["cn-num"],
    validators: values["validators-num"] || values["cn-num"],
    proxy: values["pn-num"],
    endpoint: values["en-num"],
    testAccounts: values["test-num"],
  };
}

async function keysOf(
  values: FlagValues,
  { core, proxy, endpoint, testAccounts }: NetworkSize,
): Promise<NetworkKeys> {
  const { mnemonic } = values;
  const directory = values["cn-nodekey-dir"];
  if (mnemonic && directory)
    throw new OptionError("clash", "--mnemonic and --cn-nodekey-dir both name node keys");
  return {
    cn: mnemonic
      ? await mnemonicKeys(core, mnemonic, values["mnemonic-path"])
      : await givenKeys(core, directory),
    pn: await givenKeys(proxy, values["pn-nodekey-dir"]),
    en: await givenKeys(endpoint, values["en-nodekey-dir"]),
    test: randomKeys(testAccounts),
  };
}

function givenKeys(count: number, directory: string | undefined): Promise<readonly Uint8Array[]> {
  return directory ? directoryKeys(count, directory) : Promise.resolve(randomKeys(count));
}

interface FileOptions {
  readonly values: FlagValues;
  readonly now: number;
}

async function filesOf(
  type: NetworkType,
  network: MadeNetwork,
  { values, now }: FileOptions,
): Promise<readonly NetworkFile[]> {
  const keyFileOptions = { cost: values.lightkdf ? LIGHT_COST : STANDARD_COST, now };
  const ports = portsOf(values, network);
  const place = (node: { readonly place: number }) => ({
    host: "0.0.0.0",
    port: type === "remote" ? ports.peers : ports.peers + node.place,
  });
  return [
    ...(await keyFiles(network, keyFileOptions)),
    ...nodeFiles(network, place),
    ...(await testKeyFiles(network, keyFileOptions)),
    ...outputFiles(type, network, { values, ports }),
  ];
}

function outputFiles(
  type: NetworkType,
  network: MadeNetwork,
  { values, ports }: { readonly values: FlagValues; readonly ports: Ports },
): readonly NetworkFile[] {
  if (type === "local") return localFiles(network, ports);
  if (type === "kubernetes") return kubernetesFiles(network, networkName(values));
  if (type === "remote") return [];
  const user = { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };
  return composeFiles(network, { image: values["docker-image-id"], user, ports });
}

/**
 * Maximum length of a network name. A resource name has at most 40 characters, which includes the node's
 * name.
 */
const MAX_NAME = 34;

function networkName(values: FlagValues): string {
  const name = values["network-name"];
  if (name.length <= MAX_NAME && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return name;
  throw new OptionError(
    "bad-value",
    `--network-name must be up to ${MAX_NAME} of a-z, 0-9 and -, a letter first, not ${name}`,
  );
}

/** Returns the first ports. Throws `OptionError` when ports of the network overlap or exceed 65535. */
function portsOf(values: FlagValues, { nodes }: MadeNetwork): Ports {
  const ports = { peers: values["p2p-port"], http: values["rpc-port"], ws: values["ws-port"] };
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

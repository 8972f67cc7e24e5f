/** The nodes that are measured: a row each, which says how it is started or what is missing for that. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toHex } from "../../node/bytes/hex.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { freePort, importWithGoNode } from "../../test/support/go-node.ts";
import { VALIDATOR_KEY } from "../../test/support/transfer-chain.ts";
import { BUILT_MAIN, runBuilt } from "../support/built-knit.ts";
import { NODE_20, type PeerPlace, peerFile, peerPackages } from "./peers.ts";
import type { Launch } from "./running.ts";

/** Inputs of all targets. */
export interface Workshop {
  /** Gone when the benchmark ends. */
  readonly scratch: string;
  /** A folder with genesis.json and chain.rlp.gz. */
  readonly chain: string;
  readonly peers: PeerPlace;
}

/** Methods by which a development chain is filled. */
export interface Setters {
  readonly balance: string;
  readonly code: string;
  readonly storage: string;
}

/** One node. */
export interface Target {
  readonly name: string;
  /** Undefined when it begins with the made chain. */
  readonly setters?: Setters;
  /** Prepares a start; returns a text when something is missing. */
  prepare(workshop: Workshop): Promise<Launch | string>;
}

/** Of the made chain, and of every other. */
export const CHAIN_ID = 9001;
const GAS_LIMIT = 1_000_000_000;
const HOST = "127.0.0.1";

/** Every target; ratios are of the first to each other one. */
export const targets: readonly Target[] = [
  { name: "knit", prepare: knit },
  { name: "go", prepare: goNode },
  { name: "anvil", setters: setters("anvil_set"), prepare: anvil },
  { name: "ganache", setters: setters("evm_setAccount"), prepare: ganache },
  { name: "hardhat", setters: setters("hardhat_set"), prepare: hardhat },
];

function setters(prefix: string): Setters {
  return { balance: `${prefix}Balance`, code: `${prefix}Code`, storage: `${prefix}StorageAt` };
}

async function knit({ scratch, chain }: Workshop): Promise<Launch> {
  const datadir = join(scratch, "knit");
  await runBuilt("init", "--datadir", datadir, join(chain, "genesis.json"));
  await runBuilt("import", "--datadir", datadir, join(chain, "chain.rlp.gz"));
  const { flags, targets: where } = await chainFlags(datadir, join(scratch, "knit.ipc"));
  const args = [BUILT_MAIN, "run", "--type", "core", ...flags, "--verbosity", "2"];
  return { command: process.execPath, args, targets: where };
}

async function goNode({ scratch, chain }: Workshop): Promise<Launch | string> {
  const command = process.env["KNIT_PEER_KCN"];
  if (command === undefined) return "set KNIT_PEER_KCN to the path of a Go node (kcn)";
  const directory = join(scratch, "go");
  await importWithGoNode(chain, directory);
  const { flags, targets: where } = await chainFlags(join(directory, "data"), join(scratch, "go.ipc"));
  const alone = ["--nodiscover", "--nat", "none", "--ntp.disable", "--networkid", `${CHAIN_ID}`];
  return { command, args: [...flags, ...alone, "--verbosity", "2"], targets: where };
}

/** Flags of both Knit and the Go node. */
async function chainFlags(
  datadir: string,
  ipc: string,
): Promise<Pick<Launch, "targets"> & { flags: string[] }> {
  const [http, ws, peers] = [await freePort(), await freePort(), await freePort()];
  const key = toHex(VALIDATOR_KEY).slice(2);
  const listeners = [
    [
      "--rpc",
      "--rpcaddr",
      HOST,
      "--rpcport",
      `${http}`,
      "--rpcapi",
      "eth,net,txpool,klay",
      "--rpcvhosts",
      "*",
    ],
    [
      "--ws",
      "--wsaddr",
      HOST,
      "--wsport",
      `${ws}`,
      "--wsapi",
      "eth,net",
      "--wsorigins",
      "*",
      "--ipcpath",
      ipc,
    ],
  ].flat();
  const maker = ["--nodekeyhex", key, "--rewardbase", toHex(addressOfKey(VALIDATOR_KEY))];
  const slots = ["exec", "nonexec"].flatMap((kind) => [
    `--txpool.${kind}-slots.account`,
    "16384",
    `--txpool.${kind}-slots.all`,
    "65536",
  ]);
  return {
    flags: ["--datadir", datadir, "--port", `${peers}`, ...listeners, ...maker, ...slots],
    targets: { http: `http://${HOST}:${http}`, ws: `ws://${HOST}:${ws}`, ipc },
  };
}

async function anvil({ scratch, peers }: Workshop): Promise<Launch | string> {
  const command = peerFile(peers, peerPackages.anvil);
  if (command === undefined) return missing("Anvil", peers);
  const port = await freePort();
  const ipc = join(scratch, "anvil.ipc");
  const chain = ["--chain-id", `${CHAIN_ID}`, "--gas-limit", `${GAS_LIMIT}`, "--block-time", "1"];
  return {
    command,
    args: ["--host", HOST, "--port", `${port}`, ...chain, "--ipc", ipc, "--silent"],
    targets: { http: `http://${HOST}:${port}`, ws: `ws://${HOST}:${port}`, ipc },
  };
}

async function ganache({ peers }: Workshop): Promise<Launch | string> {
  const main = peerFile(peers, peerPackages.ganache);
  if (main === undefined) return missing("Ganache", peers);
  const port = await freePort();
  const chain = ["--chain.chainId", `${CHAIN_ID}`, "--chain.networkId", `${CHAIN_ID}`];
  const miner = [
    "--miner.blockTime",
    "1",
    "--miner.blockGasLimit",
    `${GAS_LIMIT}`,
    "--wallet.totalAccounts",
    "1",
  ];
  return {
    command: join(peers.folder, "node_modules", NODE_20),
    args: [main, "--server.host", HOST, "--server.port", `${port}`, ...chain, ...miner, "--logging.quiet"],
    targets: { http: `http://${HOST}:${port}`, ws: `ws://${HOST}:${port}` },
  };
}

async function hardhat({ peers }: Workshop): Promise<Launch | string> {
  const main = peerFile(peers, peerPackages.hardhat);
  if (main === undefined) return missing("Hardhat", peers);
  const port = await freePort();
  const mining = { auto: false, interval: 1000 };
  const network = {
    chainId: CHAIN_ID,
    mining,
    blockGasLimit: GAS_LIMIT,
    accounts: { count: 1 },
    loggingEnabled: false,
  };
  const settings = { solidity: "0.8.24", networks: { hardhat: network } };
  const config = join(peers.folder, "hardhat.config.cjs");
  await writeFile(config, `module.exports = ${JSON.stringify(settings)};\n`);
  return {
    command: process.execPath,
    args: [main, "--config", config, "node", "--hostname", HOST, "--port", `${port}`],
    cwd: peers.folder,
    targets: { http: `http://${HOST}:${port}`, ws: `ws://${HOST}:${port}` },
  };
}

function missing(name: string, { folder, mayInstall }: PeerPlace): string {
  const how = mayInstall
    ? "npm could not bring it"
    : "--install brings it, --peers DIRECTORY says where it is";
  return `${name} is not in ${folder}: ${how}`;
}

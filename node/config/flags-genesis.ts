/**
 * The flags of the network maker, as rows of the flag table. Names and defaults are those of the Go node's homi
 * (`cmd/homi/setup/flags.go@v2.2.2`).
 */
import {
  addresses,
  addressKind,
  amount,
  booleanKind,
  choice,
  fork,
  integerKind,
  path,
  port,
  textKind,
} from "./flags-kinds.ts";
import { rows } from "./flags-rows.ts";

const size = rows("Network maker", ["genesis"]);
const chain = rows("Genesis", ["genesis"]);

const count = integerKind(0, 1_000);

function forkFlag(name: string, typed: string) {
  const alias = `genesis.hardfork.${typed}-compatible-blocknumber`;
  return chain.flag(fork, 0, `fork block of ${name}, or never`, alias);
}

/** The kinds of genesis that follow a public network; each is a flag, too. */
export const publicKinds = [
  "mainnet",
  "mainnet-test",
  "kairos",
  "kairos-test",
  "servicechain",
  "servicechain-test",
] as const;

/** All kinds of genesis; `plain` follows the flags alone. */
const genesisKinds = ["plain", ...publicKinds] as const;

/** A kind of genesis. */
export type GenesisKind = (typeof genesisKinds)[number];

const genesisKind = {
  ...choice(genesisKinds),
  hint: "KIND",
};

const ZERO = new Uint8Array(20);

/** Returns the address 0x400 + `last` of a system contract. */
function systemAddress(last: number): Uint8Array {
  const bytes = new Uint8Array(20);
  bytes.set([4, last], 18);
  return bytes;
}

/** Flags of the nodes: their number, keys, ports and platform. */
export const networkFlags = {
  "cn-num": size.flag(count, 1, "number of core nodes", "topology.cn-num"),
  "validators-num": size.maybe(
    count,
    "number of core nodes that are validators; all by default",
    "topology.validators-num",
  ),
  "pn-num": size.flag(count, 0, "number of proxy nodes", "topology.pn-num"),
  "en-num": size.flag(count, 0, "number of endpoint nodes", "topology.en-num"),
  "test-num": size.flag(count, 0, "number of funded test accounts", "topology.test-num"),
  "cn-nodekey-dir": size.maybe(path, "directory with the node keys of core nodes, one file per key"),
  "pn-nodekey-dir": size.maybe(path, "directory with the node keys of proxy nodes"),
  "en-nodekey-dir": size.maybe(path, "directory with the node keys of endpoint nodes"),
  mnemonic: size.maybe(textKind, "mnemonic of the core nodes' keys, words separated by spaces or commas"),
  "mnemonic-path": size.flag(
    textKind,
    "eth",
    "derivation path: eth, klay, or a path without the key's index",
  ),
  "gen-type": size.maybe(
    choice(["local", "remote", "compose", "docker", "kubernetes"]),
    "platform of the network, as the command's argument",
  ),
  output: size.flag(path, "knit-network", "output directory; it must be empty or absent"),
  "network-name": size.flag(textKind, "knit", "name of the network on Kubernetes"),
  "p2p-port": size.flag(port, 32_323, "first port for peers", "deploy.p2p-port"),
  "rpc-port": size.flag(port, 8551, "first HTTP port; ports are two apart", "deploy.rpc-port"),
  "ws-port": size.flag(port, 8552, "first WebSocket port; ports are two apart", "deploy.ws-port"),
  "docker-image-id": size.flag(textKind, "knit:0.1.0", "image in the compose file", "deploy.docker.image-id"),
};

/** Flags of the genesis. */
export const genesisFlags = {
  "genesis-type": chain.maybe(
    genesisKind,
    "plain, mainnet, kairos or servicechain; each except plain also with -test",
    "genesis.type",
  ),
  "mainnet-test": chain.flag(booleanKind, false, "same as --genesis-type mainnet-test", "cypress-test"),
  "kairos-test": chain.flag(booleanKind, false, "same as --genesis-type kairos-test", "baobab-test"),
  servicechain: chain.flag(booleanKind, false, "same as --genesis-type servicechain"),
  "servicechain-test": chain.flag(booleanKind, false, "same as --genesis-type servicechain-test"),
  chainID: chain.flag(integerKind(1), 1_000, "chain id", "genesis.chain-id"),
  unitPrice: chain.flag(amount, 0n, "gas price before Magma, in peb", "genesis.unit-price"),
  deriveShaImpl: chain.flag(
    integerKind(0, 2),
    0,
    "method for transaction and receipt roots: 0 trie, 1 simple, 2 concatenated",
    "genesis.derive-sha-impl",
  ),
  "funding-addr": chain.flag(addresses, [], "additional accounts to fund", "genesis.funding-addr"),
  governance: chain.flag(booleanKind, false, "include the governance parameters", "genesis.governance"),
  "gov-mode": chain.flag(
    choice(["none", "single", "ballot"]),
    "none",
    "governance mode",
    "genesis.governance-mode",
  ),
  "governing-node": chain.maybe(
    addressKind,
    "governing node in single mode; the first validator by default",
    "genesis.governing-node",
  ),
  "gov-param-contract": chain.flag(addressKind, ZERO, "address of the governance parameter contract"),
  "reward-mint-amount": chain.flag(
    amount,
    9_600_000_000_000_000_000n,
    "block reward, in peb",
    "genesis.reward.mint-amount",
  ),
  "reward-ratio": chain.flag(
    textKind,
    "100/0/0",
    "reward shares of the proposer and the funds, in percent",
    "genesis.reward.ratio",
  ),
  "reward-kip82-ratio": chain.flag(
    textKind,
    "20/80",
    "reward shares of the proposer and the stakers (KIP-82), in percent",
  ),
  "reward-gini-coeff": chain.flag(
    booleanKind,
    false,
    "use the Gini coefficient in the selection of proposers",
    "genesis.reward.gini-coefficient",
  ),
  "reward-deferred-tx": chain.flag(
    booleanKind,
    false,
    "pay fees together with the block reward",
    "genesis.reward.deferred-tx",
  ),
  "reward-staking-interval": chain.flag(
    integerKind(1),
    86_400,
    "staking update interval, in blocks",
    "genesis.reward.staking-interval",
  ),
  "reward-proposer-interval": chain.flag(
    integerKind(1),
    3_600,
    "proposer update interval, in blocks",
    "genesis.reward.proposer-inteval",
  ),
  "reward-minimum-stake": chain.flag(
    amount,
    2_000_000n,
    "minimum stake of a validator, in KAIA",
    "genesis.reward.minimum-stake",
  ),
  "lower-bound-base-fee": chain.flag(
    amount,
    25_000_000_000n,
    "lower bound of the base fee, in peb",
    "genesis.kip71.lower-bound-base-fee",
  ),
  "upper-bound-base-fee": chain.flag(
    amount,
    750_000_000_000n,
    "upper bound of the base fee, in peb",
    "genesis.kip71.upper-bound-base-fee",
  ),
  "gas-target": chain.flag(
    amount,
    30_000_000n,
    "block gas at which the base fee does not change",
    "genesis.kip71.gas-target",
  ),
  "block-gas-limit": chain.flag(
    amount,
    60_000_000n,
    "maximum block gas that counts for the base fee",
    "genesis.kip71.block-gas-limit",
  ),
  "base-fee-denominator": chain.flag(
    amount,
    20n,
    "base fee denominator; a larger one means slower changes",
    "genesis.kip71.base-fee-denominator",
  ),
  "ist-epoch": chain.flag(
    integerKind(1),
    604_800,
    "epoch length, in blocks",
    "genesis.consensus.istanbul.epoch",
  ),
  "ist-proposer-policy": chain.flag(
    integerKind(0, 2),
    0,
    "proposer policy: 0 round robin, 1 sticky, 2 weighted random",
    "genesis.consensus.istanbul.policy",
  ),
  "ist-subgroup": chain.flag(
    integerKind(1, 1_000),
    21,
    "committee size",
    "subgroup-size",
    "genesis.consensus.istanbul.subgroup",
  ),
  "istanbul-compatible-blocknumber": forkFlag("Istanbul", "istanbul"),
  "london-compatible-blocknumber": forkFlag("London", "london"),
  "eth-tx-type-compatible-blocknumber": forkFlag("EthTxType", "eth-tx-type"),
  "magma-compatible-blocknumber": forkFlag("Magma", "magma"),
  "kore-compatible-blocknumber": forkFlag("Kore", "kore"),
  "shanghai-compatible-blocknumber": forkFlag("Shanghai", "shanghai"),
  "cancun-compatible-blocknumber": forkFlag("Cancun", "cancun"),
  "randao-compatible-blocknumber": forkFlag("Randao", "randao"),
  "kaia-compatible-blocknumber": forkFlag("Kaia", "kaia"),
  "prague-compatible-blocknumber": forkFlag("Prague", "prague"),
  "osaka-compatible-blocknumber": forkFlag("Osaka", "osaka"),
  "kip103-compatible-blocknumber": forkFlag("KIP-103", "kip103"),
  "kip160-compatible-blocknumber": forkFlag("KIP-160", "kip160"),
  "kip103-contract-address": chain.flag(
    addressKind,
    ZERO,
    "address of the KIP-103 contract",
    "genesis.hardfork.kip103-contract-address",
  ),
  "kip160-contract-address": chain.flag(
    addressKind,
    ZERO,
    "address of the KIP-160 contract",
    "genesis.hardfork.kip160-contract-address",
  ),
  "kip113-proxy-contract-address": chain.flag(
    addressKind,
    systemAddress(2),
    "address of the BLS registry (KIP-113)",
    "genesis.hardfork.kip113-proxy-contract-address",
  ),
  "kip113-logic-contract-address": chain.flag(
    addressKind,
    systemAddress(3),
    "address of the BLS registry's implementation (KIP-113)",
    "genesis.hardfork.kip113-logic-contract-address",
  ),
  "patch-address-book": chain.flag(
    booleanKind,
    false,
    "let the first validator set up the address book",
    "genesis.patched-address-book.enable",
  ),
  "patch-address-book-addr": chain.maybe(
    addressKind,
    "account that may set up the address book instead",
    "genesis.patched-address-book.addr",
  ),
};

/** The flags of the network maker: rows of the flag table, names and defaults the Go tool's. */
import {
  address,
  addresses,
  amount,
  boolean,
  choice,
  fork,
  integer,
  path,
  port,
  text,
} from "./flags-kinds.ts";
import { rows } from "./flags-rows.ts";

const size = rows("Network maker", ["genesis"]);
const chain = rows("Genesis", ["genesis"]);

const count = integer(0, 1_000);

function begins(name: string, typed: string) {
  const alias = `genesis.hardfork.${typed}-compatible-blocknumber`;
  return chain.flag(fork, 0, `block at which ${name} begins; never is fine`, alias);
}

/** The kinds of genesis that are made like a public network's; each is a flag too. */
export const publicKinds = [
  "mainnet",
  "mainnet-test",
  "kairos",
  "kairos-test",
  "servicechain",
  "servicechain-test",
] as const;

/** All kinds; `plain` follows the flags alone. */
const genesisKinds = ["plain", ...publicKinds] as const;

/** One of them. */
export type GenesisKind = (typeof genesisKinds)[number];

const genesisKind = {
  ...choice(genesisKinds),
  hint: "KIND",
};

const ZERO = new Uint8Array(20);

/** An address of the protocol's contracts: 0x400 and what follows. */
function systemAddress(last: number): Uint8Array {
  const bytes = new Uint8Array(20);
  bytes.set([4, last], 18);
  return bytes;
}

/** How many nodes, with which keys, and where. */
export const networkFlags = {
  "cn-num": size.flag(count, 1, "core nodes", "topology.cn-num"),
  "validators-num": size.maybe(
    count,
    "the first of them that make blocks; all by default",
    "topology.validators-num",
  ),
  "pn-num": size.flag(count, 0, "proxies", "topology.pn-num"),
  "en-num": size.flag(count, 0, "endpoints", "topology.en-num"),
  "test-num": size.flag(count, 0, "funded accounts of people", "topology.test-num"),
  "cn-nodekey-dir": size.maybe(path, "a directory with the node keys of core nodes, a file each"),
  "pn-nodekey-dir": size.maybe(path, "the same for proxies"),
  "en-nodekey-dir": size.maybe(path, "the same for endpoints"),
  mnemonic: size.maybe(text, "words from which the keys of core nodes follow; commas may part them"),
  "mnemonic-path": size.flag(text, "eth", "eth, klay, or the path before a key's number"),
  "gen-type": size.maybe(
    choice(["local", "remote", "compose", "docker", "kubernetes"]),
    "what it is to run on, as the argument says",
  ),
  output: size.flag(path, "knit-network", "where everything is written; it must be empty or new"),
  "network-name": size.flag(text, "knit", "what the network is called on Kubernetes"),
  "p2p-port": size.flag(port, 32_323, "the first port for peers", "deploy.p2p-port"),
  "rpc-port": size.flag(port, 8551, "the first port of HTTP, two apart", "deploy.rpc-port"),
  "ws-port": size.flag(port, 8552, "the first port of WebSocket, two apart", "deploy.ws-port"),
  "docker-image-id": size.flag(text, "knit:0.1.0", "the image of compose", "deploy.docker.image-id"),
};

/** Block 0. */
export const genesisFlags = {
  "genesis-type": chain.maybe(
    genesisKind,
    "made like: plain, mainnet, kairos, servicechain; all but plain also with -test",
    "genesis.type",
  ),
  "mainnet-test": chain.flag(boolean, false, "as --genesis-type mainnet-test", "cypress-test"),
  "kairos-test": chain.flag(boolean, false, "as --genesis-type kairos-test", "baobab-test"),
  servicechain: chain.flag(boolean, false, "as --genesis-type servicechain"),
  "servicechain-test": chain.flag(boolean, false, "as --genesis-type servicechain-test"),
  chainID: chain.flag(integer(1), 1_000, "the chain's id", "genesis.chain-id"),
  unitPrice: chain.flag(amount, 0n, "peb a gas before Magma", "genesis.unit-price"),
  deriveShaImpl: chain.flag(
    integer(0, 2),
    0,
    "how roots of lists are made: 0 trie, 1 simple, 2 concatenated",
    "genesis.derive-sha-impl",
  ),
  "funding-addr": chain.flag(addresses, [], "further accounts with money", "genesis.funding-addr"),
  governance: chain.flag(boolean, false, "spell out governance", "genesis.governance"),
  "gov-mode": chain.flag(
    choice(["none", "single", "ballot"]),
    "none",
    "who decides by votes",
    "genesis.governance-mode",
  ),
  "governing-node": chain.maybe(
    address,
    "who decides in single mode; the first validator by default",
    "genesis.governing-node",
  ),
  "gov-param-contract": chain.flag(address, ZERO, "the contract with parameters"),
  "reward-mint-amount": chain.flag(
    amount,
    9_600_000_000_000_000_000n,
    "peb a block",
    "genesis.reward.mint-amount",
  ),
  "reward-ratio": chain.flag(text, "100/0/0", "proposer, funds: percent", "genesis.reward.ratio"),
  "reward-kip82-ratio": chain.flag(text, "20/80", "proposer, stakers: percent"),
  "reward-gini-coeff": chain.flag(
    boolean,
    false,
    "draw proposers more evenly",
    "genesis.reward.gini-coefficient",
  ),
  "reward-deferred-tx": chain.flag(
    boolean,
    false,
    "fees are paid with the block's reward",
    "genesis.reward.deferred-tx",
  ),
  "reward-staking-interval": chain.flag(
    integer(1),
    86_400,
    "blocks between readings of stakes",
    "genesis.reward.staking-interval",
  ),
  "reward-proposer-interval": chain.flag(
    integer(1),
    3_600,
    "blocks between drawings of proposers",
    "genesis.reward.proposer-inteval",
  ),
  "reward-minimum-stake": chain.flag(amount, 2_000_000n, "KAIA", "genesis.reward.minimum-stake"),
  "lower-bound-base-fee": chain.flag(
    amount,
    25_000_000_000n,
    "peb a gas at least",
    "genesis.kip71.lower-bound-base-fee",
  ),
  "upper-bound-base-fee": chain.flag(
    amount,
    750_000_000_000n,
    "peb a gas at most",
    "genesis.kip71.upper-bound-base-fee",
  ),
  "gas-target": chain.flag(
    amount,
    30_000_000n,
    "gas of a block at which the base fee stays",
    "genesis.kip71.gas-target",
  ),
  "block-gas-limit": chain.flag(
    amount,
    60_000_000n,
    "gas of a block that counts for the base fee",
    "genesis.kip71.block-gas-limit",
  ),
  "base-fee-denominator": chain.flag(
    amount,
    20n,
    "how slowly the base fee changes",
    "genesis.kip71.base-fee-denominator",
  ),
  "ist-epoch": chain.flag(integer(1), 604_800, "blocks of an epoch", "genesis.consensus.istanbul.epoch"),
  "ist-proposer-policy": chain.flag(
    integer(0, 2),
    0,
    "0 in turn, 1 sticky, 2 by stake",
    "genesis.consensus.istanbul.policy",
  ),
  "ist-subgroup": chain.flag(
    integer(1, 1_000),
    21,
    "members of a committee",
    "subgroup-size",
    "genesis.consensus.istanbul.subgroup",
  ),
  "istanbul-compatible-blocknumber": begins("Istanbul", "istanbul"),
  "london-compatible-blocknumber": begins("London", "london"),
  "eth-tx-type-compatible-blocknumber": begins("EthTxType", "eth-tx-type"),
  "magma-compatible-blocknumber": begins("Magma", "magma"),
  "kore-compatible-blocknumber": begins("Kore", "kore"),
  "shanghai-compatible-blocknumber": begins("Shanghai", "shanghai"),
  "cancun-compatible-blocknumber": begins("Cancun", "cancun"),
  "randao-compatible-blocknumber": begins("Randao", "randao"),
  "kaia-compatible-blocknumber": begins("Kaia", "kaia"),
  "prague-compatible-blocknumber": begins("Prague", "prague"),
  "osaka-compatible-blocknumber": begins("Osaka", "osaka"),
  "kip103-compatible-blocknumber": begins("KIP-103", "kip103"),
  "kip160-compatible-blocknumber": begins("KIP-160", "kip160"),
  "kip103-contract-address": chain.flag(
    address,
    ZERO,
    "the contract of KIP-103",
    "genesis.hardfork.kip103-contract-address",
  ),
  "kip160-contract-address": chain.flag(
    address,
    ZERO,
    "the contract of KIP-160",
    "genesis.hardfork.kip160-contract-address",
  ),
  "kip113-proxy-contract-address": chain.flag(
    address,
    systemAddress(2),
    "where validators' BLS keys are registered",
    "genesis.hardfork.kip113-proxy-contract-address",
  ),
  "kip113-logic-contract-address": chain.flag(
    address,
    systemAddress(3),
    "the code behind it",
    "genesis.hardfork.kip113-logic-contract-address",
  ),
  "patch-address-book": chain.flag(
    boolean,
    false,
    "the first validator may set up the address book",
    "genesis.patched-address-book.enable",
  ),
  "patch-address-book-addr": chain.maybe(address, "who else may", "genesis.patched-address-book.addr"),
};

/** The genesis file of a chain that the operator creates, with every fork that needs no system contract. */
import type { GenesisParameters, LaterForks } from "../api/network-spec.ts";
import { laterForks, proposerPolicies } from "../api/network-spec.ts";

const FORKS = [
  "istanbul",
  "london",
  "ethTxType",
  "magma",
  "kore",
  "shanghai",
  "cancun",
  "kaia",
  "prague",
] as const;

/** `deriveShaImpl` 2: transaction and receipt roots are hashes over the concatenated hashes. */
const DERIVE_SHA = 2;

/**
 * Builds the genesis file. `validators` are the addresses of the core nodes' keys; the first is the governing node.
 * `time` is the timestamp in seconds since the epoch. Amounts that exceed a double are written as exact integers.
 */
export function genesisFile(
  terms: GenesisParameters,
  validators: readonly string[],
  time: number,
  forks: LaterForks = { osaka: undefined },
): string {
  const { chainId, balances, consensus, governance } = terms;
  const { unitPrice, mintingAmount, minimumStake } = governance;
  const genesis = {
    config: {
      chainId,
      ...Object.fromEntries(FORKS.map((name) => [`${name}CompatibleBlock`, 0])),
      ...Object.fromEntries(laterForks.map((name) => [`${name}CompatibleBlock`, forks[name]])),
      istanbul: {
        epoch: consensus.epoch,
        policy: proposerPolicies.indexOf(consensus.policy),
        sub: consensus.committeeSize,
      },
      unitPrice,
      deriveShaImpl: DERIVE_SHA,
      governance: {
        governingNode: validators[0],
        governanceMode: governance.mode,
        reward: {
          mintingAmount: exactInteger(mintingAmount),
          ratio: governance.ratio,
          deferredTxFee: governance.deferredTxFee,
          stakingUpdateInterval: governance.stakingUpdateInterval,
          proposerUpdateInterval: governance.proposerUpdateInterval,
          minimumStake,
        },
      },
    },
    timestamp: `0x${time.toString(16)}`,
    extraData: extraData(validators),
    blockScore: "0x1",
    alloc: Object.fromEntries(
      balances.map(({ address, peb }) => [
        address.slice(2).toLowerCase(),
        { balance: `0x${BigInt(peb).toString(16)}` },
      ]),
    ),
  };
  return `${JSON.stringify(genesis, undefined, 2).replaceAll(/"exact (\d+)"/g, "$1")}\n`;
}

/** Marks digits that are written without quotes. */
function exactInteger(digits: string): string {
  return `exact ${BigInt(digits)}`;
}

const ADDRESS_BYTES = 20;
const VANITY_BYTES = 32;

/** 32 vanity bytes and the RLP of validators, an empty proposer seal and no committed seals. */
function extraData(validators: readonly string[]): string {
  const length = (ADDRESS_BYTES + 1) * validators.length;
  const addresses = validators.map((address) => `94${address.slice(2).toLowerCase()}`).join("");
  const list = `${listPrefix(length)}${addresses}`;
  return `0x${"00".repeat(VANITY_BYTES)}${listPrefix(list.length / 2 + 2)}${list}80c0`;
}

/** Encodes the RLP prefix of a list of `length` bytes. */
function listPrefix(length: number): string {
  if (length <= 55) return (0xc0 + length).toString(16);
  const digits = length.toString(16);
  const bytes = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${(0xf7 + bytes.length / 2).toString(16)}${bytes}`;
}

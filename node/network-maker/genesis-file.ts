/**
 * The genesis file of a network, with the members and their order of the Go node's homi
 * (`cmd/homi/genesis/genesis.go@v2.2.2`).
 */
import type { Address } from "../bytes/brands.ts";
import { addressText, bareHex, toHex } from "../bytes/hex.ts";
import { fixedBytes, toQuantity } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { exactJsonText } from "../config/exact-json.ts";
import { forks } from "../config/forks.ts";
import {
  addressBookContract,
  BLS_REGISTRY_NAME,
  blsRegistryContracts,
  type Contract,
  registrationOf,
  registryContract,
} from "./contracts.ts";
import { applyKind } from "./genesis-kinds.ts";
import type { GenesisOptions, GovernanceOptions } from "./genesis-options.ts";

/** A validator. The first one owns the registries and is the governing node. */
export interface Validator {
  readonly address: Address;
  readonly key: Uint8Array;
}

/** Accounts of block 0; there is at least one validator. */
export interface GenesisAccounts {
  readonly validators: readonly [Validator, ...Validator[]];
  /** Test accounts; they are funded like the validators. */
  readonly testAccounts: readonly Address[];
}

/** Balance of each validator and each funded account, in peb. */
const BALANCE = 10n ** 50n;
const INDENT = 4;

/** Returns the text of the genesis file. */
export async function genesisFile(given: GenesisOptions, accounts: GenesisAccounts): Promise<string> {
  const options = applyKind(given);
  const genesis = {
    config: configJson(options, accounts),
    timestamp: toQuantity(options.time),
    extraData: extraData(accounts),
    governanceData: null,
    blockScore: "0x1",
    alloc: Object.fromEntries(await allocation(options, accounts)),
    number: "0x0",
    gasUsed: "0x0",
    parentHash: `0x${"00".repeat(32)}`,
  };
  return exactJsonText(genesis, INDENT);
}

const RANDAO = "randaoCompatibleBlock";
/** Forks without a contract, which come first in the file. */
const WITHOUT_CONTRACT = forks
  .filter(({ configKey, ordered }) => ordered && configKey !== RANDAO)
  .map(({ configKey }) => configKey);

function configJson(options: GenesisOptions, { validators: [first] }: GenesisAccounts): object {
  const fork = (name: string): object => (options.forks.has(name) ? { [name]: options.forks.get(name) } : {});
  const { chainId, istanbul, unitPrice, deriveShaImpl, governance } = options;
  return {
    chainId,
    ...Object.assign({}, ...WITHOUT_CONTRACT.map(fork)),
    ...fork("kip103CompatibleBlock"),
    kip103ContractAddress: addressText(options.kip103Contract),
    ...fork("kip160CompatibleBlock"),
    kip160ContractAddress: addressText(options.kip160Contract),
    ...fork(RANDAO),
    ...(options.forks.has(RANDAO) ? { randaoRegistry: registryJson(options, first) } : {}),
    istanbul: { epoch: istanbul.epoch, policy: istanbul.policy, sub: istanbul.sub },
    blobSchedule: { osaka: { target: 1, max: 1, baseFeeUpdateFraction: 5_007_716 } },
    unitPrice,
    deriveShaImpl,
    governance: governance === undefined ? null : governanceJson(governance, first),
  };
}

function registryJson({ blsProxy }: GenesisOptions, owner: Validator): object {
  return { records: { [BLS_REGISTRY_NAME]: addressText(blsProxy) }, owner: addressText(owner.address) };
}

function governanceJson(
  { mode, governingNode, parameterContract, reward, baseFee }: GovernanceOptions,
  first: Validator,
) {
  return {
    governingNode: addressText(governingNode ?? first.address),
    governanceMode: mode,
    govParamContract: addressText(parameterContract),
    reward: {
      mintingAmount: reward.mintingAmount,
      ratio: reward.ratio,
      kip82ratio: reward.kip82Ratio,
      useGiniCoeff: reward.useGiniCoeff,
      deferredTxFee: reward.deferredTxFee,
      stakingUpdateInterval: reward.stakingUpdateInterval,
      proposerUpdateInterval: reward.proposerUpdateInterval,
      minimumStake: reward.minimumStake,
    },
    kip71: {
      lowerboundbasefee: baseFee.lowerBound,
      upperboundbasefee: baseFee.upperBound,
      gastarget: baseFee.gasTarget,
      maxblockgasusedforbasefee: baseFee.blockGasLimit,
      basefeedenominator: baseFee.denominator,
    },
  };
}

const VANITY_BYTES = 32;
const SEAL_BYTES = 65;

/**
 * Returns the extra data: 32 bytes of vanity and the RLP of `[validators, seal, committed seals]`, both seals
 * empty (`blockchain/types/istanbul.go@v2.2.2`).
 */
function extraData({ validators }: GenesisAccounts): string {
  const list = [validators.map(({ address }) => address), new Uint8Array(SEAL_BYTES), []];
  return `0x${"00".repeat(VANITY_BYTES)}${bareHex(encodeRlp(list))}`;
}

type AllocEntry = readonly [digits: string, account: object];

async function allocation(
  options: ReturnType<typeof applyKind>,
  accounts: GenesisAccounts,
): Promise<readonly AllocEntry[]> {
  const rich = [
    ...accounts.validators.map(({ address }) => address),
    ...accounts.testAccounts,
    ...options.funded,
  ];
  const entries = new Map<string, object>(
    rich.map((address) => [bareHex(address), { balance: toQuantity(BALANCE) }]),
  );
  for (const contract of await contractsOf(options, accounts))
    entries.set(bareHex(contract.address), contractJson(contract));
  return [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the system contracts. A registry of a later fork is not in block 0; the BLS keys are. */
async function contractsOf(
  options: ReturnType<typeof applyKind>,
  { validators }: GenesisAccounts,
): Promise<readonly Contract[]> {
  const [{ address: owner }] = validators;
  const books = options.hasAddressBook ? [addressBookContract(bookOwner(options, owner))] : [];
  const randao = options.forks.get(RANDAO);
  if (randao === undefined) return books;
  const registered = await Promise.all(validators.map(({ address, key }) => registrationOf(address, key)));
  const keys = blsRegistryContracts({ proxy: options.blsProxy, logic: options.blsLogic, owner }, registered);
  const registry = randao === 0 ? [registryContract(owner, options.blsProxy)] : [];
  return [...books, ...registry, ...keys];
}

function bookOwner({ addressBookOwner }: GenesisOptions, first: Address): Address | undefined {
  return addressBookOwner === "first-validator" ? first : addressBookOwner;
}

function contractJson({ code, slots }: Contract): object {
  const words = slots.map(([slot, value]) => [wordText(slot), wordText(value)] as const);
  const storage = Object.fromEntries(words.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { code: toHex(code), ...(slots.length === 0 ? {} : { storage }), balance: "0x0" };
}

function wordText(value: bigint): string {
  return toHex(fixedBytes(value, 32));
}

/** The genesis file of a network, in the form of the Go tool: the same members in the same order. */
import { addressText, bareHex, toHex } from "../bytes/hex.ts";
import { fixedBytes, toQuantity } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { exactJsonText } from "../config/exact-json.ts";
import {
  addressBookContract,
  BLS_REGISTRY_NAME,
  blsRegistryContracts,
  type Contract,
  registrationOf,
  registryContract,
} from "./contracts.ts";
import { termsOfKind } from "./genesis-kinds.ts";
import type { GenesisOptions, GovernanceTerms } from "./genesis-options.ts";

/** A validator, the first of whom owns the registries and governs. */
export interface Validator {
  readonly address: Uint8Array;
  readonly key: Uint8Array;
}

/** Who is in block 0; there is at least one validator. */
export interface Inhabitants {
  readonly validators: readonly [Validator, ...Validator[]];
  /** Accounts of people, with money as the validators. */
  readonly testAccounts: readonly Uint8Array[];
}

/** 10^50 peb: of each validator and each funded account. */
const BALANCE = 10n ** 50n;
const INDENT = 4;

/** The text of the file. */
export async function genesisFile(given: GenesisOptions, inhabitants: Inhabitants): Promise<string> {
  const terms = termsOfKind(given);
  const genesis = {
    config: configJson(terms, inhabitants),
    timestamp: toQuantity(terms.time),
    extraData: extraData(inhabitants),
    governanceData: null,
    blockScore: "0x1",
    alloc: Object.fromEntries(await allocation(terms, inhabitants)),
    number: "0x0",
    gasUsed: "0x0",
    parentHash: `0x${"00".repeat(32)}`,
  };
  return exactJsonText(genesis, INDENT);
}

const RANDAO = "randaoCompatibleBlock";
const BEFORE_CONTRACTS = [
  "istanbulCompatibleBlock",
  "londonCompatibleBlock",
  "ethTxTypeCompatibleBlock",
  "magmaCompatibleBlock",
  "koreCompatibleBlock",
  "shanghaiCompatibleBlock",
  "cancunCompatibleBlock",
  "kaiaCompatibleBlock",
  "pragueCompatibleBlock",
  "osakaCompatibleBlock",
] as const;

function configJson(terms: GenesisOptions, { validators: [first] }: Inhabitants): object {
  const fork = (name: string): object => (terms.forks.has(name) ? { [name]: terms.forks.get(name) } : {});
  const { chainId, istanbul, unitPrice, deriveShaImpl, governance } = terms;
  return {
    chainId,
    ...Object.assign({}, ...BEFORE_CONTRACTS.map(fork)),
    ...fork("kip103CompatibleBlock"),
    kip103ContractAddress: addressText(terms.kip103Contract),
    ...fork("kip160CompatibleBlock"),
    kip160ContractAddress: addressText(terms.kip160Contract),
    ...fork(RANDAO),
    ...(terms.forks.has(RANDAO) ? { randaoRegistry: registryJson(terms, first) } : {}),
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
  { mode, governingNode, parameterContract, reward, baseFee }: GovernanceTerms,
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

/** Vanity, and the list of validators, seal and committed seals, both empty (encoding.md: Istanbul extra data). */
function extraData({ validators }: Inhabitants): string {
  const list = [validators.map(({ address }) => address), new Uint8Array(SEAL_BYTES), []];
  return `0x${"00".repeat(VANITY_BYTES)}${bareHex(encodeRlp(list))}`;
}

type AllocEntry = readonly [digits: string, account: object];

async function allocation(
  terms: ReturnType<typeof termsOfKind>,
  inhabitants: Inhabitants,
): Promise<readonly AllocEntry[]> {
  const rich = [
    ...inhabitants.validators.map(({ address }) => address),
    ...inhabitants.testAccounts,
    ...terms.funded,
  ];
  const accounts = new Map<string, object>(
    rich.map((address) => [bareHex(address), { balance: toQuantity(BALANCE) }]),
  );
  for (const contract of await contractsOf(terms, inhabitants))
    accounts.set(bareHex(contract.address), contractJson(contract));
  return [...accounts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The registry is put in place at the fork where that is not the first block; the keys are needed by then. */
async function contractsOf(
  terms: ReturnType<typeof termsOfKind>,
  { validators }: Inhabitants,
): Promise<readonly Contract[]> {
  const [{ address: owner }] = validators;
  const books = terms.hasAddressBook ? [addressBookContract(bookOwner(terms, owner))] : [];
  const randao = terms.forks.get(RANDAO);
  if (randao === undefined) return books;
  const registered = await Promise.all(validators.map(({ address, key }) => registrationOf(address, key)));
  const keys = blsRegistryContracts({ proxy: terms.blsProxy, logic: terms.blsLogic, owner }, registered);
  const registry = randao === 0 ? [registryContract(owner, terms.blsProxy)] : [];
  return [...books, ...registry, ...keys];
}

function bookOwner({ addressBookOwner }: GenesisOptions, first: Uint8Array): Uint8Array | undefined {
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

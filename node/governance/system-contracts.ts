/**
 * Calls of the protocol's own contracts: address book, contract registry (KIP-149), BLS keys (KIP-113),
 * parameters.
 */
import type { Address } from "../bytes/brands.ts";
import { isZero } from "../bytes/compare.ts";
import { fromBareHex, toHex } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { AbiTuple, encodeCall } from "./abi.ts";
import type { ContractReader } from "./contract-reader.ts";
import { GovernanceError } from "./error.ts";
import { PARAMETERS, type ParameterValue, type ParameterValues, valueOfBytes } from "./parameter-rows.ts";

/** Address book: nodes with their staking contracts and reward addresses. */
export const ADDRESS_BOOK: Address = fromBareHex("0000000000000000000000000000000000000400");
/** Contract registry, since randomness (KIP-149). */
export const REGISTRY: Address = fromBareHex("0000000000000000000000000000000000000401");

/** A registered key and its proof of possession, of any length. */
export interface RegisteredKey {
  readonly publicKey: Uint8Array;
  readonly proof: Uint8Array;
}

/** A node and its key. */
export interface RegisteredNode {
  readonly node: Address;
  readonly key: RegisteredKey;
}

/** A contract and the block of its activation; the address is zero when the name is retired. */
export interface RegistryRecord {
  readonly address: Address;
  readonly activation: bigint;
}

/** Type and address of an entry of the address book. */
export interface AddressBookEntry {
  readonly type: number;
  readonly address: Address;
}

/** Returns the active contract of a name; undefined without one. Throws `GovernanceError` `bad-answer`. */
export function activeContract(reader: ContractReader, name: string): Address | undefined {
  const address = answer(reader, REGISTRY, encodeCall("getActiveAddr(string)", name)).address(0);
  return isZero(address) ? undefined : address;
}

/** Returns all contracts of a name, past and future. Throws `GovernanceError` `bad-answer`. */
export function registryRecords(reader: ContractReader, name: string): readonly RegistryRecord[] {
  return answer(reader, REGISTRY, encodeCall("getAllRecords(string)", name)).list(0, (items, at) => ({
    address: items.address(2 * at),
    activation: items.integer(2 * at + 1),
  }));
}

/**
 * Returns the entries of the address book; none before its activation. Throws `GovernanceError` `bad-answer`.
 */
export function addressBookEntries(reader: ContractReader): readonly AddressBookEntry[] {
  const all = answer(reader, ADDRESS_BOOK, encodeCall("getAllAddress()"));
  const types = all.list(0, (items, at) => Number(items.integer(at)));
  const addresses = all.list(1, (items, at) => items.address(at));
  const both = pairUp(types, addresses, "the address book names types and addresses");
  return both.map(([type, address]) => ({ type, address }));
}

/**
 * Returns the spare address of the address book, which names the third fund; undefined without one. Throws
 * `GovernanceError` `bad-answer`.
 */
export function spareContract(reader: ContractReader): Address | undefined {
  const address = answer(reader, ADDRESS_BOOK, encodeCall("spareContractAddress()")).address(0);
  return isZero(address) ? undefined : address;
}

/**
 * Returns nodes and their pools by the registry of liquidity pools (KIP-226). Throws `GovernanceError`
 * `bad-answer`.
 */
export function liquidityPools(
  reader: ContractReader,
  registry: Address,
): readonly { readonly node: Address; readonly pool: Address }[] {
  const all = answer(reader, registry, encodeCall("getAllCLs()"));
  const nodes = all.list(0, (items, at) => items.address(at));
  const pools = all.list(2, (items, at) => items.address(at));
  const both = pairUp(nodes, pools, "the pool registry names nodes and pools");
  return both.map(([node, pool]) => ({ node, pool }));
}

/** Returns the token balance of an account. Throws `GovernanceError` `bad-answer`. */
export function tokenBalance(reader: ContractReader, token: Address, owner: Address): bigint {
  return answer(reader, token, encodeCall("balanceOf(address)", bytesToBigint(owner))).integer(0);
}

/** Returns the registered BLS keys by node. Throws `GovernanceError` `bad-answer`. */
export function registeredKeys(reader: ContractReader, registry: Address): readonly RegisteredNode[] {
  const all = answer(reader, registry, encodeCall("getAllBlsInfo()"));
  const nodes = all.list(0, (items, at) => items.address(at));
  const keys = all.list(1, (items, at) => {
    const info = items.tuple(at);
    return { publicKey: info.bytes(0), proof: info.bytes(1) };
  });
  const both = pairUp(nodes, keys, "the key registry names nodes and keys");
  return both.map(([node, key]) => ({ node, key }));
}

/**
 * Returns the parameters that the governance contract sets for a block. Unknown names and invalid values are
 * left out. A contract that fails sets nothing, as in the Go node.
 */
export function contractParameters(
  reader: ContractReader,
  contract: Address,
  number: number,
): ParameterValues {
  const values = new Map<string, ParameterValue>();
  const output = reader.call(contract, encodeCall("getAllParamsAt(uint256)", BigInt(number)));
  if (output === undefined) return values;
  try {
    const all = new AbiTuple(output);
    const names = all.list(0, (items, at) => Buffer.from(items.bytes(at)).toString());
    const bytes = all.list(1, (items, at) => items.bytes(at));
    if (names.length !== bytes.length) return values;
    for (const [i, name] of names.entries()) {
      const row = PARAMETERS.get(name);
      const value = row && valueOfBytes(row, bytes[i] as Uint8Array); // as many: checked above
      if (value !== undefined) values.set(name, value);
    }
    return values;
  } catch (error) {
    if (error instanceof GovernanceError) return new Map();
    throw error;
  }
}

function pairUp<A, B>(as: readonly A[], bs: readonly B[], what: string): readonly (readonly [A, B])[] {
  if (as.length !== bs.length) throw new GovernanceError("bad-answer", `${what} of different number`);
  return as.map((a, i) => [a, bs[i] as B]); // as many: checked above
}

function answer(reader: ContractReader, to: Address, input: Uint8Array): AbiTuple {
  const output = reader.call(to, input);
  if (output === undefined || output.length === 0) {
    throw new GovernanceError("bad-answer", `the contract at ${toHex(to)} fails`);
  }
  return new AbiTuple(output);
}

/** Contract of every client library that knows contracts: one contract's life, as a user would write it. */
import { until } from "../rpc-client.ts";

/** Events of a client, in the order of arrival. */
export interface Heard {
  /** Numbers of new blocks. */
  readonly heads: number[];
  /** Values of `Changed` events. */
  readonly values: bigint[];
  /** Hashes of transactions that came into the pool. */
  readonly pending: string[];
}

/** A client library at one endpoint, with one account; the contract is that of `counter-contract.ts`. */
export interface ContractClient {
  /** Deploys the contract, which the calls below are about. */
  deploy(first: bigint): Promise<void>;
  value(): Promise<bigint>;
  /** Sends `set`, waits for the receipt, and tells the transaction's hash. */
  set(next: bigint): Promise<string>;
  /** The values of all `Changed` events so far. */
  pastValues(): Promise<bigint[]>;
  /** Starts to listen, where the library can at this endpoint. */
  readonly listen?: (heard: Heard) => Promise<void>;
  close(): Promise<void>;
}

/** Observations of a client; `heard` is missing where it cannot listen. */
export interface ContractLife {
  readonly values: readonly bigint[];
  readonly past: readonly bigint[];
  readonly heard?: { readonly values: readonly bigint[]; readonly pending: boolean; readonly heads: boolean };
}

/** Deploys, calls, listens, changes; `pending` says whether the change was heard of, `heads` whether two in a row were. */
export async function liveWith(client: ContractClient): Promise<ContractLife> {
  try {
    await client.deploy(7n);
    const first = await client.value();
    const heard: Heard = { heads: [], values: [], pending: [] };
    await client.listen?.(heard);
    if (client.listen !== undefined) await until(async () => heard.heads[0]); // it listens from here on
    const hash = await client.set(9n);
    const life = { values: [first, await client.value()], past: await client.pastValues() };
    if (client.listen === undefined) return life;
    await until(async () => (isComplete(heard, hash) ? true : undefined));
    return { ...life, heard: { values: heard.values, pending: true, heads: areInARow(heard.heads) } };
  } finally {
    await client.close();
  }
}

function isComplete({ heads, values, pending }: Heard, hash: string): boolean {
  return heads.length > 1 && values.length > 0 && pending.includes(hash);
}

function areInARow(heads: readonly number[]): boolean {
  return heads.every((number, i) => i === 0 || number === (heads[i - 1] ?? 0) + 1);
}

/**
 * Rows of a fork in the chain database, so that a kept chain goes on as the fork that it was: its origin, the accounts that
 * the chain had of its own, and the names of the accounts and slots that it has of the origin. Names are written in the
 * batch that writes their state.
 */
import { bareHex, fromBareHex } from "../bytes/hex.ts";
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import type { Batch, Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import type { OriginPoint } from "./fork-origin.ts";

/** A fork in a database. */
export interface KeptFork {
  readonly point: OriginPoint;
  /** Addresses of the accounts that the chain had before it read any of the origin. */
  readonly own: readonly string[];
}

const ORIGIN = tables.meta.key("fork");
const NUMBER_BYTES = 6;
const ADDRESS_BYTES = 20;

/** Returns the fork of a database; undefined for a chain that is none. */
export function keptFork(rows: Rows): KeptFork | undefined {
  const row = rows.get(ORIGIN);
  return row && (JSON.parse(Buffer.from(row).toString("utf8")) as KeptFork); // as `putFork` wrote it
}

/** Puts a fork into a batch; undefined removes it. */
export function putFork(batch: Batch, fork: KeptFork | undefined): void {
  if (fork === undefined) batch.delete(ORIGIN);
  else batch.put(ORIGIN, Buffer.from(JSON.stringify(fork)));
}

/** Puts the names of accounts (`0x...`) and slots (`0x...:0x...`) that were read after a block. */
export function putNames(batch: Batch, names: Iterable<string>, number: number): void {
  for (const name of names) batch.put(keyOf(name), fixedBytes(number, NUMBER_BYTES));
}

/** Deletes names. */
export function deleteNames(batch: Batch, names: Iterable<string>): void {
  for (const name of names) batch.delete(keyOf(name));
}

/** Returns the kept names with the blocks after which they were read. */
export async function keptNames(store: Pick<Store, "entries">): Promise<Map<string, number>> {
  const names = new Map<string, number>();
  for await (const [key, value] of store.entries(tables.forkRead.range()))
    names.set(nameOf(key.subarray(1)), bytesToNumber(value));
  return names;
}

function keyOf(name: string): Uint8Array {
  const [address = "", slot = ""] = name.split(":");
  return tables.forkRead.key(fromBareHex(address.slice(2) + slot.slice(2)));
}

function nameOf(bytes: Uint8Array): string {
  const address = `0x${bareHex(bytes.subarray(0, ADDRESS_BYTES))}`;
  return bytes.length === ADDRESS_BYTES ? address : `${address}:0x${bareHex(bytes.subarray(ADDRESS_BYTES))}`;
}

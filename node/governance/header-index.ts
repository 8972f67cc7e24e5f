/**
 * Index of the headers that carry votes or governance data, one row of the database. The history is read from
 * these headers when a chain is opened. A database without the row, or with a damaged one, is searched header
 * by header.
 */
import type { Address } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import type { Header } from "../model/header.ts";
import { parseExtra } from "../model/istanbul-extra.ts";
import { StoreError } from "../store/error.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { GovernanceError } from "./error.ts";
import { decodeGovernanceData } from "./governance-data.ts";
import { HeaderHistory } from "./header-history.ts";
import { decodeVote } from "./vote.ts";

/** Dependencies of the index. */
export interface HeaderIndexDeps {
  readonly rows: Rows;
  readonly tip: () => number;
  readonly block: (number: number) => { readonly header: Header } | undefined;
}

/** Returns the governing node of a block by the given history. */
export type GoverningNodeLookup = (number: number, history: HeaderHistory) => Address;

/** History of the indexed headers. */
export interface HeaderIndex {
  readonly history: HeaderHistory;
  /** Adds the next header. */
  accept(header: Header, batch: Batch): void;
}

const NUMBER_BYTES = 6;

/** Opens the index and reads the history. Throws a decoding error when a stored header is damaged. */
export function openHeaderIndex(chain: HeaderIndexDeps, governingNode: GoverningNodeLookup): HeaderIndex {
  const genesis = chain.block(0)?.header;
  const history = new HeaderHistory(genesis === undefined ? [] : councilOf(genesis));
  if (genesis !== undefined) addGenesis(history, genesis);
  const row = readIndexRow(chain.rows);
  const numbers = row === undefined ? searchHeaders(chain) : [...readNumbers(row)];
  for (const number of numbers) {
    const header = chain.block(number)?.header;
    if (header !== undefined) addHeader(history, header, governingNode);
  }
  let written = row !== undefined;
  return {
    history,
    accept: (header, batch) => {
      const decides = isIndexed(header);
      if (decides) {
        addHeader(history, header, governingNode);
        numbers.push(header.number);
      }
      if (decides || !written) putIndex(batch, numbers);
      written = true;
    },
  };
}

/** Takes the headers after `number` out of the row; an open index must be opened again afterwards. */
export function rewindIndex(rows: Rows, number: number, batch: Batch): void {
  const row = readIndexRow(rows);
  if (row === undefined) return;
  putIndex(
    batch,
    [...readNumbers(row)].filter((each) => each <= number),
  );
}

/** Reads the row; a damaged row counts as missing. */
function readIndexRow(rows: Rows): Uint8Array | undefined {
  try {
    return rows.get(tables.meta.key("governance"));
  } catch (error) {
    if (error instanceof StoreError && error.code === "corrupt") return undefined;
    throw error;
  }
}

/** True for a header with votes or governance data. */
export function isIndexed({ vote, governance }: Header): boolean {
  return vote.length > 0 || governance.length > 0;
}

function searchHeaders({ block, tip }: HeaderIndexDeps): number[] {
  const found: number[] = [];
  for (let number = 1; number <= tip(); number++) {
    const header = block(number)?.header;
    if (header !== undefined && isIndexed(header)) found.push(number);
  }
  return found;
}

function councilOf(genesis: Header): readonly Address[] {
  return parseExtra(genesis.extra).validators;
}

/** Adds the governance data of block 0; data in another form is ignored. */
function addGenesis(history: HeaderHistory, { governance }: Header): void {
  try {
    if (governance.length > 0) history.addData(0, decodeGovernanceData(governance));
  } catch (error) {
    if (!(error instanceof GovernanceError)) throw error;
  }
}

function addHeader(
  history: HeaderHistory,
  { number, vote, governance }: Header,
  governingNode: GoverningNodeLookup,
): void {
  if (vote.length > 0) {
    const decoded = decodeVote(vote);
    if (decoded.kind === "parameter") history.addParameterVote(number, decoded);
    else history.addValidatorVote(number, decoded, governingNode(number, history));
  }
  if (governance.length > 0) history.addData(number, decodeGovernanceData(governance));
}

function* readNumbers(row: Uint8Array): Iterable<number> {
  for (let at = 0; at + NUMBER_BYTES <= row.length; at += NUMBER_BYTES) {
    yield bytesToNumber(row.subarray(at, at + NUMBER_BYTES));
  }
}

/** Returns the numbers of the index of a database; undefined without the row. */
export function indexedNumbers(rows: Rows): readonly number[] | undefined {
  const row = readIndexRow(rows);
  return row && [...readNumbers(row)];
}

/** Stores the index: the numbers of the headers with votes or governance data, ascending. */
export function putIndex(batch: Batch, numbers: readonly number[]): void {
  const row = concatBytes(...numbers.map((number) => fixedBytes(number, NUMBER_BYTES)));
  batch.put(tables.meta.key("governance"), row);
}

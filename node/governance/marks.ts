/**
 * Which headers carry votes or governance data: a row of the database names them, and their history is read from
 * them when a chain is opened. A database without the row, or with a damaged one, is searched
 * header by header.
 */
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

/** What marks are read from. */
export interface MarkedChain {
  readonly rows: Rows;
  readonly tip: () => number;
  readonly block: (number: number) => { readonly header: Header } | undefined;
}

/** The node that governed at a block, as far as the history says. */
export type GoverningNode = (number: number, history: HeaderHistory) => Uint8Array;

/** The history of headers, kept on disk as the numbers of those that count. */
export interface Marks {
  readonly history: HeaderHistory;
  /** Takes in the next header. */
  accept(header: Header, batch: Batch): void;
  /** Leaves the headers after `number` out of the row; the history is to be opened anew then. */
  rewind(number: number, batch: Batch): void;
}

const NUMBER_BYTES = 6;

/** Reads the history. Throws a format error when a stored header is damaged. */
export function openMarks(chain: MarkedChain, governingNode: GoverningNode): Marks {
  const genesis = chain.block(0)?.header;
  const history = new HeaderHistory(genesis === undefined ? [] : councilOf(genesis));
  if (genesis !== undefined) takeGenesis(history, genesis);
  const row = markRow(chain.rows);
  const numbers = row === undefined ? searchHeaders(chain) : [...readNumbers(row)];
  for (const number of numbers) {
    const header = chain.block(number)?.header;
    if (header !== undefined) take(history, header, governingNode);
  }
  let written = row !== undefined;
  return {
    history,
    accept: (header, batch) => {
      const decides = isMarked(header);
      if (decides) {
        take(history, header, governingNode);
        numbers.push(header.number);
      }
      if (decides || !written) batch.put(tables.meta.key("governance"), writeNumbers(numbers));
      written = true;
    },
    rewind: (number, batch) => {
      const left = numbers.filter((each) => each <= number);
      batch.put(tables.meta.key("governance"), writeNumbers(left));
    },
  };
}

/** A damaged row is as good as none. */
function markRow(rows: Rows): Uint8Array | undefined {
  try {
    return rows.get(tables.meta.key("governance"));
  } catch (error) {
    if (error instanceof StoreError && error.code === "corrupt") return undefined;
    throw error;
  }
}

function isMarked({ vote, governance }: Header): boolean {
  return vote.length > 0 || governance.length > 0;
}

function searchHeaders({ block, tip }: MarkedChain): number[] {
  const found: number[] = [];
  for (let number = 1; number <= tip(); number++) {
    const header = block(number)?.header;
    if (header !== undefined && isMarked(header)) found.push(number);
  }
  return found;
}

function councilOf(genesis: Header): readonly Uint8Array[] {
  return parseExtra(genesis.extra).validators;
}

/** What block 0 says counts; one that says it in another form has no governance data. */
function takeGenesis(history: HeaderHistory, { governance }: Header): void {
  try {
    if (governance.length > 0) history.addData(0, decodeGovernanceData(governance));
  } catch (error) {
    if (!(error instanceof GovernanceError)) throw error;
  }
}

function take(
  history: HeaderHistory,
  { number, vote, governance }: Header,
  governingNode: GoverningNode,
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

function writeNumbers(numbers: readonly number[]): Uint8Array {
  return concatBytes(...numbers.map((number) => fixedBytes(number, NUMBER_BYTES)));
}

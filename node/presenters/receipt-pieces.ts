/**
 * Receipts as JSON text in pieces: one transaction may have tens of thousands of logs, which take a tenth of a second in
 * one stretch. In: a way to format a receipt. Out: its text, piece by piece.
 */
import type { Chain } from "../chain/chain.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import type { Receipt } from "../model/receipt.ts";
import { type BlockReceipts, type FormatReceipt, logsOf } from "./receipt.ts";

/** Logs of one piece, which take half a millisecond. */
const PIECE_LOGS = 256;

/** Pieces that make up a text one behind the other. */
export interface TextPieces {
  readonly count: number;
  readonly write: (piece: number) => string;
}

/** Divides the receipt at an index of a block. Most have one piece. */
export function receiptPieces(
  chain: Chain,
  all: BlockReceipts,
  index: number,
  format: FormatReceipt,
): TextPieces {
  const receipt = all.receipts[index] as Receipt; // as many as transactions: see `blockReceipts`
  const count = countPieces(receipt);
  if (count === 1) return { count, write: () => goJson(format(chain, all, index)) };
  const receipts = all.receipts.with(index, { ...receipt, logs: [] });
  const [head, tail] = goJson(format(chain, { ...all, receipts }, index)).split(NO_LOGS);
  return {
    count,
    write: (piece) => {
      const first = piece * PIECE_LOGS;
      const logs = logsOf(all, index, { first, end: first + PIECE_LOGS })
        .map(goJson)
        .join(",");
      if (piece === 0) return `${head}"logs":[${logs}`;
      return piece === count - 1 ? `,${logs}]${tail}` : `,${logs}`;
    },
  };
}

function countPieces({ logs }: Receipt): number {
  return Math.max(1, Math.ceil(logs.length / PIECE_LOGS));
}

/** Member of a receipt without logs. Transactions that run contracts have no values of JSON, so it is nowhere else. */
const NO_LOGS = '"logs":[]';

/** Divides the receipts of a block, as the rows of a JSON list without its brackets. */
export function blockReceiptPieces(chain: Chain, all: BlockReceipts, format: FormatReceipt): TextPieces {
  const places = all.receipts.flatMap((receipt, index) =>
    Array.from({ length: countPieces(receipt) }, (_, piece) => ({ index, piece })),
  );
  let current: { readonly index: number; readonly pieces: TextPieces } | undefined;
  return {
    count: places.length,
    write: (place) => {
      const { index, piece } = places[place] as { index: number; piece: number }; // in range: the caller counts
      if (current?.index !== index) current = { index, pieces: receiptPieces(chain, all, index, format) };
      return `${piece === 0 && index > 0 ? "," : ""}${current.pieces.write(piece)}`;
    },
  };
}

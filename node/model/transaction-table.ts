/** All kinds of transaction that this release runs, by number, and the names of those that it only knows of. */
import { TransactionError } from "./error.ts";
import type { TransactionType } from "./transaction-type.ts";
import { ethereumAccessList } from "./transaction-types/ethereum-access-list.ts";
import { ethereumDynamicFee } from "./transaction-types/ethereum-dynamic-fee.ts";
import { legacy } from "./transaction-types/legacy.ts";

/** One row per kind. */
export const transactionTypes: readonly TransactionType[] = [legacy, ethereumAccessList, ethereumDynamicFee];

/** Kinds of the chain that have no row yet. Fee-delegated forms are the number plus 1, with a ratio plus 2. */
const STEMS: readonly (readonly [number, string])[] = [
  [0x08, "ValueTransfer"],
  [0x10, "ValueTransferMemo"],
  [0x20, "AccountUpdate"],
  [0x28, "SmartContractDeploy"],
  [0x30, "SmartContractExecution"],
  [0x38, "Cancel"],
  [0x48, "ChainDataAnchoring"],
];

const knownNames: ReadonlyMap<number, string> = new Map([
  ...STEMS.flatMap(([code, stem]): [number, string][] => [
    [code, `TxType${stem}`],
    [code + 1, `TxTypeFeeDelegated${stem}`],
    [code + 2, `TxTypeFeeDelegated${stem}WithRatio`],
  ]),
  [0x7803, "TxTypeEthereumBlob"],
  [0x7804, "TxTypeEthereumSetCode"],
]);

const rows: ReadonlyMap<number, TransactionType> = new Map(transactionTypes.map((row) => [row.code, row]));

/** The row of a number. Throws `TransactionError`: `unsupported-type` for kinds without a row, else `undefined-type`. */
export function transactionType(code: number): TransactionType {
  const row = rows.get(code);
  if (row !== undefined) return row;
  const name = knownNames.get(code);
  if (name === undefined) throw new TransactionError("undefined-type", "undefined tx type");
  const number = `0x${code.toString(16).padStart(2, "0")}`;
  throw new TransactionError(
    "unsupported-type",
    `transaction type ${number} (${name}) is not supported by this release`,
  );
}

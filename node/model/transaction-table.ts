/** The table of transaction types, by number. */
import { TransactionError } from "./error.ts";
import type { TransactionType } from "./transaction-type.ts";
import { ethereumAccessList } from "./transaction-types/ethereum-access-list.ts";
import { ethereumBlob } from "./transaction-types/ethereum-blob.ts";
import { ethereumDynamicFee } from "./transaction-types/ethereum-dynamic-fee.ts";
import { ethereumSetCode } from "./transaction-types/ethereum-set-code.ts";
import {
  accountUpdate,
  cancel,
  chainDataAnchoring,
  contractDeploy,
  contractExecution,
  valueTransfer,
  valueTransferMemo,
} from "./transaction-types/families.ts";
import { legacy } from "./transaction-types/legacy.ts";

/** One row per type, in ascending order. */
export const transactionTypes: readonly TransactionType[] = [
  legacy,
  ...valueTransfer,
  ...valueTransferMemo,
  ...accountUpdate,
  ...contractDeploy,
  ...contractExecution,
  ...cancel,
  ...chainDataAnchoring,
  ethereumAccessList,
  ethereumDynamicFee,
  ethereumBlob,
  ethereumSetCode,
];

const rows: ReadonlyMap<number, TransactionType> = new Map(transactionTypes.map((row) => [row.code, row]));

/** Returns the row of a number. Throws `TransactionError` `undefined-type`. */
export function transactionType(code: number): TransactionType {
  const row = rows.get(code);
  if (row === undefined) throw new TransactionError("undefined-type", "undefined tx type");
  return row;
}

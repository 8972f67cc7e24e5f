/** All kinds of transaction of the chain, by number. */
import { TransactionError } from "./error.ts";
import type { TransactionType } from "./transaction-type.ts";
import { accountUpdate, cancel } from "./transaction-types/account.ts";
import { chainDataAnchoring } from "./transaction-types/chain-data-anchoring.ts";
import { contractDeploy, contractExecution } from "./transaction-types/contract.ts";
import { ethereumAccessList } from "./transaction-types/ethereum-access-list.ts";
import { ethereumBlob } from "./transaction-types/ethereum-blob.ts";
import { ethereumDynamicFee } from "./transaction-types/ethereum-dynamic-fee.ts";
import { ethereumSetCode } from "./transaction-types/ethereum-set-code.ts";
import { legacy } from "./transaction-types/legacy.ts";
import { valueTransfer, valueTransferMemo } from "./transaction-types/value-transfer.ts";

/** One row per kind, ascending by number. */
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

/** The row of a number. Throws `TransactionError` `undefined-type`. */
export function transactionType(code: number): TransactionType {
  const row = rows.get(code);
  if (row === undefined) throw new TransactionError("undefined-type", "undefined tx type");
  return row;
}

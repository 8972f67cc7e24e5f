import { from, input, recipient, value } from "./column.ts";
import { familyRows } from "./family.ts";

/** Moves an amount from one account to another. */
export const valueTransfer = familyRows({
  code: 0x08,
  stem: "ValueTransfer",
  columns: [recipient, value, from],
  recipientMust: "hold-no-code",
  zeroIsNobody: true,
  action: "call",
});

/** The same with bytes for whoever reads them. */
export const valueTransferMemo = familyRows({
  code: 0x10,
  stem: "ValueTransferMemo",
  columns: [recipient, value, from, input],
  recipientMust: "hold-no-code",
  zeroIsNobody: true,
  action: "call",
});

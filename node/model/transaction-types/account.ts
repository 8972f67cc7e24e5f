import { keyGas } from "../account-key-gas.ts";
import { from, key } from "./column.ts";
import { familyRows } from "./family.ts";

/** Gives the sender's account another key. The key's bytes cost nothing, the keys in it do. */
export const accountUpdate = familyRows({
  code: 0x20,
  stem: "AccountUpdate",
  columns: [from, key],
  role: "accountUpdate",
  extraGas: ({ fields }) => keyGas(fields.key),
  shownToSender: true,
  action: "key-update",
});

/** Does nothing but use up a nonce, so that a pooled transaction with it never runs. */
export const cancel = familyRows({
  code: 0x38,
  stem: "Cancel",
  columns: [from],
  replacesAnyPrice: true,
  shownToSender: true,
  action: "nothing",
});

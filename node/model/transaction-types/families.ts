/** Kaia's own transaction types, one family of three rows each (`blockchain/types/tx_internal_data_*.go@v2.2.2`). */
import { keyGas } from "../account-key-gas.ts";
import { CREATE_GAS, initcodeGas } from "../transaction-gas.ts";
import {
  anchored,
  codeFormat,
  from,
  humanReadable,
  input,
  key,
  noRecipient,
  recipient,
  value,
} from "./column.ts";
import { familyRows } from "./family.ts";

/** Gas of a contract with an address that a person can read, which no node accepts. */
const HUMAN_READABLE_GAS = 4_000_000_000n;

/** Transfers value. */
export const valueTransfer = familyRows({
  code: 0x08,
  stem: "ValueTransfer",
  columns: [recipient, value, from],
  recipientRule: "hold-no-code",
  zeroIsNoRecipient: true,
  action: "call",
});

/** Transfers value with a memo. */
export const valueTransferMemo = familyRows({
  code: 0x10,
  stem: "ValueTransferMemo",
  columns: [recipient, value, from, input],
  recipientRule: "hold-no-code",
  zeroIsNoRecipient: true,
  action: "call",
});

/** Sets the sender's account key. The gas depends on the number of keys, not on their bytes. */
export const accountUpdate = familyRows({
  code: 0x20,
  stem: "AccountUpdate",
  columns: [from, key],
  role: "accountUpdate",
  extraGas: ({ fields }) => keyGas(fields.key),
  recipientIsSender: true,
  action: "key-update",
});

/** Creates a contract. */
export const contractDeploy = familyRows({
  code: 0x28,
  stem: "SmartContractDeploy",
  columns: [noRecipient, value, from, input, humanReadable],
  afterRatio: [codeFormat],
  creates: () => true,
  baseGas: CREATE_GAS,
  extraGas: ({ input: code, fields }, rules) =>
    initcodeGas(code, rules) + (fields.humanReadable === true ? HUMAN_READABLE_GAS : 0n),
  action: "call",
});

/** Calls a contract. */
export const contractExecution = familyRows({
  code: 0x30,
  stem: "SmartContractExecution",
  columns: [recipient, value, from, input],
  recipientRule: "be-program",
  zeroIsNoRecipient: true,
  action: "call",
});

/** Uses up a nonce, so that a pooled transaction with the same nonce never runs. */
export const cancel = familyRows({
  code: 0x38,
  stem: "Cancel",
  columns: [from],
  replacesAnyPrice: true,
  recipientIsSender: true,
  action: "nothing",
});

/** Anchors data of another chain; nothing checks it. */
export const chainDataAnchoring = familyRows({
  code: 0x48,
  stem: "ChainDataAnchoring",
  columns: [from, anchored],
  isAnchoring: true,
  recipientIsSender: true,
  action: "nothing",
});

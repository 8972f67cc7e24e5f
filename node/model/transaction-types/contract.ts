import { CREATE_GAS, initcodeGas } from "../transaction-gas.ts";
import { codeFormat, from, humanReadable, input, noRecipient, recipient, value } from "./column.ts";
import { familyRows } from "./family.ts";

/** Makes a contract. */
export const contractDeploy = familyRows({
  code: 0x28,
  stem: "SmartContractDeploy",
  columns: [noRecipient, value, from, input, humanReadable],
  afterRatio: [codeFormat],
  creates: () => true,
  baseGas: CREATE_GAS,
  extraGas: (content, rules) => initcodeGas(content.input, rules),
  action: "call",
});

/** Calls a contract. */
export const contractExecution = familyRows({
  code: 0x30,
  stem: "SmartContractExecution",
  columns: [recipient, value, from, input],
  recipientMust: "be-program",
  zeroIsNobody: true,
  action: "call",
});

/** Answers of the Go node of version 2, Kaia, besides those that both lines share. */
import { AccountsError } from "../accounts/error.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type AdapterRow, mapAnswer, onError } from "./adapters.ts";

/** The rows of Kaia. */
export const kaiaRows: readonly AdapterRow[] = [
  { methods: ["chain_protocolVersion"], difference: "The answer is 67.", adapt: mapAnswer(() => 67) },
  {
    methods: ["personal_importRawKey", "personal_replaceRawKey"],
    difference: "The error about a wallet key of an unknown type names Kaia.",
    adapt: onError((error) => {
      const isWalletKey = error instanceof AccountsError && error.code === "bad-wallet-key";
      throw isWalletKey ? failure("Kaia wallet key type must be 00.") : error;
    }),
  },
];

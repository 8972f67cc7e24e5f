/** Answers of this service's own interface that are not those of the methods themselves. */
import { AccountsError } from "../accounts/error.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { type AdapterRow, around, onError } from "./adapters.ts";

/** The rows of the service. */
export const serviceRows: readonly AdapterRow[] = [
  {
    methods: [
      "admin_startHTTP",
      "admin_startRPC",
      "admin_startWS",
      "admin_stopHTTP",
      "admin_stopRPC",
      "admin_stopWS",
      "admin_exportChain",
      "admin_importChain",
      "admin_importChainFromString",
    ],
    difference: "An action that failed answers false; the reason is in the log.",
    adapt: onError((error) => {
      if (error instanceof RpcError && error.reason === "not-done") return false;
      throw error;
    }),
  },
  {
    methods: ["personal_unlockAccount"],
    difference: "A wrong passphrase or account answers false.",
    adapt: onError((error) => {
      if (error instanceof AccountsError) return false;
      throw error;
    }),
  },
  {
    methods: ["admin_setMaxSubscriptionPerWSConn"],
    difference: "A negative limit is refused.",
    adapt: around((next, args, context) => {
      if (Number(args["limit"]) < 0) throw failure("the limit must not be negative");
      return next(args, context);
    }),
  },
];

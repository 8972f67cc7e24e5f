/** Typed data that an unlocked account of a development chain signs. */
import type { Accounts } from "../accounts/accounts.ts";
import { messageSignature } from "../calls/message-signing.ts";
import { typedData, typedDataDigest } from "../calls/typed-data.ts";
import { address, data } from "../jsonrpc/codecs/hex.ts";
import { type Method, method } from "../jsonrpc/method.ts";

/** Dependencies of the method. */
export interface DevSigningDeps {
  readonly accounts: Pick<Accounts, "sign">;
}

/** The method that signs typed data. */
export function devSigningMethod({ accounts }: DevSigningDeps): Method {
  return method({
    name: "eth_signTypedData_v4",
    aliases: ["eth_signTypedData"],
    privilege: "keys",
    summary: "Signs typed data (EIP-712) with an unlocked account. Returns r, s and v (27 or 28).",
    params: { address, typedData },
    result: data,
    handle: ({ address: account, typedData: wanted }) =>
      messageSignature(accounts.sign(account, typedDataDigest(wanted))),
  });
}

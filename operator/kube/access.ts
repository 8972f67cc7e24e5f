/**
 * How the cluster is reached: KUBECONFIG, or the account of the pod. Token files and exec plug-ins are asked again
 * from time to time, and at once when a token is refused, since tokens end.
 */
import { messageOf } from "../observe/message-of.ts";
import { KubeError } from "./error.ts";
import { type Account, podAccount } from "./pod-account.ts";

/** Where the API server is and how to prove who we are. */
export interface Access {
  /** The server's address without a path. */
  readonly origin: string;
  /** What stands before all paths; empty as a rule. */
  readonly prefix: string;
  readonly tls: Readonly<Record<string, unknown>>;
  /** The header that carries a token, when there is one. */
  authorization(): Promise<string | undefined>;
  /** The token was refused: it is read anew for the next request, at most once in five seconds. */
  refused(): void;
}

const TOKEN_MS = 30_000;
const REFUSED_MS = 5_000;

/** Reads the configuration. Throws `KubeError` `other` when there is none. */
export async function loadAccess(now: () => number): Promise<Access> {
  const account = await findAccount();
  const { origin, pathname } = new URL(account.server);
  let asked = { at: now(), header: await headerAnew(account) };
  return {
    origin,
    prefix: pathname === "/" ? "" : pathname.replace(/\/$/, ""),
    tls: account.tls,
    async authorization() {
      if (now() - asked.at >= TOKEN_MS) asked = { at: now(), header: await headerAnew(account) };
      return asked.header;
    },
    refused() {
      if (now() - asked.at >= REFUSED_MS) asked = { ...asked, at: Number.NEGATIVE_INFINITY };
    },
  };
}

/** A file that is just being written is a failure of this request alone. */
async function headerAnew(account: Account): Promise<string | undefined> {
  try {
    return await account.authorization();
  } catch (cause) {
    throw new KubeError("unauthorized", `the token cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Whoever sets KUBECONFIG means it; in a pod nothing else is to be looked for. */
async function findAccount(): Promise<Account> {
  const own = process.env["KUBECONFIG"] === undefined ? await podAccount() : undefined;
  if (own !== undefined) return own;
  const { kubeConfigAccount } = await import("./kube-config.ts");
  return kubeConfigAccount();
}

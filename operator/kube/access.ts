/**
 * How the cluster is reached: KUBECONFIG, or the account of the pod. Its files and exec plug-ins are asked again from
 * time to time, and at once when a token is refused: tokens end, and so do the authorities that servers are judged by.
 */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../observe/message-of.ts";
import { KubeError } from "./error.ts";
import { type Account, type Proof, podAccount } from "./pod-account.ts";

/** Where the API server is and how to prove who we are. */
export interface Access {
  /** The server's address without a path. */
  readonly origin: string;
  /** What stands before all paths; empty as a rule. */
  readonly prefix: string;
  /** What a new connection is made with; the same object until it changes. */
  tls(): Promise<Proof["tls"]>;
  /** The header that carries a token, when there is one. */
  authorization(): Promise<string | undefined>;
  /** The token was refused: it is read anew for the next request, at most once in five seconds. */
  refused(): void;
}

const PROOF_MS = 30_000;
const REFUSED_MS = 5_000;

/** Reads the configuration. Throws `KubeError` `other` when there is none. */
export async function loadAccess(now: () => number): Promise<Access> {
  const account = await findAccount();
  const { origin, pathname } = new URL(account.server);
  let asked = { at: now(), proof: await proofAnew(account) };
  const fresh = async (): Promise<Proof> => {
    if (now() - asked.at >= PROOF_MS) {
      const proof = await proofAnew(account);
      const { tls } = asked.proof;
      asked = { at: now(), proof: isDeepStrictEqual(proof.tls, tls) ? { ...proof, tls } : proof };
    }
    return asked.proof;
  };
  return {
    origin,
    prefix: pathname === "/" ? "" : pathname.replace(/\/$/, ""),
    tls: async () => (await fresh()).tls,
    authorization: async () => (await fresh()).authorization,
    refused() {
      if (now() - asked.at >= REFUSED_MS) asked = { ...asked, at: Number.NEGATIVE_INFINITY };
    },
  };
}

/** A file that is just being written is a failure of this request alone. */
async function proofAnew(account: Account): Promise<Proof> {
  try {
    return await account.proof();
  } catch (cause) {
    throw new KubeError("unauthorized", `the account cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Whoever sets KUBECONFIG means it; in a pod nothing else is to be looked for. */
async function findAccount(): Promise<Account> {
  const own = process.env["KUBECONFIG"] === undefined ? await podAccount() : undefined;
  if (own !== undefined) return own;
  const { kubeConfigAccount } = await import("./kube-config.ts");
  return kubeConfigAccount();
}

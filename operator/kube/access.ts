/**
 * Access to the cluster: KUBECONFIG, or the service account of the pod. Credentials are read again
 * periodically, and at once after a 401 response, because tokens and certificate authorities expire.
 */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../observe/message-of.ts";
import { KubeError } from "./error.ts";
import { type Account, type Proof, podAccount } from "./pod-account.ts";

/** Address of the API server, and the credentials for it. */
export interface Access {
  /** URL of the server without a path. */
  readonly origin: string;
  /** Prefix of all paths; usually empty. */
  readonly prefix: string;
  /** TLS options of new connections; the same object until they change. */
  tls(): Promise<Proof["tls"]>;
  /** Value of the Authorization header, if there is a token. */
  authorization(): Promise<string | undefined>;
  /** Reports a refused token. It is read again for the next request, at most once in five seconds. */
  reportRefusal(): void;
}

const PROOF_MS = 30_000;
const REFUSED_MS = 5_000;

/** Reads the configuration. Throws `KubeError` `other` when there is none. */
export async function loadAccess(now: () => number): Promise<Access> {
  return accessOf(await findAccount(), now);
}

/** Access of a person by KUBECONFIG, with the namespace of the context. Throws `KubeError` `other` without one. */
export async function loadUserAccess(
  now: () => number,
  context?: string,
): Promise<{ readonly access: Access; readonly namespace: string }> {
  const { kubeConfigAccount } = await import("./kube-config.ts");
  const account = await kubeConfigAccount(context);
  return { access: await accessOf(account, now), namespace: account.namespace };
}

async function accessOf(account: Account, now: () => number): Promise<Access> {
  const { origin, pathname } = new URL(account.server);
  let asked = { at: now(), proof: await readProof(account) };
  const fresh = async (): Promise<Proof> => {
    if (now() - asked.at >= PROOF_MS) {
      const proof = await readProof(account);
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
    reportRefusal() {
      if (now() - asked.at >= REFUSED_MS) asked = { ...asked, at: Number.NEGATIVE_INFINITY };
    },
  };
}

/** Reads the credentials. A file that is being written fails this request only. */
async function readProof(account: Account): Promise<Proof> {
  try {
    return await account.proof();
  } catch (cause) {
    throw new KubeError("unauthorized", `the account cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Finds the account. KUBECONFIG takes precedence over the pod's service account. */
async function findAccount(): Promise<Account> {
  const own = process.env["KUBECONFIG"] === undefined ? await podAccount() : undefined;
  if (own !== undefined) return own;
  const { kubeConfigAccount } = await import("./kube-config.ts");
  return kubeConfigAccount();
}

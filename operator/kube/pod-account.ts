/** The account of the pod that this runs in, as the kubelet mounts it and names the API server. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the API server is and how to prove who we are. */
export interface Account {
  /** The server's URL. */
  readonly server: string;
  readonly tls: Readonly<Record<string, unknown>>;
  /** The header that carries a token, read anew; undefined when there is none. Rejects when it cannot be read. */
  authorization(): Promise<string | undefined>;
}

const DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Undefined outside of a pod, and in one whose account is not mounted. */
export async function podAccount(directory = DIRECTORY): Promise<Account | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
  if (host === undefined) return undefined;
  const read = (name: string): Promise<string> => readFile(join(directory, name), "utf8");
  const ca = await read("ca.crt").catch(() => undefined);
  if (ca === undefined) return undefined;
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    tls: { ca },
    authorization: async () => `Bearer ${(await read("token")).trim()}`,
  };
}

/** The account of the pod that this runs in, as the kubelet mounts it and names the API server. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What a request proves itself with, and what the API server is judged by. */
export interface Proof {
  readonly tls: Readonly<Record<string, unknown>>;
  /** The header that carries a token; undefined when there is none. */
  readonly authorization: string | undefined;
}

/** Where the API server is and how to prove who we are. */
export interface Account {
  /** The server's URL. */
  readonly server: string;
  /** Read anew each time: tokens and authorities are renewed. Rejects when it cannot be read. */
  proof(): Promise<Proof>;
}

const DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Undefined outside of a pod, and in one whose account is not mounted. */
export async function podAccount(directory = DIRECTORY): Promise<Account | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
  if (host === undefined || !existsSync(join(directory, "ca.crt"))) return undefined;
  const read = (name: string): Promise<string> => readFile(join(directory, name), "utf8");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    async proof() {
      const [ca, token] = await Promise.all([read("ca.crt"), read("token")]);
      return { tls: { ca }, authorization: `Bearer ${token.trim()}` };
    },
  };
}

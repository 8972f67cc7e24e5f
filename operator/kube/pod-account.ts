/** The service account of the pod, from the kubelet's mounted files and environment variables. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Credentials of a request, and the trusted authority of the API server. */
export interface Proof {
  readonly tls: Readonly<Record<string, unknown>>;
  /** Value of the Authorization header; undefined without a token. */
  readonly authorization: string | undefined;
}

/** URL of the API server, and the credentials for it. */
export interface Account {
  /** The server's URL. */
  readonly server: string;
  /** Reads the current credentials, which are renewed over time. Rejects when they cannot be read. */
  proof(): Promise<Proof>;
}

const DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Reads the account; undefined outside of a pod, or without a mounted token. */
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

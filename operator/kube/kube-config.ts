/**
 * Credentials from KUBECONFIG. Loaded only when needed, because the client library takes as much memory as
 * the rest of the program.
 */
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { KubeError } from "./error.ts";
import type { Account } from "./pod-account.ts";

/** Reads the configuration. Throws `KubeError` `other` when there is none. */
export async function kubeConfigAccount(): Promise<Account> {
  const config = readConfig();
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new KubeError("other", "no cluster is configured; set KUBECONFIG or run in a pod");
  return {
    server: cluster.server,
    // A configuration that is read anew keeps no token of its own.
    async proof() {
      const options = await optionsOf(readConfig());
      return { tls: tlsOf(options), authorization: authorizationOf(options) };
    },
  };
}

function readConfig(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromDefault();
  return config;
}

async function optionsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

function authorizationOf({ headers }: RequestOptions): string | undefined {
  if (headers === undefined || Array.isArray(headers)) return undefined;
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1];
  return typeof value === "string" ? value.trim() : undefined;
}

function tlsOf(options: RequestOptions): Readonly<Record<string, unknown>> {
  const { ca, cert, key, rejectUnauthorized, servername } = options;
  return Object.fromEntries(
    Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

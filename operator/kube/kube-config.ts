/**
 * Credentials from KUBECONFIG. Loaded only when needed, because the client library takes as much memory as
 * the rest of the program.
 */
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { KubeError } from "./error.ts";
import type { Account } from "./pod-account.ts";

/** Account of a person, and the namespace of the context. */
export interface UserAccount extends Account {
  readonly namespace: string;
}

/**
 * Reads the configuration, with its current context when none is named. Throws `KubeError` `other` when there is none.
 */
export async function kubeConfigAccount(context?: string): Promise<UserAccount> {
  const config = readConfig(context);
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new KubeError("other", "no cluster is configured; set KUBECONFIG or run in a pod");
  return {
    server: cluster.server,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    // A configuration that is read again keeps no token of its own.
    async proof() {
      const options = await optionsOf(readConfig(context));
      return { tls: tlsOf(options), authorization: authorizationOf(options) };
    },
  };
}

function readConfig(context: string | undefined): KubeConfig {
  const config = new KubeConfig();
  config.loadFromDefault();
  if (context !== undefined && config.getContextObject(context) === null)
    throw new KubeError("other", `the configuration has no context ${context}`);
  if (context !== undefined) config.setCurrentContext(context);
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

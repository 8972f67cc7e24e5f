/**
 * How the cluster is reached: KUBECONFIG, or the account of the pod. The library is used for the
 * configuration alone; its token files and exec plug-ins are asked again from time to time, and at once when a
 * token is refused, since tokens end.
 */
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { messageOf } from "../observe/message-of.ts";
import { KubeError } from "./error.ts";

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
  const config = readConfig();
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new KubeError("other", "there is no cluster: set KUBECONFIG or run in a pod");
  const { origin, pathname } = new URL(cluster.server);
  const first = await optionsOf(config);
  let asked = { at: now(), header: authorizationOf(first) };
  return {
    origin,
    prefix: pathname === "/" ? "" : pathname.replace(/\/$/, ""),
    tls: tlsOf(first),
    async authorization() {
      // A configuration that is read anew keeps no token of its own.
      if (now() - asked.at >= TOKEN_MS) asked = { at: now(), header: await headerAnew() };
      return asked.header;
    },
    refused() {
      if (now() - asked.at >= REFUSED_MS) asked = { ...asked, at: Number.NEGATIVE_INFINITY };
    },
  };
}

/** A file that is just being written is a failure of this request alone. */
async function headerAnew(): Promise<string | undefined> {
  try {
    return authorizationOf(await optionsOf(readConfig()));
  } catch (cause) {
    throw new KubeError("unauthorized", `the token cannot be read: ${messageOf(cause)}`, { cause });
  }
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

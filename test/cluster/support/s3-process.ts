/** versitygw, an S3 server, as a process on loopback; a directory is its store. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../../support/go-node.ts";
import { until } from "../../support/until.ts";

/** Keys of the owner of the server, as variables of its environment. */
export const OWNER_KEYS = { ROOT_ACCESS_KEY: "tester", ROOT_SECRET_KEY: "secret of the tester" } as const;

/** Bucket of the server. */
export const BUCKET = "archive";

/** Returns the directories of the server below one: the buckets, of which each is a directory, and their attributes. */
export function storeDirectories(path: string): { readonly buckets: string; readonly attributes: string } {
  return { buckets: `${path}/buckets`, attributes: `${path}/attributes` };
}

/** Returns the arguments of a server on a port. Attributes are files: some file systems have no extended ones. */
export function serverArguments(listen: string, path: string): readonly string[] {
  const { buckets, attributes } = storeDirectories(path);
  return ["--port", listen, "posix", "--sidecar", attributes, buckets];
}

/** Returns the variables of clients with the owner's keys. */
export function clientVariables(endpoint: string) {
  return {
    AWS_ACCESS_KEY_ID: OWNER_KEYS.ROOT_ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: OWNER_KEYS.ROOT_SECRET_KEY,
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_S3: endpoint,
  } as const;
}

/** A server that can be killed and started again on its port. */
export interface S3Process extends AsyncDisposable {
  readonly variables: ReturnType<typeof clientVariables>;
  /** Directory with the objects of the bucket. */
  readonly objects: string;
  /** Resolves when the server listens. */
  start(): Promise<void>;
  /** Kills it at once; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts the binary on a free port, with its store below `path`. */
export async function startS3Process(binary: string, path: string): Promise<S3Process> {
  const port = await freePort();
  const { buckets, attributes } = storeDirectories(path);
  const objects = join(buckets, BUCKET);
  await Promise.all([objects, attributes].map((directory) => mkdir(directory, { recursive: true })));
  const run = () =>
    spawn(binary, serverArguments(`127.0.0.1:${port}`, path), {
      stdio: "ignore",
      env: { ...process.env, ...OWNER_KEYS },
    });
  let server: ReturnType<typeof run> | undefined;
  const kill = async (): Promise<void> => {
    if (server === undefined) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    server = undefined;
    await ended;
  };
  const start = async (): Promise<void> => {
    server = run();
    await until(() => accepts(port));
  };
  await start();
  return {
    variables: clientVariables(`http://127.0.0.1:${port}`),
    objects,
    start,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

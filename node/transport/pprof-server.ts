/**
 * The profiling server that `debug_startPProf` opens: CPU profiles, traces and stacks of the process over HTTP, under
 * the paths of the Go node's. Heap snapshots, which hold keys, are left out.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metrics } from "../observe/metrics.ts";
import type { Profiler } from "../observe/profiler.ts";
import { ProfilerError } from "../observe/recording.ts";
import { threadStacks } from "../observe/stacks.ts";
import { isHostAllowed } from "./fast/http-head.ts";
import { type Bound, listenOn, type TcpAddress } from "./listener.ts";
import { http } from "./node-http.ts";

/** The server, closed at first. */
export interface PprofServer extends AsyncDisposable {
  readonly isRunning: boolean;
  /** Opens the server. Rejects with the system's error when the address is not available. */
  start(address: TcpAddress): Promise<void>;
  /** Closes the server with its connections. */
  stop(): void;
}

/** Parts of the answers. */
export interface PprofServerDeps {
  readonly profiler: Pick<Profiler, "cpu" | "trace">;
  readonly metrics: Pick<Metrics, "contentType" | "render">;
}

type Answer = readonly [type: string, body: string | Uint8Array];

const MAX_CONNECTIONS = 4;
const MAX_SECONDS = 600;
const INDEX =
  "/debug/pprof/profile?seconds=30\n/debug/pprof/trace?seconds=1\n/debug/pprof/goroutine\n/debug/metrics\n";

/** Creates the server without opening it. */
export function createPprofServer(deps: PprofServerDeps): PprofServer {
  let open: { readonly bound: Bound; readonly end: () => void } | undefined;
  let isStarting = false;
  const stop = (): void => {
    void open?.bound.close();
    open?.end();
    open = undefined;
  };
  return {
    get isRunning() {
      return isStarting || open !== undefined;
    },
    start: async (address) => {
      isStarting = true;
      const server = http.createServer((request, response) => void answer(deps, request, response));
      server.maxConnections = MAX_CONNECTIONS;
      try {
        open = { bound: await listenOn(server, address), end: () => server.closeAllConnections() };
      } finally {
        isStarting = false;
      }
    },
    stop,
    [Symbol.asyncDispose]: async () => stop(),
  };
}

async function answer(
  deps: PprofServerDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (!isHostAllowed(request.headers.host ?? "", ["localhost"])) return void response.writeHead(403).end();
    const found = request.method === "GET" ? await answerTo(deps, request.url ?? "") : undefined;
    if (found === undefined) return void response.writeHead(404).end();
    const [type, body] = found;
    response.writeHead(200, { "content-type": type, "x-content-type-options": "nosniff" }).end(body);
  } catch (error) {
    response.writeHead(error instanceof ProfilerError ? 409 : 500);
    response.end(error instanceof ProfilerError ? `${error.message}\n` : "");
  }
}

async function answerTo({ profiler, metrics }: PprofServerDeps, path: string): Promise<Answer | undefined> {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const seconds = (usual: number): number =>
    Math.min(Math.max(0, Number(searchParams.get("seconds") ?? usual) || 0), MAX_SECONDS);
  switch (pathname) {
    case "/debug/pprof/":
    case "/debug/pprof":
      return ["text/plain", INDEX];
    case "/debug/pprof/profile":
      return ["application/json", await readRecording((file) => profiler.cpu.record(file, seconds(30)))];
    case "/debug/pprof/trace":
      return ["application/json", await readRecording((file) => profiler.trace.record(file, seconds(1)))];
    case "/debug/pprof/goroutine":
      return ["text/plain", threadStacks()];
    case "/debug/metrics":
      return [metrics.contentType, await metrics.render()];
    default:
      return undefined;
  }
}

async function readRecording(record: (file: string) => Promise<void>): Promise<Uint8Array> {
  const directory = await mkdtemp(join(tmpdir(), "knit-recording-"));
  try {
    const file = join(directory, "recording");
    await record(file);
    return await readFile(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

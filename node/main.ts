/**
 * The program's entry: arguments to exit code. It loads nothing until the Node.js version is known to be
 * good, so that an older one is answered with a sentence and not with a syntax error.
 */
import { existsSync, mkdirSync } from "node:fs";
import module from "node:module";
import { homedir, totalmem } from "node:os";
import { basename, join } from "node:path";
import { messageOf } from "./bytes/message-of.ts";

const OLDEST_NODE = 24;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  process.stderr.write(`knit needs Node.js ${OLDEST_NODE} or newer, this is ${process.version}\n`);
  process.exitCode = 1;
} else {
  await start();
}

async function start(): Promise<void> {
  keepCompiledCode();
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
  const [
    { runCli },
    { openLauncherWatch },
    { createPrompter },
    { limitHeap, limitHeapGrowth },
    { systemClock },
  ] = await Promise.all([
    import("./cli/cli.ts"),
    import("./cli/launcher.ts"),
    import("./cli/prompter.ts"),
    import("./compose/heap-limit.ts"),
    import("./runtime/clock.ts"),
  ]);
  limitHeapGrowth();
  let asking: ReturnType<typeof createPrompter> | undefined; // standard input is opened by the first question
  const prompter = () => (asking ??= createPrompter(process.stdin, process.stdout));
  const container = process.constrainedMemory();
  process.exitCode = await runCli(process.argv.slice(2), {
    program: process.env["KNIT_PROGRAM"] ?? basename(process.argv[1] ?? ""),
    stdout: process.stdout,
    stderr: process.stderr,
    binary: () => ({ input: process.stdin, write: writeBytes }),
    terminal: () => ({ input: process.stdin, output: process.stdout }),
    prompter: { passphrase: (question) => prompter().passphrase(question) },
    environment: { ...process.env }, // a look into the system's own takes a microsecond, for each of some hundred options
    host: {
      platform: process.platform,
      home: homedir(),
      workingDirectory: process.cwd(),
      exists: existsSync,
      // a number above what the machine has where there is no limit, or 0
      containerBytes: container > 0 && container < totalmem() ? container : undefined,
    },
    limitHeap,
    signals: process,
    openLauncherWatch: () => openLauncherWatch(),
    clock: systemClock,
    loadNode: async () => ({
      ...(await import("./compose/offline-jobs.ts")),
      createCheckpoint: async (...how) =>
        (await import("./compose/checkpoint-jobs.ts")).createCheckpointOffline(...how),
      verifyCheckpoint: async (...how) =>
        (await import("./compose/checkpoint-jobs.ts")).verifyCheckpoint(...how),
      pushCheckpoint: async (...how) => (await import("./compose/archive-jobs.ts")).pushToArchive(...how),
      streamCheckpoint: async (...how) =>
        (await import("./compose/archive-jobs.ts")).streamOfCheckpoint(...how),
      pullCheckpoint: async (...how) => (await import("./compose/archive-jobs.ts")).pullFromArchive(...how),
      listCheckpoints: async (...how) => (await import("./compose/archive-jobs.ts")).listArchive(...how),
      bootstrap: async (...how) => (await import("./compose/bootstrap.ts")).bootstrap(...how),
      importGoDatadir: async (...how) => (await import("./compose/go-jobs.ts")).importGoDatadir(...how),
      openNode: async (...how) => (await import("./compose/node.ts")).openNode(...how),
    }),
  });
}

/** Writes to standard output; resolves when the reader takes more, rejects when it has gone. */
function writeBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Keeps compiled code for the next start, which then takes a tenth less time. The cache lies in the user's own directory,
 * to which only the user can write. Without it each start compiles.
 */
function keepCompiledCode(): void {
  try {
    let directory = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
    for (const part of ["", "knit", "compiled"]) {
      directory = join(directory, part);
      if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 }); // not with all above it: a home may be missing
    }
    module.enableCompileCache(directory);
  } catch {
    // a read-only disk, no home
  }
}

/** A bug: one line for everyone, the stack for who asked for details. The state on disk is whole at any time. */
function end(error: unknown): void {
  const message = messageOf(error);
  process.stderr.write(`Fatal: ${message.split("\n")[0]}\n`);
  if (/[45]/.test(process.env["KNIT_VERBOSITY"] ?? "") || /verbosity[= ][45]/.test(process.argv.join(" "))) {
    process.stderr.write(`${error instanceof Error ? error.stack : ""}\n`);
  }
  process.exit(1);
}

/** Archives of checkpoints in a real S3 server: what the program sends, lists, fetches and starts from, and a server that dies. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readCheckpointManifest } from "../../node/checkpoint/manifest.ts";
import { PART_BYTES } from "../../node/checkpoint/s3-upload.ts";
import { openArchive, pullFromArchive, pushToArchive } from "../../node/compose/archive-jobs.ts";
import { createCheckpointOffline } from "../../node/compose/checkpoint-jobs.ts";
import { type KnitRun, runKnitBehind, startKnitBehind } from "../support/knit-process.ts";
import { verifyDirectory } from "../support/offline-jobs.ts";
import { call } from "../support/rpc-client.ts";
import { until } from "../support/until.ts";
import { makeWholeDirectory, optionsOf } from "../support/whole-directory.ts";
import { BUCKET, type S3Process, startS3Process } from "./support/s3-process.ts";
import { toolPath } from "./support/tools.ts";

const HEAD = 34;
/** More than any file of a database has: the largest are table files from a write buffer of 32 MiB. */
const LARGE_BYTES = 100 * 1024 * 1024;
/** Parts after which an upload is interrupted. */
const MIN_SENT = 3;
const silent = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();

const binary = toolPath("versitygw");
const about = binary === "" ? describe.skip : describe;
const note = binary === "" ? " (skipped: test/cluster/tools.sh build versitygw)" : "";

/** Counts the requests with parts until it is disposed. */
function countParts(): Disposable & { readonly count: number } {
  const { fetch } = globalThis;
  let count = 0;
  globalThis.fetch = (request, init) => {
    if (request instanceof Request && request.url.includes("partNumber=")) count++;
    return fetch(request, init);
  };
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]: () => {
      globalThis.fetch = fetch;
    },
  };
}

about(`an archive in versitygw${note}`, () => {
  let scratch = "";
  let source = "";
  let checkpoint = "";
  let genesisHash = "";
  let server: S3Process;
  let archives = 0;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "knit-s3-"));
    source = (await makeWholeDirectory(scratch)).path;
    checkpoint = join(scratch, "checkpoint");
    await createCheckpointOffline(optionsOf(source), { directory: checkpoint, progress: silent, signal });
    ({ genesisHash } = await readCheckpointManifest(checkpoint));
    server = await startS3Process(binary, join(scratch, "store"));
  });
  afterAll(async () => {
    await server.kill();
    await rm(scratch, { recursive: true });
  });

  /** A prefix of its own, and the directory with its objects. */
  function anArchive(): { readonly url: string; readonly objects: string } {
    const name = `archive-${archives++}`;
    return { url: `s3://${BUCKET}/${name}`, objects: join(server.objects, name) };
  }

  /** Variables of a command, as `env` takes them. */
  const withVariables = (more: Readonly<Record<string, string>> = {}): readonly string[] => [
    "env",
    ...Object.entries({ ...server.variables, ...more }).map(([name, value]) => `${name}=${value}`),
  ];
  const knit = (...command: string[]): Promise<KnitRun> => runKnitBehind(withVariables(), command);

  /** Progress that kills the server when the first file is done. */
  function killAtFirst() {
    let killed: Promise<void> | undefined;
    const update = (): void => {
      killed ??= server.kill();
    };
    return { progress: { ...silent, update }, killed: () => killed };
  }

  test("takes a checkpoint once, lists it, gives it away, and starts a node", async () => {
    const { url } = anArchive();
    const push = ["checkpoint", "push", "--datadir", source, checkpoint, url];
    const first = await knit(...push);
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/pushed checkpoints\/0{10}34-/) });
    expect(first.output).not.toMatch(/sent 0 of \d+ files/);
    expect(await knit(...push)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/sent 0 of \d+ files/),
    });
    const listed = await knit("checkpoint", "list", url);
    expect(listed.output).toMatch(/^checkpoints\/0{10}34-\S+: chain 9001, block 34 /);
    const [pulled, started] = [join(scratch, "pulled"), join(scratch, "started")];
    expect(await knit("checkpoint", "pull", url, pulled, "--full")).toMatchObject({ code: 0 });
    expect(await verifyDirectory(pulled)).toEqual(await verifyDirectory(source));
    const alone = ["--nodiscover", "--port", "0", "--ipcdisable", "--rpc", "--rpcport", "0"];
    const from = ["--bootstrap", url, "--bootstrap.genesis-hash", genesisHash];
    const node = startKnitBehind(withVariables(), ["run", "--datadir", started, ...from, ...alone]);
    const [address] = await node.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
    expect(Number(await call(address, "chain_blockNumber"))).toBe(HEAD);
    expect(node.output()).toContain("started from a checkpoint");
    expect(await node.stop()).toBe(0);
  });

  test("refuses other keys, and the program says so without them", async () => {
    const { url, objects } = anArchive();
    for (const [keys, answer] of [
      [{ AWS_SECRET_ACCESS_KEY: "another secret" }, "403 SignatureDoesNotMatch"],
      [{ AWS_ACCESS_KEY_ID: "stranger" }, "404 XAdminUserNotFound"],
    ] as const) {
      const push = ["checkpoint", "push", "--datadir", source, checkpoint, url];
      const { code, output } = await runKnitBehind(withVariables(keys), push);
      expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining(answer) });
      expect(output).not.toContain("another secret");
      expect(output).not.toContain(server.variables.AWS_SECRET_ACCESS_KEY);
    }
    expect(existsSync(objects)).toBe(false);
    const stranger = await openArchive(url, { ...server.variables, AWS_ACCESS_KEY_ID: "stranger" });
    await expect(stranger.read("files/any", 1, signal)).rejects.toMatchObject({ code: "failed" });
    const bucket = await knit("checkpoint", "list", "s3://no-such-bucket/archive");
    expect(bucket).toMatchObject({ code: 1, output: expect.stringContaining("404 NoSuchBucket") });
  });

  test("takes and gives a file that is larger than any of a database", async () => {
    const store = await openArchive(anArchive().url, server.variables);
    const bytes = randomBytes(LARGE_BYTES);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    {
      using parts = countParts();
      await store.write(`files/${sha256}`, bytes, sha256, signal);
      expect(parts.count).toBe(Math.ceil(LARGE_BYTES / PART_BYTES));
    }
    expect(await store.list("files/", signal)).toMatchObject([
      { name: `files/${sha256}`, size: LARGE_BYTES },
    ]);
    expect(bytes.equals(await store.read(`files/${sha256}`, LARGE_BYTES, signal))).toBe(true);
    await expect(store.read(`files/${sha256}`, LARGE_BYTES - 1, signal)).rejects.toMatchObject({
      code: "bad-file",
    });
  });

  test("goes on with a large file where its upload was interrupted, also when the server was killed", async () => {
    const store = await openArchive(anArchive().url, server.variables);
    const bytes = randomBytes(LARGE_BYTES);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const name = `files/${sha256}`;
    const stop = new AbortController();
    const writing = store.write(name, bytes, sha256, stop.signal);
    const ended = expect(writing).rejects.toMatchObject({ name: "AbortError" });
    await until(async () => (await sentParts()) >= MIN_SENT);
    stop.abort();
    await ended;
    await server.kill();
    await server.start();
    expect(await store.list("files/", signal)).toEqual([]);
    const kept = await sentParts();
    using parts = countParts();
    await store.write(name, bytes, sha256, signal);
    expect(parts.count).toBeLessThanOrEqual(Math.ceil(LARGE_BYTES / PART_BYTES) - MIN_SENT);
    expect(kept).toBeGreaterThanOrEqual(MIN_SENT);
    expect(bytes.equals(await store.read(name, LARGE_BYTES, signal))).toBe(true);
    expect(await sentParts()).toBe(0);
  });

  /** Counts the parts that open uploads have in the server's store. */
  async function sentParts(): Promise<number> {
    const uploads = join(server.objects, ".sgwtmp", "multipart");
    const names = await readdir(uploads, { recursive: true }).catch(() => []);
    return names.filter((each) => /\/\d+$/.test(each)).length;
  }

  test("goes on with a push and a pull when the server has died and is started again", async () => {
    const { url, objects } = anArchive();
    const environment = server.variables;
    const pushing = killAtFirst();
    const pushed = pushToArchive(optionsOf(source), {
      directory: checkpoint,
      url,
      progress: pushing.progress,
      signal,
      environment,
    });
    await restartAfter(pushing.killed, () => expect(existsSync(join(objects, "checkpoints"))).toBe(false));
    expect(await pushed).toMatchObject({ name: expect.stringMatching(/^checkpoints\/0{10}34-/) });
    expect(await readdir(join(objects, "checkpoints"))).toHaveLength(1);

    const pulling = killAtFirst();
    const directory = join(scratch, "pulled-after-death");
    const wanted = { genesisHash };
    const job = { from: url, directory, wanted, full: true, progress: pulling.progress, signal, environment };
    const pulled = pullFromArchive(optionsOf(join(scratch, "none")), job);
    await restartAfter(pulling.killed);
    await pulled;
    expect(await verifyDirectory(directory)).toEqual(await verifyDirectory(source));
  });

  /** Waits until the server is killed, looks at its store, and starts it again. */
  async function restartAfter(
    killed: () => Promise<void> | undefined,
    look: () => void = () => undefined,
  ): Promise<void> {
    await until(() => killed() !== undefined);
    await killed();
    look();
    await server.start();
  }

  test("has no checkpoint of a push that ended with the server, and the next push sends the rest", async () => {
    const { url, objects } = anArchive();
    const environment = server.variables;
    const { progress, killed } = killAtFirst();
    const push = { directory: checkpoint, url, signal, environment };
    const ended = pushToArchive(optionsOf(source), { ...push, progress });
    await expect(ended).rejects.toMatchObject({
      code: "failed",
      message: expect.stringContaining("(6 times)"),
    });
    await killed();
    await server.start();
    expect(existsSync(join(objects, "checkpoints"))).toBe(false);
    const rest = await pushToArchive(optionsOf(source), { ...push, progress: silent });
    expect(rest.sentFiles).toBeGreaterThan(0);
    expect(rest.sentFiles).toBeLessThan(rest.files);
  });
});

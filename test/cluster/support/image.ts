/**
 * Images without a registry and without docker: a directory with this machine's Node.js and its libraries stands for
 * the base image, and into it goes what the Dockerfile's lines say.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Cluster, run } from "./cluster.ts";
import { readTarget, type Target } from "./dockerfile.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Builds the program in the root of a checkout, packs the targets of its Dockerfile as `repository:tag` and loads them into
 * the node.
 */
export async function loadImages(
  cluster: Cluster,
  images: Readonly<Record<string, string>>,
  root = ROOT,
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "ki-"));
  try {
    const stages = await buildStages(work, root);
    const base = await baseImage(work);
    const text = readFileSync(join(root, "Dockerfile"), "utf8");
    for (const [name, reference] of Object.entries(images)) {
      const target = readTarget(text, name);
      await pack(cluster, { target, reference, stages, base, work });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Contents of the stages `build`, `node-packages` and `operator-packages` at their end, by name. */
async function buildStages(work: string, root: string): Promise<ReadonlyMap<string, string>> {
  await must("node", [join(root, "scripts/build.ts")], root);
  const packages = join(work, "packages");
  mkdirSync(packages);
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    cpSync(join(root, name), join(packages, name));
  const install = ["ci", "--omit=dev", "--prefer-offline", "--loglevel=error", "--prefix", packages];
  await must("npm", install, root);
  const stages = new Map([["build", root]]);
  for (const program of ["node", "operator"]) {
    const kept = join(work, `${program}-packages`);
    cpSync(packages, kept, { recursive: true, verbatimSymlinks: true });
    if (program === "node") await must("node", ["scripts/build-engine.ts", kept], root);
    await must("node", ["scripts/keep-packages.ts", program, kept], root);
    stages.set(`${program}-packages`, kept);
  }
  return stages;
}

/** Node.js, the libraries it loads, and a user, as the base image has them. */
async function baseImage(work: string): Promise<string> {
  const root = join(work, "base");
  for (const name of ["usr/local/bin", "etc", "tmp"]) mkdirSync(join(root, name), { recursive: true });
  const node = realpathSync(process.execPath);
  cpSync(node, join(root, "usr/local/bin/node"));
  writeFileSync(join(root, "etc/nsswitch.conf"), "hosts: files dns\n");
  writeFileSync(join(root, "etc/passwd"), "node:x:1000:1000::/:/bin/false\n");
  await addLibraries(root, [node]);
  const extra = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"].map(
    (name) => `/lib/x86_64-linux-gnu/${name}`,
  );
  for (const library of extra.filter((path) => existsSync(path)))
    cpSync(realpathSync(library), join(root, library));
  return root;
}

/** The shared libraries of these files, where the files expect them. */
async function addLibraries(root: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const { stdout } = await run("ldd", [file]);
    for (const [, library = ""] of stdout.matchAll(/(?:=> |^\t)(\/\S+)/gm)) {
      const place = join(root, library);
      if (existsSync(place)) continue;
      mkdirSync(dirname(place), { recursive: true });
      cpSync(realpathSync(library), place);
    }
  }
}

interface Packing {
  readonly target: Target;
  readonly reference: string;
  readonly stages: ReadonlyMap<string, string>;
  readonly base: string;
  readonly work: string;
}

async function pack(cluster: Cluster, { target, reference, stages, base, work }: Packing): Promise<void> {
  const rootfs = join(work, "rootfs");
  const archive = join(work, "image.tar");
  cpSync(base, rootfs, { recursive: true });
  for (const { from, sources, destination } of target.copies) {
    for (const source of sources) {
      const path = join(stages.get(from) ?? "", source.replace(/^\/src\//, ""));
      const isFile = sources.length > 1;
      cpSync(path, join(rootfs, destination, isFile ? basename(source) : ""), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
  const modules = join(rootfs, target.directory, "node_modules");
  const native = readdirSync(modules, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".node"),
  );
  await addLibraries(
    rootfs,
    native.filter((name) => !name.includes("musl")).map((name) => join(modules, name)),
  );
  const [program = "", ...rest] = target.entrypoint;
  await loadImage(cluster, {
    reference,
    rootfs,
    archive,
    entrypoint: [`/usr/local/bin/${program}`, ...rest],
  });
  rmSync(rootfs, { recursive: true });
  rmSync(archive);
}

/** Files of an image, and the archive that is made of them. */
export interface LoadedImage {
  readonly reference: string;
  readonly rootfs: string;
  readonly archive: string;
  readonly entrypoint: readonly string[];
}

/** Packs files into an image and gives it to the cluster's machine. */
export async function loadImage(
  cluster: Cluster,
  { reference, rootfs, archive, entrypoint }: LoadedImage,
): Promise<void> {
  for (const args of [
    ["image", reference, rootfs, archive, ...entrypoint],
    ["load", archive],
  ]) {
    const { code, stderr } = await cluster.script(...args);
    if (code !== 0) throw new Error(stderr);
  }
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")}: ${stdout}${stderr}`);
}

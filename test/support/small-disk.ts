/** A file system of a few megabytes that needs no rights: it is mounted in name spaces of its own. Linux alone has them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** An empty disk. It goes when it is disposed and the commands on it have ended. */
export interface SmallDisk extends AsyncDisposable {
  /** Mount point in the eyes of the commands. */
  readonly directory: string;
  /** Put before a command, it runs where the disk is. */
  readonly prefix: readonly string[];
  /** Fills it but for so many megabytes; 0: to the last byte. A disk that was filled before stays so meanwhile. */
  fill(leaveMb: number): Promise<void>;
  /** Gives the room back. */
  release(): Promise<void>;
  /** Names of its files or of those in a directory of it, without the one that fills it. */
  names(directory?: string): Promise<readonly string[]>;
}

const NAME_SPACES = ["--user", "--map-root-user", "--mount"];
const MIB = 1024 * 1024;

/** False where the system gives nobody such name spaces. */
export function hasSmallDisks(): boolean {
  const { status } = spawnSync("unshare", [...NAME_SPACES, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
  return status === 0 && spawnSync("nsenter", ["--version"]).status === 0;
}

/** Mounts one on a directory that is there. */
export async function openSmallDisk(directory: string, sizeMb: number): Promise<SmallDisk> {
  const script = `mount -t tmpfs -o size=${sizeMb}m tmpfs "$0" && echo mounted && exec sleep infinity`;
  const holder = spawn("unshare", [...NAME_SPACES, "sh", "-c", script, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data"); // or it ends, and with it every command that wants to go there
  const { pid = 0 } = holder;
  const seen = join("/proc", String(pid), "root", directory);
  const ballast = join(seen, "ballast");
  return {
    directory,
    prefix: ["nsenter", "--target", String(pid), "--user", "--preserve-credentials", "--mount", "--"],
    fill: (leaveMb) => fill(ballast, leaveMb * MIB),
    release: () => rm(ballast, { force: true }),
    names: async (below = "") => (await readdir(join(seen, below))).filter((name) => name !== "ballast"),
    async [Symbol.asyncDispose]() {
      const ended = once(holder, "exit");
      holder.kill("SIGKILL");
      await ended;
    },
  };
}

async function fill(path: string, leave: number): Promise<void> {
  await using file = await open(path, "a"); // truncated, it would give the node all the room for a moment
  const page = Buffer.alloc(4096);
  const block = Buffer.alloc(MIB);
  try {
    for (;;) await file.write(block, 0, block.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
  if (leave > 0) return file.truncate(Math.max(0, (await file.stat()).size - leave));
  try {
    for (;;) await file.write(page, 0, page.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** Cache of created and installed files for later runs, outside the checkout. */
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** A folder of the cache: below `XDG_CACHE_HOME`, or `~/.cache`. It is there when the promise resolves. */
export async function cacheFolder(...names: string[]): Promise<string> {
  const folder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "knit-bench", ...names);
  await mkdir(folder, { recursive: true });
  return folder;
}

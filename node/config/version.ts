/** The program's own version, said once: in package.json. */
import { readFileSync } from "node:fs";

interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
}

let known: string | undefined;

/** Such as `0.1.0`. Reads the package.json above this file, which is nearer for sources than for `dist/`. */
export function programVersion(): string {
  known ??= findVersion(new URL(".", import.meta.url));
  return known;
}

function findVersion(directory: URL): string {
  const manifest = readManifest(new URL("package.json", directory));
  if (manifest?.name === "knit" && typeof manifest.version === "string") return manifest.version;
  const above = new URL("..", directory);
  return above.href === directory.href ? "0.0.0" : findVersion(above);
}

function readManifest(file: URL): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest; // its two fields are checked where they are used
  } catch {
    return undefined; // no such file here: the caller looks further up
  }
}

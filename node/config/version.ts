/** The version of the program, from package.json. */
import { readFileSync } from "node:fs";

interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
}

let version: string | undefined;

/** Returns the version, such as `0.1.0`, from the nearest package.json above this file. */
export function programVersion(): string {
  version ??= findVersion(new URL(".", import.meta.url));
  return version;
}

function findVersion(directory: URL): string {
  const manifest = readManifest(new URL("package.json", directory));
  if (manifest?.name === "knit" && typeof manifest.version === "string") return manifest.version;
  const above = new URL("..", directory);
  return above.href === directory.href ? "0.0.0" : findVersion(above);
}

function readManifest(file: URL): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest; // both fields are checked by the caller
  } catch {
    return undefined; // no such file here: the caller looks further up
  }
}

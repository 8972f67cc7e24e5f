/** Disk use of a directory. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files below a directory. */
export function directoryBytes(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  return files.reduce(
    (sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0),
    0,
  );
}

/** The flags of a log's file: rows of the flag table. */
import { boolean, integer, path } from "./flags-kinds.ts";
import { NODE, rows } from "./flags-rows.ts";

const log = rows("Log", NODE);

/** A file, and when it is put aside. */
export const logFileFlags = {
  "log.file": log.maybe(path, "a file that takes every line too"),
  "log.rotate": log.flag(boolean, false, "put the file aside when it is large, and begin a new one"),
  "log.maxsize": log.flag(integer(1), 100, "MiB of a file that is put aside"),
  "log.maxbackups": log.flag(integer(0), 10, "files put aside that are kept; 0 is all"),
  "log.maxage": log.flag(integer(0), 30, "days after which they are removed; 0 is never"),
  "log.compress": log.flag(boolean, false, "pack them with gzip"),
};

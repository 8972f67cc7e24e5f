/** Troubles with files that callers name. */
import { getSystemErrorMessage } from "node:util";

/** Where the words of the Go node are not those of Node's own library. */
const GO_WORDS: Readonly<Record<string, string>> = {
  EEXIST: "file exists",
  EISDIR: "is a directory",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  ERR_INVALID_ARG_VALUE: "invalid argument",
};
const SHOWN_CHARACTERS = 256;

/** What the Go node says when the system refuses a file; undefined for what no system has said. */
export function fileTrouble(error: unknown, file: string): string | undefined {
  const { code = "", errno, syscall } = (error ?? {}) as NodeJS.ErrnoException; // any of them may be missing
  const words = GO_WORDS[code] ?? (errno === undefined ? undefined : getSystemErrorMessage(errno));
  if (words === undefined) return undefined;
  return `${syscall === "write" ? "write" : "open"} ${file.slice(0, SHOWN_CHARACTERS)}: ${words}`;
}

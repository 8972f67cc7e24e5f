/** The Go node's messages for errors of files that callers name. */
import { getSystemErrorMessage } from "node:util";

/** Go's texts of error codes for which Node.js has another text. */
const GO_TEXTS: Readonly<Record<string, string>> = {
  EEXIST: "file exists",
  EISDIR: "is a directory",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  ERR_INVALID_ARG_VALUE: "invalid argument",
};
const MAX_NAME_CHARACTERS = 256;

/** Returns the Go node's message for a system error; undefined for errors of other origin. */
export function fileErrorMessage(error: unknown, file: string): string | undefined {
  const { code = "", errno, syscall } = (error ?? {}) as NodeJS.ErrnoException; // any of them may be missing
  const words = GO_TEXTS[code] ?? (errno === undefined ? undefined : getSystemErrorMessage(errno));
  if (words === undefined) return undefined;
  return `${syscall === "write" ? "write" : "open"} ${file.slice(0, MAX_NAME_CHARACTERS)}: ${words}`;
}

/** Reader of small text files that others name: a path to a device or to a huge file costs no memory. */
import { open } from "node:fs/promises";

/**
 * Returns the text of a file of at most `maxBytes` bytes; what is not UTF-8 becomes U+FFFD. Rejects with the
 * system's error, or with `more than N bytes`.
 */
export async function readBoundedText(path: string, maxBytes: number): Promise<string> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const room = Math.min(maxBytes + 1 - length, Math.max(size + 1 - length, MIN_PART));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(room), 0, room, null);
    length += bytesRead;
    if (length > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
    if (bytesRead === 0) return Buffer.concat(parts, length).toString("utf8");
    parts.push(buffer.subarray(0, bytesRead));
  }
}

/** Bytes of a read when the file says no size: pipes and devices. */
const MIN_PART = 4096;

/**
 * Errors of the Go node's RLP reader (`rlp/decode.go@v2.2.2`) for malformed input: bytes in, the text of the first
 * fault of an item and of the items in a list out.
 */

const LIST = 0xc0;
const LONG = 55;

const TOO_LARGE = "rlp: value size exceeds available input length";

/** The head of an item: its length and that of its content, in bytes. */
interface ItemHead {
  readonly isList: boolean;
  readonly head: number;
  readonly size: number;
}

/** A fault of a head: its text, or undefined for a size in more bytes than needed. */
type HeadFault = { readonly fault: string | undefined };

/** Returns the fault of a list that belongs to a Go structure; undefined for a list whose head is right. */
export function listFault(bytes: Uint8Array, structure: string): string | undefined {
  if (bytes.length === 0) return "EOF";
  const head = headOf(bytes);
  if ("fault" in head) return head.fault ?? `rlp: non-canonical size information for ${structure}`;
  return head.isList ? undefined : `rlp: expected input list for ${structure}`;
}

/** Returns the number of items in a list whose head is right, or the fault of the item that is not whole. */
export function itemsOf(bytes: Uint8Array): number | string {
  const list = headOf(bytes);
  if ("fault" in list) return list.fault ?? TOO_LARGE;
  const content = bytes.subarray(list.head, list.head + list.size);
  let count = 0;
  for (let at = 0; at < content.length; count++) {
    const item = headOf(content.subarray(at));
    if ("fault" in item) return "rlp: element is larger than containing list";
    at += item.head + item.size;
  }
  return count;
}

/** Maximum size of the integers before an address that are judged. */
const MAX_INTEGER_BYTES = 8;
const ADDRESS_BYTES = 20;

/**
 * Returns the Go reader's words for an address of the wrong size at a position in a list whose items are whole, if only
 * integers of up to 8 bytes are before it; undefined otherwise.
 */
export function addressFault(bytes: Uint8Array, position: number): string | undefined {
  const content = firstItem(bytes);
  let at = 0;
  for (let index = 0; at < content.length; index++) {
    const item = headOf(content.subarray(at));
    if ("fault" in item || item.isList) return undefined;
    if (index === position) return addressSizeFault(item);
    const isPadded = content[at + item.head] === 0 && item.size > 0;
    if (item.size > MAX_INTEGER_BYTES || isPadded) return undefined;
    at += item.head + item.size;
  }
  return undefined;
}

function addressSizeFault({ head, size }: ItemHead): string | undefined {
  if (head === 0 || size === 0 || size === ADDRESS_BYTES) return undefined;
  return `rlp: input string too ${size < ADDRESS_BYTES ? "short" : "long"} for common.Address`;
}

/** Returns the bytes from the first item of a list on; the list's head must be right. */
export function firstItem(bytes: Uint8Array): Uint8Array {
  const list = headOf(bytes);
  return "fault" in list ? new Uint8Array(0) : bytes.subarray(list.head, list.head + list.size);
}

function headOf(bytes: Uint8Array): ItemHead | HeadFault {
  const [first = 0] = bytes;
  if (first < 0x80) return { isList: false, head: 0, size: 1 };
  const isList = first >= LIST;
  const short = first - (isList ? LIST : 0x80);
  if (short <= LONG) return checkSize(bytes, { isList, head: 1, size: short });
  const digits = bytes.subarray(1, 1 + short - LONG);
  if (digits.length < short - LONG) return { fault: TOO_LARGE };
  if (digits[0] === 0) return { fault: undefined };
  const size = digits.reduce((sum, digit) => sum * 256 + digit, 0);
  return size <= LONG ? { fault: undefined } : checkSize(bytes, { isList, head: 1 + digits.length, size });
}

function checkSize(bytes: Uint8Array, head: ItemHead): ItemHead | HeadFault {
  return head.head + head.size > bytes.length ? { fault: TOO_LARGE } : head;
}

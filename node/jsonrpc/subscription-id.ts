import { randomFillSync } from "node:crypto";

const ID_BYTES = 16;
/** Random bytes of 256 ids: a call for each costs ten times as much. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** Ids of subscriptions and filters: `0x` and 16 random bytes without leading zero digits. */
export function newSubscriptionId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const digits = pool.toString("hex", used, used + ID_BYTES).replace(/^0+/, "");
  used += ID_BYTES;
  return `0x${digits.length === 0 ? "0" : digits}`;
}

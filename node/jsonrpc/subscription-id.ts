import { randomBytes } from "node:crypto";

/** What subscriptions and filters are called: `0x` and 16 random bytes without leading zero digits. */
export function newSubscriptionId(): string {
  const digits = randomBytes(16).toString("hex").replace(/^0+/, "");
  return `0x${digits.length === 0 ? "0" : digits}`;
}

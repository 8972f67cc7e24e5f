/** The channel with the operator's own certificate, which is made in memory and made anew long before it ends. */
import { type Credentials, issueOperator } from "./authority.ts";
import { type Channel, openChannel } from "./channel.ts";

const RENEW_MS = 20 * 86_400_000;

/** Opens the channel. */
export function openOperatorChannel(authority: Credentials, now: () => number): Channel {
  let current: { readonly at: number; readonly channel: Promise<Channel> } | undefined;
  const open = async (): Promise<Channel> =>
    openChannel({ authority: authority.certificate, operator: await issueOperator(authority, now()) });
  const fresh = (): Promise<Channel> => {
    if (current === undefined || now() - current.at >= RENEW_MS) {
      const before = current?.channel;
      current = { at: now(), channel: open() };
      // Calls that run on the old connections end with them at the latest.
      setTimeout(() => void before?.then((channel) => channel[Symbol.dispose]()), 60_000).unref();
    }
    return current.channel;
  };
  return {
    call: async (gateway, method, ...params) => (await fresh()).call(gateway, method, ...params),
    [Symbol.dispose]: () => void current?.channel.then((channel) => channel[Symbol.dispose]()),
  };
}

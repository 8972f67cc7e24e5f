/**
 * The channel with the operator's client certificate, which is created in memory and renewed long before it
 * or its authority expires.
 */
import { issueOperator } from "./authority.ts";
import { type Channel, openChannel } from "./channel.ts";
import { type Authorities, trustedCertificates } from "./rotation.ts";

const RENEW_MS = 20 * 86_400_000;
/** Maximum time that calls on the previous connections have to finish. */
const LINGER_MS = 60_000;

interface Opened {
  readonly at: number;
  readonly authorities: Authorities;
  readonly channel: Promise<Channel>;
}

/** Opens the channel; `authorities` gives the same object until they change. */
export function openOperatorChannel(authorities: () => Authorities, now: () => number): Channel {
  let current: Opened | undefined;
  const fresh = (): Promise<Channel> => {
    const known = authorities();
    if (current?.authorities !== known || now() - current.at >= RENEW_MS) {
      const before = current?.channel;
      current = { at: now(), authorities: known, channel: open(known, now()) };
      setTimeout(() => void before?.then((channel) => channel[Symbol.dispose]()), LINGER_MS).unref();
    }
    return current.channel;
  };
  return {
    call: async (gateway, method, ...params) => (await fresh()).call(gateway, method, ...params),
    [Symbol.dispose]: () => void current?.channel.then((channel) => channel[Symbol.dispose]()),
  };
}

async function open(authorities: Authorities, now: number): Promise<Channel> {
  const operator = await issueOperator(authorities.current, now);
  return openChannel({ authority: trustedCertificates(authorities), operator });
}

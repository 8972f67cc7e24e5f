/**
 * The operator's certificate authority in a Secret of its own namespace. The first leader creates it; it is
 * checked every hour and rotated before it expires.
 */
import { FIELD_MANAGER, labels } from "../api/names.ts";
import { type Draft, readMeta } from "../api/resource.ts";
import { secret } from "../build/secrets.ts";
import { createAuthority, isAuthority } from "../control/authority.ts";
import { type Authorities, rotate } from "../control/rotation.ts";
import type { KubeClient } from "../kube/client.ts";
import { isKubeError, KubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import { secretText } from "../reconcile/secret-text.ts";

/** Options of the keeper. */
export interface KeeperOptions {
  readonly client: Pick<KubeClient, "get" | "create" | "replace">;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
}

const NAME = "knit-operator-authority";
const LOOK_MS = 3_600_000;

/** Keeps the authority up to date. Disposing it stops the timer. */
export class AuthorityKeeper implements Disposable {
  readonly #options: KeeperOptions;
  readonly #timer: NodeJS.Timeout;
  #known: Authorities;

  private constructor(options: KeeperOptions, known: Authorities) {
    this.#options = options;
    this.#known = known;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /**
   * Reads or creates the authority. Throws `KubeError` when the Secret contains something else, which is
   * never overwritten.
   */
  static async open(options: KeeperOptions): Promise<AuthorityKeeper> {
    return new AuthorityKeeper(options, await readOrMake(options));
  }

  /** Returns the authorities as read last; the same object until they change. */
  authorities(): Authorities {
    return this.#known;
  }

  /**
   * Reads the authorities and applies a due rotation step. A failed read or write is retried at the next
   * check.
   */
  async look(): Promise<void> {
    try {
      const known = await readOrMake(this.#options);
      if (JSON.stringify(known) !== JSON.stringify(this.#known)) this.#known = known;
    } catch (error) {
      this.#options.log.warn({ error: messageOf(error) }, "authority secret cannot be read");
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function readOrMake(options: KeeperOptions): Promise<Authorities> {
  const { client, namespace, clock } = options;
  const object = await client.get(kinds.secret, { namespace, name: NAME });
  if (object !== undefined) return takeStep(options, object);
  const made = { current: await createAuthority(clock.now()), next: undefined, previous: undefined };
  try {
    await client.create(draftOf(namespace, made));
    return made;
  } catch (error) {
    if (!isKubeError(error, "already-exists")) throw error;
    return read(await client.get(kinds.secret, { namespace, name: NAME }));
  }
}

/**
 * Applies the due rotation step with the version as precondition: a concurrent operator reads the result next
 * time.
 */
async function takeStep({ client, namespace, clock, log }: KeeperOptions, object: unknown) {
  const known = read(object);
  const after = await rotate(known, clock.now());
  if (after === known) return known;
  await client.replace(draftOf(namespace, after, readMeta(object).resourceVersion));
  const fields = { announced: after.next !== undefined, previous: after.previous !== undefined };
  log.info(fields, "authority rotated");
  return after;
}

function draftOf(namespace: string, { current, next, previous }: Authorities, version?: string): Draft {
  const metadata = {
    name: NAME,
    namespace,
    labels: { [labels.name]: FIELD_MANAGER, [labels.component]: "authority" },
    ...(version === undefined ? {} : { resourceVersion: version }),
  };
  return secret(metadata, {
    "ca.crt": current.certificate,
    "ca.key": current.key,
    ...(next === undefined ? {} : { "next.crt": next.certificate, "next.key": next.key }),
    ...(previous === undefined ? {} : { "previous.crt": previous }),
  });
}

function read(object: unknown): Authorities {
  const pair = (name: string) => ({
    certificate: secretText(object, `${name}.crt`) ?? "",
    key: secretText(object, `${name}.key`) ?? "",
  });
  const [current, next] = [pair("ca"), pair("next")];
  const isNext = next.certificate !== "" || next.key !== "";
  if (!isAuthority(current) || (isNext && !isAuthority(next)))
    throw new KubeError(
      "invalid",
      `the Secret ${NAME} contains no valid authority. Delete it, and the operator creates a new one and distributes it to all gateways`,
    );
  return { current, next: isNext ? next : undefined, previous: secretText(object, "previous.crt") };
}

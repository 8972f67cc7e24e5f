/** Kinds that a cluster may not have: asked for from time to time, followed while they are there. */
import type { Board } from "./board.ts";
import type { KubeClient } from "./kube/client.ts";
import type { Reflector } from "./kube/reflector.ts";
import { kinds } from "./kube/resources.ts";
import type { Log } from "./observe/log.ts";
import { messageOf } from "./observe/message-of.ts";
import { type OptionalKind, optionalKinds } from "./reconcile/surroundings.ts";

/** What they are followed with. */
export interface OptionalKindsOptions {
  readonly client: Pick<KubeClient, "serves">;
  readonly board: Pick<Board, "followed">;
  /** Begins to follow a kind. */
  readonly open: (kind: OptionalKind) => Reflector;
  /** Called when a kind came. */
  readonly came: () => void;
  readonly everyMs: number;
  readonly log: Log;
}

/** Looks at once, then again and again. Disposing it ends the looking, not the reflectors that are left. */
export async function followOptionalKinds(options: OptionalKindsOptions): Promise<AsyncDisposable> {
  let looking = lookAtAll(options);
  await looking;
  const timer = setInterval(() => {
    looking = looking.then(() => lookAtAll(options));
  }, options.everyMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
      for (const kind of optionalKinds) await options.board.followed.get(kind)?.[Symbol.asyncDispose]();
    },
  };
}

async function lookAtAll(options: OptionalKindsOptions): Promise<void> {
  for (const kind of optionalKinds) {
    await look(kind, options).catch((error: unknown) => {
      options.log.warn({ kind, error: messageOf(error) }, "kind cannot be looked for");
    });
  }
}

async function look(
  kind: OptionalKind,
  { client, board, open, came, log }: OptionalKindsOptions,
): Promise<void> {
  const known = board.followed.get(kind);
  const served = await client.serves(kinds[kind]);
  if (served === (known !== undefined)) return;
  log.info({ kind, served }, "kind came or went");
  if (known !== undefined) {
    board.followed.delete(kind);
    await known[Symbol.asyncDispose]();
    return;
  }
  const reflector = open(kind);
  await reflector.synced;
  board.followed.set(kind, reflector);
  came();
}

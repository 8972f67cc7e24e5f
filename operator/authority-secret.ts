/** The operator's authority in a Secret of its own namespace: made by whoever leads first, then kept. */
import { FIELD_MANAGER, labels } from "./api/names.ts";
import { secret } from "./build/secrets.ts";
import { type Credentials, createAuthority, isAuthority } from "./control/authority.ts";
import type { KubeClient } from "./kube/client.ts";
import { isKubeError, KubeError } from "./kube/error.ts";
import { kinds } from "./kube/resources.ts";
import type { Clock } from "./observe/clock.ts";
import { secretText } from "./reconcile/secret-text.ts";

const NAME = "knit-operator-authority";

/** Reads the authority, or makes it. Throws `KubeError` when what is there is no authority: nothing is overwritten. */
export async function loadOrMakeAuthority(
  client: Pick<KubeClient, "get" | "create">,
  namespace: string,
  clock: Clock,
): Promise<Credentials> {
  const known = await client.get(kinds.secret, { namespace, name: NAME });
  if (known !== undefined) return read(known);
  const made = await createAuthority(clock.now());
  const metadata = {
    name: NAME,
    namespace,
    labels: { [labels.name]: FIELD_MANAGER, [labels.component]: "authority" },
  };
  try {
    await client.create(secret(metadata, { "ca.crt": made.certificate, "ca.key": made.key }));
    return made;
  } catch (error) {
    if (!isKubeError(error, "already-exists")) throw error;
    return read(await client.get(kinds.secret, { namespace, name: NAME }));
  }
}

function read(object: unknown): Credentials {
  const certificate = secretText(object, "ca.crt") ?? "";
  const key = secretText(object, "ca.key") ?? "";
  if (isAuthority({ certificate, key })) return { certificate, key };
  throw new KubeError(
    "invalid",
    `the Secret ${NAME} holds no authority; delete it and the operator makes a new one, which all gateways then get`,
  );
}

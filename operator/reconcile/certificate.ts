/** The certificate of a member's gateway: issued once, and again in time before it ends. */
import { gatewayName, objectNames } from "../build/names.ts";
import { gatewaySecret } from "../build/secrets.ts";
import { type Credentials, isGood, issueGateway } from "../control/authority.ts";
import { gatewayFiles } from "../control/methods.ts";
import { trustedCertificates } from "../control/rotation.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { kinds } from "../kube/resources.ts";
import type { MemberContext } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";
import { secretText } from "./secret-text.ts";

/** Checking a certificate takes a millisecond of processor time, of which a Node's look at itself takes but a few. */
const CHECK_MS = 3_600_000;

/** Secrets whose certificate was found good: by which authority, and when. */
const found = new WeakMap<CachedObject, { readonly authority: Credentials; readonly at: number }>();

/** Writes the Secret when there is none, or its certificate is about to end or is not the authority's. */
export async function certificateStep({ node, member, deps }: MemberContext): Promise<Outcome> {
  const { clock, applier, client } = deps;
  const authorities = deps.authorities();
  const { current } = authorities;
  const { namespace } = node.meta;
  const { gateway: name } = objectNames(member.name);
  const host = gatewayName(member.name, namespace);
  const seen = deps.cache.find("secret", `${namespace}/${name}`);
  const object = seen?.object ?? (await client.get(kinds.secret, { namespace, name }));
  const held = {
    certificate: secretText(object, gatewayFiles.certificate) ?? "",
    key: secretText(object, gatewayFiles.key) ?? "",
  };
  const at = clock.now();
  const isHeldGood = wasGood(seen, current, at) || isGood(current, held, host, at);
  if (isHeldGood && seen !== undefined && !wasGood(seen, current, at))
    found.set(seen, { authority: current, at });
  const { certificate, key } = isHeldGood ? held : await issueGateway(current, host, at);
  const files = {
    [gatewayFiles.certificate]: certificate,
    [gatewayFiles.key]: key,
    [gatewayFiles.authority]: trustedCertificates(authorities),
  };
  await applier.apply(gatewaySecret(member, files), seen);
  return goOn;
}

/** A Secret that changes is seen as another one. */
function wasGood(seen: CachedObject | undefined, authority: Credentials, now: number): boolean {
  const verdict = seen && found.get(seen);
  return verdict?.authority === authority && now - verdict.at < CHECK_MS;
}

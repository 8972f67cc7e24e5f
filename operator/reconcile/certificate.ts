/** The certificate of a member's gateway: issued once, and renewed before it expires. */
import { readerFiles } from "../api/names.ts";
import { gatewayName, objectNames, startsFromSibling } from "../build/names.ts";
import { gatewaySecret } from "../build/secrets.ts";
import { type Credentials, isGood, issueGateway, issueReader } from "../control/authority.ts";
import { gatewayFiles, readerName } from "../control/methods.ts";
import { trustedCertificates } from "../control/rotation.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { kinds } from "../kube/resources.ts";
import type { MemberContext } from "./context.ts";
import { goOn, type Outcome, refusalOf } from "./outcome.ts";
import { secretText } from "./secret-text.ts";

/** Interval of checks. A check takes a millisecond of CPU time, a reconciliation a few. */
const CHECK_MS = 3_600_000;

/** Secrets with a valid certificate: authority and time of the check. */
const found = new WeakMap<CachedObject, { readonly authority: Credentials; readonly at: number }>();

/** Renews a certificate that is about to expire or is of another authority, whatever other steps wait for. */
export async function renewalStep(context: MemberContext): Promise<Outcome> {
  const seen = secretOf(context);
  return seen === undefined ? goOn : writeCertificate(context, seen);
}

/** Writes the Secret when it is missing. */
export async function certificateStep(context: MemberContext): Promise<Outcome> {
  return secretOf(context) === undefined ? writeCertificate(context, undefined) : goOn;
}

function secretOf({ node, member, deps }: MemberContext): CachedObject | undefined {
  return deps.cache.find("secret", `${node.meta.namespace}/${objectNames(member.name).gateway}`);
}

/** Writes the Secret unless it has a good certificate. Returns a refusal. */
async function writeCertificate(
  { node, member, deps }: MemberContext,
  seen: CachedObject | undefined,
): Promise<Outcome> {
  const { clock, applier, client } = deps;
  const authorities = deps.authorities();
  const { current } = authorities;
  const { namespace } = node.meta;
  const { gateway: name } = objectNames(member.name);
  const host = gatewayName(member.name, namespace);
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
    ...(startsFromSibling(node.spec) ? await readerOf(object, { host, current, at }) : {}),
    [gatewayFiles.certificate]: certificate,
    [gatewayFiles.key]: key,
    [gatewayFiles.authority]: trustedCertificates(authorities),
  };
  return applier.apply(gatewaySecret(member, files), seen).then(() => goOn, refusalOf);
}

interface ReaderOptions {
  readonly host: string;
  readonly current: Credentials;
  readonly at: number;
}

/** Returns the certificate with which the replica reads a checkpoint of a sibling, reissued unless it is good. */
async function readerOf(
  object: unknown,
  { host, current, at }: ReaderOptions,
): Promise<Readonly<Record<string, string>>> {
  const name = readerName(host);
  const held = {
    certificate: secretText(object, readerFiles.certificate) ?? "",
    key: secretText(object, readerFiles.key) ?? "",
  };
  const isHeldGood = isGood(current, held, name, at);
  const { certificate, key } = isHeldGood ? held : await issueReader(current, name, at);
  return { [readerFiles.certificate]: certificate, [readerFiles.key]: key };
}

/** True for a Secret that was checked recently. A changed Secret is another cached object. */
function wasGood(seen: CachedObject | undefined, authority: Credentials, now: number): boolean {
  const verdict = seen && found.get(seen);
  return verdict?.authority === authority && now - verdict.at < CHECK_MS;
}

/** Texts of Secrets and ConfigMaps. */

const MAX_CHARACTERS = 2_000_000;

/** Returns the value of a key in a Secret; undefined when it does not exist. */
export function secretText(object: unknown, member: string): string | undefined {
  const text = memberOf(object, member);
  return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}

/** Returns the value of a key in a ConfigMap. */
export function configText(object: unknown, member: string): string | undefined {
  return memberOf(object, member);
}

function memberOf(object: unknown, member: string): string | undefined {
  const { data } = (object ?? {}) as { data?: Readonly<Record<string, unknown>> };
  const value = data?.[member];
  return typeof value === "string" && value.length <= MAX_CHARACTERS ? value : undefined;
}

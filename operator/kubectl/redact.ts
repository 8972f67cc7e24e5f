/** Removes what may be secret from objects and texts of a report. What is in doubt is removed. */

/** The text in place of what was removed. */
export const REMOVED = "(removed)";

/** Names of members whose values are removed wherever they stand. */
const SECRET_NAME = /pass|secret|token|mnemonic|private|credential|unlock|nodekeyhex|api-?key/i;

/** Members that name a secret and hold none. */
const REFERENCES: ReadonlySet<string> = new Set([
  "imagePullSecrets",
  "nodeKeySecret",
  "secretName",
  "secretRef",
  "secretKeyRef",
  "secret",
  "automountServiceAccountToken",
]);

/** Members that hold digests of 64 hex digits, which look like private keys. */
const DIGESTS: ReadonlySet<string> = new Set(["genesis", "digest", "knit.dev/applied", "imageID"]);

const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<![0-9a-zA-Z:])(?:[0-9a-fA-F]{64})(?![0-9a-zA-Z])/g,
  /\b(?:Bearer|Basic) [\w.~+/=-]+/gi,
  /(?<=^\s*"?[\w.-]*(?:pass|secret|token|mnemonic|unlock)[\w.-]*"?\s*:\s*)\S.*$/gim,
  /(?<=:\/\/[^/\s:@]{0,256}:)[^/\s@]+(?=@)/g,
];

/** Returns a text without private keys, tokens and passwords in URLs; hashes with `0x` and node ids stay. */
export function redactText(text: string): string {
  return PATTERNS.reduce((left, pattern) => left.replace(pattern, REMOVED), text);
}

/** Returns a copy of an object in which secret values and the values of variables are removed. */
export function redactObject(value: unknown, name = ""): unknown {
  if (typeof value === "string") return DIGESTS.has(name) ? value : redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactObject(item, name));
  const isVariable = name === "env" && "name" in value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const isSecret = SECRET_NAME.test(key) && !REFERENCES.has(key) && typeof each !== "object";
      if (isSecret || (isVariable && key === "value")) return [key, REMOVED];
      return [key, redactMember(each, key)];
    }),
  );
}

/** JSON within an annotation is redacted by its members; other text by its patterns. */
function redactMember(value: unknown, key: string): unknown {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return redactObject(value, key);
  try {
    return JSON.stringify(redactObject(JSON.parse(value), key));
  } catch {
    return redactObject(value, key);
  }
}

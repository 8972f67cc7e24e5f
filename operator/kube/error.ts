/** What the API server refuses, or why it could not be asked. */

/** Kinds of failure that callers tell apart. */
export type KubeErrorCode =
  | "not-found"
  | "already-exists"
  | "conflict"
  | "gone"
  | "forbidden"
  | "unauthorized"
  | "invalid"
  | "too-many-requests"
  | "too-large"
  | "unreachable"
  /** An object of this name is there and is another's. */
  | "not-ours"
  /** An answer that cannot be read. */
  | "bad-answer"
  /** The namespace is being deleted: nothing more is made in it. */
  | "terminating"
  /** This process may not write at this moment. */
  | "not-leading"
  | "server"
  | "other";

/** A request that failed. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly code: KubeErrorCode;
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: KubeErrorCode,
    message: string,
    options?: ErrorOptions & { readonly retryAfterMs?: number },
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
  }
}

const BY_STATUS: Readonly<Record<number, KubeErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  410: "gone",
  413: "too-large",
  422: "invalid",
  429: "too-many-requests",
};

const MAX_MESSAGE = 1_000;

/** The error of an answer: an HTTP status and, as a rule, a `Status` object. */
export function errorOfAnswer(status: number, body: unknown, retryAfter?: string): KubeError {
  const told = typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  const message = typeof told["message"] === "string" ? told["message"] : `HTTP status ${status}`;
  const seconds = Number(retryAfter);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1_000 : undefined;
  return new KubeError(
    codeOf(status, told),
    message.slice(0, MAX_MESSAGE),
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

function codeOf(status: number, { reason, details }: Readonly<Record<string, unknown>>): KubeErrorCode {
  if (status === 409 && reason === "AlreadyExists") return "already-exists";
  if (reason === "Expired" || reason === "Gone") return "gone";
  if (status === 403 && causesOf(details).includes("NamespaceTerminating")) return "terminating";
  return BY_STATUS[status] ?? (status >= 500 ? "server" : "other");
}

function causesOf(details: unknown): readonly unknown[] {
  const { causes } = (details ?? {}) as { causes?: unknown };
  return Array.isArray(causes) ? causes.map((each: { reason?: unknown } | null) => each?.reason) : [];
}

/** True when `error` is a failure of this kind. */
export function isKubeError(error: unknown, code: KubeErrorCode): error is KubeError {
  return error instanceof KubeError && error.code === code;
}

/**
 * True for what happens when two write at once: another was quicker, the object went or came meanwhile. It is no
 * failure; whoever meets it looks at what there is now.
 */
export function isRace(error: unknown): boolean {
  return error instanceof KubeError && RACES.has(error.code);
}

const RACES: ReadonlySet<KubeErrorCode> = new Set(["conflict", "not-found", "already-exists", "terminating"]);

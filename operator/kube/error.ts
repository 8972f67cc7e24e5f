/** Errors of requests to the API server. */

/** Codes by which callers distinguish failures. */
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
  /** The object exists and belongs to somebody else. */
  | "not-ours"
  /** The response cannot be parsed. */
  | "bad-answer"
  /** The namespace is being deleted. */
  | "terminating"
  /** This process is not the leader. */
  | "not-leading"
  | "server"
  | "other";

/** A failed request. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly code: KubeErrorCode;
  /** Delay that the server requests, in milliseconds. */
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

/** Creates the error of a response from its HTTP status and `Status` object. */
export function errorOfAnswer(status: number, body: unknown, retryAfter?: string): KubeError {
  const fields = typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  const message = typeof fields["message"] === "string" ? fields["message"] : `HTTP status ${status}`;
  const seconds = Number(retryAfter);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1_000 : undefined;
  return new KubeError(
    codeOf(status, fields),
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

/** True for a `KubeError` with this code. */
export function isKubeError(error: unknown, code: KubeErrorCode): error is KubeError {
  return error instanceof KubeError && error.code === code;
}

/**
 * True for a conflict between concurrent writers. It is no failure: the caller reconciles again with the
 * current state.
 */
export function isRace(error: unknown): boolean {
  return error instanceof KubeError && RACES.has(error.code);
}

const RACES: ReadonlySet<KubeErrorCode> = new Set(["conflict", "not-found", "already-exists", "terminating"]);

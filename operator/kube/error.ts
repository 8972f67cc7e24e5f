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

const LONGEST_MESSAGE = 1_000;

/** The error of an answer: an HTTP status and, as a rule, a `Status` object. */
export function errorOfAnswer(status: number, body: unknown, retryAfter?: string): KubeError {
  const told = typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  const message = typeof told["message"] === "string" ? told["message"] : `HTTP status ${status}`;
  const seconds = Number(retryAfter);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1_000 : undefined;
  return new KubeError(
    codeOf(status, told["reason"]),
    message.slice(0, LONGEST_MESSAGE),
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

function codeOf(status: number, reason: unknown): KubeErrorCode {
  if (status === 409 && reason === "AlreadyExists") return "already-exists";
  if (reason === "Expired" || reason === "Gone") return "gone";
  return BY_STATUS[status] ?? (status >= 500 ? "server" : "other");
}

/** True when `error` is a failure of this kind. */
export function isKubeError(error: unknown, code: KubeErrorCode): error is KubeError {
  return error instanceof KubeError && error.code === code;
}

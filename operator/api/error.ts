/** Error of an object that violates its schema. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code = "bad-object";
}

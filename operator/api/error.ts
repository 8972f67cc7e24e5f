/** An object that is not what its schema says. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code = "bad-object";
}

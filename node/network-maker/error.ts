/** The error of this room: a network that cannot be made. The message is for the user. */
export class NetworkMakerError extends Error {
  override readonly name = "NetworkMakerError";
  readonly code = "bad-terms";
}

/** Why a network cannot be made as it was asked for; the message is for the person who asked. */
export class NetworkMakerError extends Error {
  override readonly name = "NetworkMakerError";
  readonly code = "bad-terms";
}
